// What Node tells the program of its process and no code of the program has caused: that nothing is left to do, that it ends, signals. To be
// recorded these are entries; in a run again the program hears of them when the tape says so, and never from Node.
import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { internals, type Tape, type TapeValue } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { exceptionLine, fatalText, lifetime, standInAll, writeSync } from '@turntable/loader';
import type { Failures, Origin } from './failures.ts';
import { comesFromParent } from './parent-channel.ts';

type Emit = (this: NodeJS.Process, name: string, ...args: unknown[]) => boolean;
type Raw = ((...args: unknown[]) => unknown) & { readonly listener?: (...args: never[]) => unknown };

/** Node's own, and of this process: the program's are the recorded ones. */
const { kill, pid } = process;
const SIGNALS: ReadonlySet<string> = new Set(Object.keys(constants.signals));

export interface ProcessEventsPorts {
  /** Its listeners hear of what the outside says; noted. */
  tellProgram(name: string, args: readonly unknown[]): void;
  /** Whether a file is Turntable's. */
  isOurs(file: string): boolean;
  /** What Node says meanwhile by itself it says in a run again as well. */
  tellsItself(tell: () => boolean): boolean;
}

/** What nobody has taken care of, as listeners hear of it. */
const FAILURES: ReadonlySet<string> = new Set(['uncaughtException', 'unhandledRejection']);
/** In the place of a name: the outside hears of a failure, which has the name behind that. */
const HEARD = 0;

/** Node ends with it what waits at its top level for what never comes. */
const UNSETTLED = 13;

/** After the realm's host has put its own `emit` in place. `failures` are told of what nobody has caught, before anybody else. */
export function placeProcessEvents(
  tape: Tape,
  failures: Failures,
  isMute: boolean,
  { tellProgram, isOurs, tellsItself }: ProcessEventsPorts,
): void {
  const { emit, exit } = process as unknown as { emit: Emit; exit: (code?: number) => never };
  /** The program ends the process itself, or an exception does: whoever runs it again sees that happen. */
  let isItsOwn = false;
  /** What nobody has caught, until somebody has taken it. */
  let failing: { readonly error: unknown; readonly seen: unknown } | undefined;
  let isFatal = false;

  const isFromOutside = (name: unknown): name is string =>
    name === 'beforeExit' || (name === 'exit' && !isItsOwn) || SIGNALS.has(name as string);

  /** Whether listeners that are none of the program's take care of it, and nothing ends with it: a runner of tests has some, and a run again has no runner. */
  const hearOutside = (name: string): boolean => {
    if (tape.isReplay)
      return (
        tape.pass(
          SOURCES.process,
          (value) => isOutsideHearing(value) && (value as readonly TapeValue[])[1] === name,
        ) !== undefined
      );
    if (othersOf(name).length === 0) return false;
    tape.entry(SOURCES.process, 0, [HEARD, name]);
    return true;
  };

  const { emit: own } = {
    emit(this: NodeJS.Process, name: string, ...args: unknown[]): boolean {
      if (this !== process) return Reflect.apply(emit, this, [name, ...args]);
      switch (name) {
        case 'uncaughtExceptionMonitor':
          isItsOwn = true;
          failing = { error: args[0], seen: failures.toldOf(args[0], args[1] as Origin) };
          break;
        case 'unhandledRejection':
          args = failures.rejected(args[0], args[1] as object);
          break;
        case 'beforeExit':
          isItsOwn = false;
          break;
      }
      if (isFromOutside(name)) {
        if (tape.isReplay) return tellOthers(name, args);
        if (name === 'beforeExit' && lifetime.isHeldUp) return true;
        // That it waits for what never comes nobody else would say in a run again.
        const isTold = listenersOf(name).length > 0 || (name === 'exit' && args[0] === UNSETTLED);
        if (isTold) tape.entry(SOURCES.process, 0, [name, ...args] as TapeValue);
      }
      if (comesFromParent(name, isOurs) && listenersOf(name).length > 0) {
        tellProgram(name, args);
        for (const raw of othersOf(name)) Reflect.apply(raw, process, args);
        return true;
      }
      const isHeardOutside = FAILURES.has(name) && hearOutside(name);
      if (name === 'uncaughtExceptionMonitor' || name === 'uncaughtException')
        if (failing !== undefined && failing.error === args[0]) args[0] = failing.seen;
      let isHeard;
      try {
        const tell = (): boolean => Reflect.apply(emit, this, [name, ...args]);
        isHeard = (name === 'warning' ? tellsItself(tell) : tell()) || isHeardOutside;
      } catch (error) {
        failures.noteListener(error);
        throw error;
      }
      if (name === 'uncaughtException') {
        isFatal = !isHeard;
        if (isHeard) failing = undefined;
      }
      // Node would say it when all have heard, if the process ended then.
      if (name === 'exit' && isFatal && tape.isReplay && isMainThread && !isMute)
        writeSync(2, `${exceptionLine(failing?.seen) ?? ''}${fatalText(failing?.seen)}`);
      return isHeard;
    },
  };
  Object.defineProperty(process, 'emit', { value: own, writable: true, configurable: true, enumerable: false });
  standInAll(process, {
    exit(...code: [number]): never {
      isItsOwn = true;
      // Node asks how many arguments there are.
      return Reflect.apply(exit, process, code);
    },
  });
  if (tape.isReplay)
    tape.on(SOURCES.process, (_, value) => {
      if (isOutsideHearing(value)) return false;
      const [name, ...args] = value as readonly [string, ...unknown[]];
      // Node has set it: what its program waits for will never come.
      if (name === 'exit' && args[0] !== 0) process.exitCode ??= args[0] as number;
      if (name === 'exit' && args[0] === UNSETTLED && isMainThread && !isMute)
        writeSync(2, lifetime.unsettledText() ?? '');
      if (name === 'exit') whileExiting(() => hear(name, args));
      else hear(name, args);
      return true;
    });
}

function isOutsideHearing(value: TapeValue): boolean {
  return Array.isArray(value) && value[0] === HEARD;
}

/** Ticks that listeners ask for are dropped. What this process has to do to end goes on behind that. */
function whileExiting(tell: () => void): void {
  const state = process as { _exiting?: boolean | undefined };
  const before = state._exiting;
  state._exiting = true;
  try {
    tell();
  } finally {
    state._exiting = before;
  }
}

/** The program's, as they were added. */
function listenersOf(name: string): Raw[] {
  return (process.rawListeners(name as 'exit') as Raw[]).filter(isOfProgram);
}

function othersOf(name: string): Raw[] {
  return (process.rawListeners(name as 'exit') as Raw[]).filter((raw) => !isOfProgram(raw));
}

/** Whoever of the program's listens hears of it. */
export function hear(name: string, args: readonly unknown[]): void {
  for (const raw of listenersOf(name)) Reflect.apply(raw, process, args);
}

function isOfProgram(raw: Raw): boolean {
  return internals.isOurs(raw.listener ?? raw);
}

/** Node says it to others only. */
function tellOthers(name: string, args: readonly unknown[]): boolean {
  if (name === 'beforeExit') lifetime.hasRunOut = true;
  const others = othersOf(name);
  // Where nobody else listens the signal does what it does to any process.
  if (SIGNALS.has(name) && others.length === 0) {
    process.removeAllListeners(name);
    Reflect.apply(kill, process, [pid, name]);
  }
  for (const raw of others) Reflect.apply(raw, process, args);
  if (name === 'beforeExit') lifetime.listenersCalled();
  return others.length > 0;
}
