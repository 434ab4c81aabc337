// What Node tells the program of its process and no code of the program has caused: that nothing is left to do, that it ends, signals. To be
// recorded these are entries; in a run again the program hears of them when the tape says so, and never from Node.
import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { internals, type Tape, type TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { exceptionLine, fatalErrorText, processLifetime, replaceFunctions, writeSync } from '@turntable/loader';
import type { FailureClassifier, UncaughtOrigin } from './failure-classifier.ts';
import { isParentEvent } from './parent-channel.ts';

type Emit = (this: NodeJS.Process, name: string, ...args: unknown[]) => boolean;
type RawListener = ((...args: unknown[]) => unknown) & { readonly listener?: (...args: never[]) => unknown };

/** Node's own, and of this process: the program's are the recorded ones. */
const { kill, pid } = process;
const SIGNALS: ReadonlySet<string> = new Set(Object.keys(constants.signals));

export interface ProcessEventsDeps {
  /** Its listeners hear of what the outside says; noted. */
  emitToProgram(name: string, args: readonly unknown[]): void;
  /** Whether a file is Turntable's. */
  isTurntableFile(file: string): boolean;
  /** What Node says meanwhile by itself it says in a run again as well. */
  emitWarningFromNode(emitEvent: () => boolean): boolean;
}

/** What nobody has taken care of, as listeners hear of it. */
const FAILURE_EVENTS: ReadonlySet<string> = new Set(['uncaughtException', 'unhandledRejection']);
/** In the place of a name: the outside hears of a failure, which has the name behind that. */
const HANDLED_BY_HOST = 0;

/** Node ends with it what waits at its top level for what never comes. */
const UNSETTLED_EXIT_CODE = 13;

/** After the realm's host has put its own `emit` in place. `failures` are told of what nobody has caught, before anybody else. */
export function installProcessEvents(
  tape: Tape,
  failures: FailureClassifier,
  isMute: boolean,
  { emitToProgram, isTurntableFile, emitWarningFromNode }: ProcessEventsDeps,
): void {
  const { emit, exit } = process as unknown as { emit: Emit; exit: (code?: number) => never };
  /** The program ends the process itself, or an exception does: whoever runs it again sees that happen. */
  let isProgramExit = false;
  /** What nobody has caught, until somebody has taken it. */
  let pendingFailure: { readonly error: unknown; readonly errorForProgram: unknown } | undefined;
  let isFatal = false;

  const isHostEvent = (name: unknown): name is string =>
    name === 'beforeExit' || (name === 'exit' && !isProgramExit) || SIGNALS.has(name as string);

  /** Whether listeners that are none of the program's take care of it, and nothing ends with it: a runner of tests has some, and a run again has no runner. */
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
        // That it waits for what never comes nobody else would say in a run again.
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
      // Node would say it when all have heard, if the process ended then.
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
      // Node asks how many arguments there are.
      return Reflect.apply(exit, process, code);
    },
  });
  if (tape.isReplay)
    tape.setPerformer(TRACE_SOURCES.process, (_, value) => {
      if (isHostHandling(value)) return false;
      const [name, ...args] = value as readonly [string, ...unknown[]];
      // Node has set it: what its program waits for will never come.
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

/** Ticks that listeners ask for are dropped. What this process has to do to end goes on behind that. */
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

/** The program's, as they were added. */
function programListenersOf(name: string): RawListener[] {
  return (process.rawListeners(name as 'exit') as RawListener[]).filter(isProgramListener);
}

function hostListenersOf(name: string): RawListener[] {
  return (process.rawListeners(name as 'exit') as RawListener[]).filter((listener) => !isProgramListener(listener));
}

/** Whoever of the program's listens hears of it. */
export function emitToProgramListeners(name: string, args: readonly unknown[]): void {
  for (const listener of programListenersOf(name)) Reflect.apply(listener, process, args);
}

function isProgramListener(listener: RawListener): boolean {
  return internals.isCapturable(listener.listener ?? listener);
}

/** Node says it to others only. */
function emitToHostListeners(name: string, args: readonly unknown[]): boolean {
  if (name === 'beforeExit') processLifetime.hasBeenIdle = true;
  const hostListeners = hostListenersOf(name);
  // Where nobody else listens the signal does what it does to any process.
  if (SIGNALS.has(name) && hostListeners.length === 0) {
    process.removeAllListeners(name);
    Reflect.apply(kill, process, [pid, name]);
  }
  for (const listener of hostListeners) Reflect.apply(listener, process, args);
  if (name === 'beforeExit') processLifetime.afterListeners();
  return hostListeners.length > 0;
}
