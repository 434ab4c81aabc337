/** Settles when somebody ends a command that goes on until then. */
export function waitForInterrupt(): Promise<void> {
  return new Promise((settle) => {
    process.once('SIGINT', settle);
    process.once('SIGTERM', settle);
  });
}
