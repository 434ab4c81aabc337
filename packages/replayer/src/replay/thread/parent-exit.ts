// Ends a replaying process when its parent has exited, because its outcome has no reader then.

const POLL_INTERVAL_MS = 100;

const { setInterval: nativeSetInterval } = globalThis;
const { kill, ppid } = process;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/** Starts to check whether the parent still exists. Must be called on the main thread. */
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
