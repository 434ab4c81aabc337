// The location, source line and caret that Node prints above the stack of an error that ends the process. V8's location
// is in emitted code. So when all handlers have declined the error, every file gets a source map with the original
// positions (provided-maps.ts).
import { inspect, types } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import type { StackMapping } from '@turntable/core';
import { writeSync } from '../files.ts';
import { exceptionLine, setRecordedSource } from './exception-line.ts';
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
  setRecordedSource((file) => code.recordedSources?.sourceOf(file));
  let hasMainFailed = false;

  process._fatalException = function (error, fromPromise) {
    const isMainFailure = hasMainFailed;
    hasMainFailed = false;
    const handle = (): boolean => Reflect.apply(nativeHandler, this, [error, fromPromise]) as boolean;
    // The only promise whose rejection reaches this handler is that of the entry point.
    nodeQueueState.hasMainFailed = isMainFailure;
    const isHandled = fromPromise ? handle() : surviveDeadDevice(error, handle);
    nodeQueueState.hasMainFailed = false;
    if (isHandled && isMainFailure) runPendingTicks();
    // A worker's error is printed by its parent.
    if (!isHandled && isMainThread) {
      const line = exceptionLine(error);
      if (line !== undefined) writeSync(2, line);
      provideMaps(code.running, mapping);
    }
    return isHandled;
  };

  /** An uncaught `DeadDeviceError` does not end the process: Node cleans up as if the program had caught it. */
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

  /**
   * Runs the ticks that are pending when the entry point has failed. It runs in a tick here, and a failed tick would
   * delay the other ticks until after the timers.
   */
  function runPendingTicks(): void {
    try {
      process._tickCallback();
    } catch (error) {
      if (process._fatalException(error, false)) return;
      // This runs in Node's handler, which has survived the entry point's error and would print nothing for this one.
      writeSync(2, fatalErrorText(error));
      process.reallyExit(Number(globalThis.process.exitCode ?? 1));
    }
  }

  return {
    runMain(run) {
      hasMainFailed = true;
      // Not caught, because V8 would lose the location.
      run();
      hasMainFailed = false;
    },
  };
}

/** Reports an error as if it had been thrown with no code of the program on the stack. */
export function reportUncaught(error: unknown): void {
  const process = globalThis.process as unknown as NodeProcess;
  // Node must report the end of a worker to the other threads.
  if (!isMainThread && process.listenerCount('uncaughtException') === 0)
    nativeSetImmediate(() => {
      throw error;
    });
  else if (!process._fatalException(error, false)) {
    writeSync(2, fatalErrorText(error));
    process.reallyExit(Number(globalThis.process.exitCode ?? 1));
  }
}

/** The text for an error that ends the process, where Node does not print it. */
export function fatalErrorText(error: unknown): string {
  return `${types.isNativeError(error) ? '' : 'Uncaught '}${inspect(error)}\n\nNode.js ${globalThis.process.version}\n`;
}
