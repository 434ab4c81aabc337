// Records and replays the events of `process`. Events that Node emits and no program code has caused (`beforeExit`,
// `exit`, signals) are entries of the trace: in a replay the program gets them from the tape, and never from Node.
// Uncaught exceptions and unhandled rejections are reported with the program's view of the error.
import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { internals, type Tape, type TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { exceptionLine, fatalErrorText, processLifetime, replaceFunctions, writeSync } from '@turntable/loader';
import type { FailureClassifier, UncaughtOrigin } from './failure-classifier.ts';
import { isParentEvent } from './parent-channel.ts';

type Emit = (this: NodeJS.Process, name: string, ...args: unknown[]) => boolean;
type RawListener = ((...args: unknown[]) => unknown) & { readonly listener?: (...args: never[]) => unknown };

/** Node's own values. The program sees recorded ones. */
const { kill, pid } = process;
const SIGNALS: ReadonlySet<string> = new Set(Object.keys(constants.signals));

export interface ProcessEventsDeps {
  /** Calls the program's listeners for an event of the host, as a host callback. */
  emitToProgram(name: string, args: readonly unknown[]): void;
  /** Whether a file belongs to Turntable. */
  isTurntableFile(file: string): boolean;
  /** Records changes of the host, such as the exit code, before the program can see them. */
  recordHostState(): void;
  /** Emits a warning that Node itself reports, in a replay as well. */
  emitWarningFromNode(emitEvent: () => boolean): boolean;
}

const FAILURE_EVENTS: ReadonlySet<string> = new Set(['uncaughtException', 'unhandledRejection']);
/** First element of an entry, in place of an event name: a host listener handles the failure event named next. */
const HANDLED_BY_HOST = 0;

/** Exit code of a main module whose top-level `await` never settles. */
const UNSETTLED_EXIT_CODE = 13;

/** Must run after the realm's host has replaced `process.emit`. @param failures sees a failure before any listener */
export function installProcessEvents(
  tape: Tape,
  failures: FailureClassifier,
  isMute: boolean,
  { emitToProgram, isTurntableFile, emitWarningFromNode, recordHostState }: ProcessEventsDeps,
): void {
  const { emit, exit } = process as unknown as { emit: Emit; exit: (code?: number) => never };
  /** Whether the program or an exception ends the process, which a replay repeats by itself. */
  let isProgramExit = false;
  /** The uncaught error; undefined once a listener has handled it. */
  let pendingFailure: { readonly error: unknown; readonly errorForProgram: unknown } | undefined;
  let isFatal = false;

  const isHostEvent = (name: unknown): name is string =>
    name === 'beforeExit' || (name === 'exit' && !isProgramExit) || SIGNALS.has(name as string);

  /** Whether a host listener, such as a test runner's, handles the failure. A replay has none, so this is recorded. */
  const isHandledByHost = (name: string): boolean => {
    if (tape.isReplay)
      return (
        tape.skipEntry(
          TRACE_SOURCES.process,
          (value) => isHostHandling(value) && (value as readonly TapeValue[])[1] === name,
        ) !== undefined
      );
    if (hostListenersOf(name).length === 0) return false;
    tape.recordEntry(TRACE_SOURCES.process, 0, [HANDLED_BY_HOST, name]);
    return true;
  };

  const { emit: recordedEmit } = {
    emit(this: NodeJS.Process, name: string, ...args: unknown[]): boolean {
      if (this !== process) return Reflect.apply(emit, this, [name, ...args]);
      switch (name) {
        case 'uncaughtExceptionMonitor':
          isProgramExit = true;
          pendingFailure = {
            error: args[0],
            errorForProgram: failures.errorForProgram(args[0], args[1] as UncaughtOrigin),
          };
          break;
        case 'unhandledRejection':
          args = failures.rejectionForProgram(args[0], args[1] as object);
          break;
        case 'beforeExit':
          isProgramExit = false;
          break;
      }
      if (isHostEvent(name)) {
        if (tape.isReplay) return emitToHostListeners(name, args);
        if (name === 'beforeExit' && processLifetime.isExitDeferred) return true;
        recordHostState();
        // Without the entry, a replay would not know that the main module never settles.
        const shouldRecord =
          programListenersOf(name).length > 0 || (name === 'exit' && args[0] === UNSETTLED_EXIT_CODE);
        if (shouldRecord) tape.recordEntry(TRACE_SOURCES.process, 0, [name, ...args] as TapeValue);
      }
      if (isParentEvent(name, isTurntableFile) && programListenersOf(name).length > 0) {
        emitToProgram(name, args);
        for (const listener of hostListenersOf(name)) Reflect.apply(listener, process, args);
        return true;
      }
      const wasHandledByHost = FAILURE_EVENTS.has(name) && isHandledByHost(name);
      if (name === 'uncaughtExceptionMonitor' || name === 'uncaughtException')
        if (pendingFailure !== undefined && pendingFailure.error === args[0]) args[0] = pendingFailure.errorForProgram;
      let hasListener;
      try {
        const emitEvent = (): boolean => Reflect.apply(emit, this, [name, ...args]);
        hasListener = (name === 'warning' ? emitWarningFromNode(emitEvent) : emitEvent()) || wasHandledByHost;
      } catch (error) {
        failures.noteListenerError(error);
        throw error;
      }
      if (name === 'uncaughtException') {
        isFatal = !hasListener;
        if (hasListener) pendingFailure = undefined;
      }
      // Node prints the error after all listeners, when the process ends; a replaying process continues.
      if (name === 'exit' && isFatal && tape.isReplay && isMainThread && !isMute)
        writeSync(
          2,
          `${exceptionLine(pendingFailure?.errorForProgram) ?? ''}${fatalErrorText(pendingFailure?.errorForProgram)}`,
        );
      return hasListener;
    },
  };
  Object.defineProperty(process, 'emit', {
    value: recordedEmit,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  replaceFunctions(process, {
    exit(...code: [number]): never {
      isProgramExit = true;
      // Node distinguishes a missing argument from `undefined`.
      return Reflect.apply(exit, process, code);
    },
  });
  if (tape.isReplay)
    tape.setPerformer(TRACE_SOURCES.process, (_, value) => {
      if (isHostHandling(value)) return false;
      const [name, ...args] = value as readonly [string, ...unknown[]];
      // In the recorded run, Node has set the exit code of a main module that never settles.
      if (name === 'exit' && args[0] !== 0) process.exitCode ??= args[0] as number;
      if (name === 'exit' && args[0] === UNSETTLED_EXIT_CODE && isMainThread && !isMute)
        writeSync(2, processLifetime.unsettledWarning() ?? '');
      if (name === 'exit') duringExit(() => emitToProgramListeners(name, args));
      else emitToProgramListeners(name, args);
      return true;
    });
}

function isHostHandling(value: TapeValue): boolean {
  return Array.isArray(value) && value[0] === HANDLED_BY_HOST;
}

/** Runs exit listeners and drops their ticks, as Node does when it exits. Ticks of the replay process still run. */
function duringExit(run: () => void): void {
  const state = process as { _exiting?: boolean | undefined };
  const previous = state._exiting;
  state._exiting = true;
  try {
    run();
  } finally {
    state._exiting = previous;
  }
}

/** Returns the program's listeners, in their wrappers for `once`. */
function programListenersOf(name: string): RawListener[] {
  return (process.rawListeners(name as 'exit') as RawListener[]).filter(isProgramListener);
}

function hostListenersOf(name: string): RawListener[] {
  return (process.rawListeners(name as 'exit') as RawListener[]).filter((listener) => !isProgramListener(listener));
}

export function emitToProgramListeners(name: string, args: readonly unknown[]): void {
  for (const listener of programListenersOf(name)) Reflect.apply(listener, process, args);
}

function isProgramListener(listener: RawListener): boolean {
  return internals.isCapturable(listener.listener ?? listener);
}

function emitToHostListeners(name: string, args: readonly unknown[]): boolean {
  if (name === 'beforeExit') processLifetime.hasBeenIdle = true;
  const hostListeners = hostListenersOf(name);
  // Without host listeners, a signal has its default effect.
  if (SIGNALS.has(name) && hostListeners.length === 0) {
    process.removeAllListeners(name);
    Reflect.apply(kill, process, [pid, name]);
  }
  for (const listener of hostListeners) Reflect.apply(listener, process, args);
  if (name === 'beforeExit') processLifetime.afterListeners();
  return hostListeners.length > 0;
}
