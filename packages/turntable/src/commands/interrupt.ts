/** Resolves when the process gets SIGINT or SIGTERM. */
export function waitForInterrupt(): Promise<void> {
  return new Promise((settle) => {
    process.once('SIGINT', settle);
    process.once('SIGTERM', settle);
  });
}
