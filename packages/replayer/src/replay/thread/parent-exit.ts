// Ends a replaying process when its parent has exited, because its outcome has no reader then.

const POLL_INTERVAL_MS = 100;

const { setInterval: nativeSetInterval } = globalThis;
const { kill, ppid } = process;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/** Must be called on the main thread, before the program could be notified of a new parent. */
export function exitWithParent(): void {
  const checkParent = (): void => {
    try {
      Reflect.apply(kill, process, [ppid, 0]);
    } catch {
      reallyExit(1);
    }
  };
  nativeSetInterval(checkParent, POLL_INTERVAL_MS).unref();
}
