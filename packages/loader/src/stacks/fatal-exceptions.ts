// What Node prints above the stack of an error that ends the process: file, line and a caret, taken from where V8 says it was thrown,
// which is emitted code. So when all handlers have declined, and not before, every file gets a source map that answers with our own
// positions (provided-maps.ts).
import { inspect, types } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import type { StackMapping } from '@turntable/core';
import { writeSync } from '../files.ts';
import { exceptionLine } from './exception-line.ts';
import type { CodeLoader } from '../code/code.ts';
import { DeadDeviceError, toldOf } from '../realm/dead-device-error.ts';
import type { MainRunner } from '../modules/shells.ts';
import { standingIn } from '../realm/node-host.ts';
import { provideMaps } from '../source-maps/provided-maps.ts';

interface NodeProcess {
  listenerCount(event: string): number;
  hasUncaughtExceptionCaptureCallback(): boolean;
  setUncaughtExceptionCaptureCallback(callback: ((error: Error) => void) | null): void;
  _fatalException: Report;
  _tickCallback(): void;
  reallyExit(code: number): never;
}
type Report = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

const nativeSetImmediate = setImmediate;

export function installFatalExceptions(code: CodeLoader, mapping: StackMapping): MainRunner {
  const process = globalThis.process as unknown as NodeProcess;
  const native = process._fatalException;
  let mainFailed = false;

  process._fatalException = function (error, fromPromise) {
    const wasMain = mainFailed;
    mainFailed = false;
    const handle = (): boolean => Reflect.apply(native, this, [error, fromPromise]) as boolean;
    // Of promises, only that of the entry point comes here.
    standingIn.hasMainFailed = wasMain;
    const handled = fromPromise ? handle() : survive(error, handle);
    standingIn.hasMainFailed = false;
    if (handled && wasMain) runTicks();
    // A worker's error is printed by whoever gets it.
    if (!handled && isMainThread) {
      const line = exceptionLine(error);
      if (line !== undefined) writeSync(2, line);
      provideMaps(code.running, mapping);
    }
    return handled;
  };

  /** Nobody dies of what stayed behind: Node clears up after it as if the program had caught it. */
  function survive(error: unknown, handle: () => boolean): boolean {
    const isTaken = process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (isTaken || !(error instanceof DeadDeviceError)) return handle();
    process.setUncaughtExceptionCaptureCallback(toldOf);
    try {
      return handle();
    } finally {
      process.setUncaughtExceptionCaptureCallback(null);
    }
  }

  /** The entry point failed in a tick of ours, natively in none: those behind it are not to wait for the timers. */
  function runTicks(): void {
    try {
      process._tickCallback();
    } catch (error) {
      if (process._fatalException(error, false)) return;
      // We are inside Node's handler, which has survived the entry point's error and prints nothing for this one.
      writeSync(2, fatalText(error));
      process.reallyExit(Number(globalThis.process.exitCode ?? 1));
    }
  }

  return {
    runMain(run) {
      mainFailed = true;
      // Not caught: V8 would forget where it was thrown.
      run();
      mainFailed = false;
    },
  };
}

/** As if it had been thrown where nothing of the program is on the stack. */
export function tellUncaught(error: unknown): void {
  const process = globalThis.process as unknown as NodeProcess;
  // The end of a worker's thread is for Node to tell the others.
  if (!isMainThread && process.listenerCount('uncaughtException') === 0)
    nativeSetImmediate(() => {
      throw error;
    });
  else if (!process._fatalException(error, false)) {
    writeSync(2, fatalText(error));
    process.reallyExit(Number(globalThis.process.exitCode ?? 1));
  }
}

/** What is printed of one that ends the process where Node does not do it. */
export function fatalText(error: unknown): string {
  return `${types.isNativeError(error) ? '' : 'Uncaught '}${inspect(error)}\n\nNode.js ${globalThis.process.version}\n`;
}
