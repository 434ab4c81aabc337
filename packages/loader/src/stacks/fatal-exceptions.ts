// What Node prints above the stack of an error that ends the process: file, line and a caret, taken from where V8 says it was thrown,
// which is emitted code. So when all handlers have declined, and not before, every file gets a source map that answers with our own
// positions (provided-maps.ts).
import { inspect, types } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import type { StackMapping } from '@turntable/core';
import { writeSync } from '../files.ts';
import { exceptionLine } from './exception-line.ts';
import type { CodeLoader } from '../code/code-loader.ts';
import { DeadDeviceError, reportDeadDevice } from '../realm/dead-device-error.ts';
import type { MainRunner } from '../modules/shells.ts';
import { nodeQueueState } from '../realm/node-host.ts';
import { provideMaps } from '../source-maps/provided-maps.ts';

interface NodeProcess {
  listenerCount(event: string): number;
  hasUncaughtExceptionCaptureCallback(): boolean;
  setUncaughtExceptionCaptureCallback(callback: ((error: Error) => void) | null): void;
  _fatalException: FatalExceptionHandler;
  _tickCallback(): void;
  reallyExit(code: number): never;
}
type FatalExceptionHandler = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

const nativeSetImmediate = setImmediate;

export function installFatalExceptions(code: CodeLoader, mapping: StackMapping): MainRunner {
  const process = globalThis.process as unknown as NodeProcess;
  const nativeHandler = process._fatalException;
  let hasMainFailed = false;

  process._fatalException = function (error, fromPromise) {
    const isMainFailure = hasMainFailed;
    hasMainFailed = false;
    const handle = (): boolean => Reflect.apply(nativeHandler, this, [error, fromPromise]) as boolean;
    // Of promises, only that of the entry point comes here.
    nodeQueueState.hasMainFailed = isMainFailure;
    const isHandled = fromPromise ? handle() : surviveDeadDevice(error, handle);
    nodeQueueState.hasMainFailed = false;
    if (isHandled && isMainFailure) runPendingTicks();
    // A worker's error is printed by whoever gets it.
    if (!isHandled && isMainThread) {
      const line = exceptionLine(error);
      if (line !== undefined) writeSync(2, line);
      provideMaps(code.running, mapping);
    }
    return isHandled;
  };

  /** Nobody dies of what stayed behind: Node clears up after it as if the program had caught it. */
  function surviveDeadDevice(error: unknown, handle: () => boolean): boolean {
    const hasUserHandler =
      process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (hasUserHandler || !(error instanceof DeadDeviceError)) return handle();
    process.setUncaughtExceptionCaptureCallback(reportDeadDevice);
    try {
      return handle();
    } finally {
      process.setUncaughtExceptionCaptureCallback(null);
    }
  }

  /** The entry point failed in a tick of ours, natively in none: those behind it are not to wait for the timers. */
  function runPendingTicks(): void {
    try {
      process._tickCallback();
    } catch (error) {
      if (process._fatalException(error, false)) return;
      // We are inside Node's handler, which has survived the entry point's error and prints nothing for this one.
      writeSync(2, fatalErrorText(error));
      process.reallyExit(Number(globalThis.process.exitCode ?? 1));
    }
  }

  return {
    runMain(run) {
      hasMainFailed = true;
      // Not caught: V8 would forget where it was thrown.
      run();
      hasMainFailed = false;
    },
  };
}

/** As if it had been thrown where nothing of the program is on the stack. */
export function reportUncaught(error: unknown): void {
  const process = globalThis.process as unknown as NodeProcess;
  // The end of a worker's thread is for Node to tell the others.
  if (!isMainThread && process.listenerCount('uncaughtException') === 0)
    nativeSetImmediate(() => {
      throw error;
    });
  else if (!process._fatalException(error, false)) {
    writeSync(2, fatalErrorText(error));
    process.reallyExit(Number(globalThis.process.exitCode ?? 1));
  }
}

/** What is printed of one that ends the process where Node does not do it. */
export function fatalErrorText(error: unknown): string {
  return `${types.isNativeError(error) ? '' : 'Uncaught '}${inspect(error)}\n\nNode.js ${globalThis.process.version}\n`;
}
