// A run again ends with who has asked for it: nobody hears any more what it would say.

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 100;

const { setInterval: nativeSetInterval } = globalThis;
const { kill, ppid } = process;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/** On the main thread, before the program is told that its process has another parent. */
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
