// The leaf inputs of a thread's program on their way to a tape or from one: what it asks the outside and is answered at once. Everything here
// is put in place before the program is loaded, and only if there is a tape: a program that is not recorded runs on Node's own.
import { type ChangedTexts, type StaysNative, writeSync } from '@turntable/loader';
import { askingBy, type Asking } from './asking.ts';
import { followTexts } from './changed-texts.ts';
import { Failures } from './failures.ts';
import { placeClocks } from './clocks.ts';
import { followCollector, type CollectorState } from './collector.ts';
import { interceptInputs } from './interception.ts';
import { placeMachine, type Start } from './machine.ts';
import { followNativeFiles } from './native-files.ts';
import { followNativePromises } from './native-promises.ts';
import { followNodeChannels } from './node-channels.ts';
import { patchedMethods } from './patched-classes.ts';
import { showParentChannel } from './parent-channel.ts';
import { hear, placeProcessEvents } from './process-events.ts';
import { continueRandom, randomState, type RandomState } from './random.ts';
import { placeRandomness } from './randomness.ts';
import { fillBuffers } from './unfilled.ts';
import { noteUnreplayable } from './unreplayable.ts';
import { followWarnings } from './warnings.ts';
import { placeMembrane, type AroundParts, type Surroundings } from '../membrane/place.ts';
import { ReplayedMembrane } from '../membrane/replayed.ts';
import type { Held, MembraneState } from '../membrane/membrane-state.ts';
import type { CallInterceptor, Realm, Tape } from '@turntable/core';
import type { Devices } from '../devices.ts';
import { followTimers } from '../timers/taped.ts';
import type { ParkedTimers } from '../timers/parked.ts';
import type { Timers } from '../timers/timers.ts';
import type { AsyncContexts } from '../realm/async-context.ts';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

/** Of a program that is recorded, with its state: what decides how the inputs go on. */
export interface InputsState {
  readonly start: Start;
  readonly random: RandomState;
  /** Of the timer that was made last. */
  readonly timers: number;
  /** Native promises that were waited for. */
  readonly promises: number;
  readonly collector: CollectorState;
}

export interface Inputs {
  /** The program was begun by the process that was recorded. */
  readonly goesOn: boolean;
  readonly around: Surroundings;
  /** Once the program's loader is in place. */
  placeAround(parts: Omit<AroundParts, 'hears'>): void;
  readonly failures: Failures;
  readonly found: Asking['found'];
  readonly texts: ChangedTexts;
  readonly staysNative: StaysNative;
  read(): InputsState;
  write(state: InputsState): void;
  /** A snapshot begins, whatever becomes of it: what is known of the outside is not known to who goes on from there. */
  forgetBeyond(): void;
  /** Where the membrane stands then. */
  readBeyond(isOfBase: (home: object) => boolean): ReturnType<Surroundings['membrane']['read']>;
  /** Answers promises that the trace will settle. */
  writeBeyond(state: MembraneState, others: readonly (readonly [home: object, held: Held])[]): ReadonlySet<object>;
  /** In a replay: intercepts all calls between the program and its inputs, except those of the tape. */
  intercept(interceptor: CallInterceptor, devices: Devices): void;
  /** What the program has come by that cannot be run again, by the names it has for programmers. */
  unreplayable(): readonly string[];
}

/** What a program that is recorded or run again needs to begin with. */
export interface Taped {
  readonly tape: Tape;
  /** Once, before there are any: where timers wait that Node does not fire. */
  followTimers(): ParkedTimers | undefined;
  /** Once the realm is made and nothing of the program is loaded. */
  place(parts: InputParts): Inputs;
}

export interface InputParts {
  readonly realm: Realm;
  readonly timers: Timers;
  readonly contexts: AsyncContexts;
  readonly lazyGlobals: LazyGlobals;
}

/** `stateComes`: a run again begins with a snapshot. */
export function tapedBy(tape: Tape, goesOn: boolean, stateComes: boolean): Taped {
  return {
    tape,
    followTimers: () => followTimers(tape),
    place: (parts) => {
      const inputs = placeInputs(tape, goesOn, parts);
      const { membrane } = inputs.around;
      if (stateComes && membrane instanceof ReplayedMembrane) membrane.hold();
      return inputs;
    },
  };
}

function placeInputs(tape: Tape, goesOn: boolean, parts: InputParts): Inputs {
  const { realm, timers } = parts;
  const reached = new Set<string>();
  const cannotReplay = (what: string): void => void reached.add(what);
  const placed: { around?: Surroundings } = {};
  const asking = askingBy(
    tape,
    cannotReplay,
    () => placed.around?.callers.isOutside() === true,
    () => placed.around?.callers.isForeign() === true,
    () => placed.around?.callers.toolsAreLoaded === true,
  );
  // A run again says what the recorded one said, unless it is told not to, by an environment that it has until now.
  const isMute = tape.isReplay && process.env['TURNTABLE_CONSOLE'] === 'mute';
  const machine = placeMachine(asking, !goesOn);
  placeRandomness(asking, !goesOn);
  fillBuffers();
  placeClocks(asking);
  const failures = new Failures({
    uncaught: (error, thrower) => placed.around?.membrane.uncaught(error, thrower) ?? error,
    rejected: (reason, isOfProgram) => placed.around?.membrane.rejected(reason, isOfProgram) ?? reason,
    seen: (promise) => placed.around?.membrane.seen(promise) ?? promise,
  });
  placeProcessEvents(tape, failures, isMute, {
    tellProgram: (name, args) => void placed.around?.tellProgram?.(name, ...args),
    isOurs: (file) => placed.around?.callers.whoseFile(file) === 'ours',
    tellsItself: (tell) => placed.around?.callers.whileTelling(tell) ?? tell(),
  });
  noteUnreplayable(asking);
  followNodeChannels({ listen: (listener) => around.membrane.listen(listener), cannotReplay });
  const promises = followNativePromises(tape, realm);
  const collector = followCollector(tape, realm);
  // Last: what stands in the places of Node's is known by then.
  const around = placeMembrane({ tape, isMute, cannotReplay, ...parts });
  placed.around = around;
  followWarnings({
    isOutside: () => around.membrane.isOutside,
    isAlone: () => around.callers.isAlone(),
    isOurs: (file) => around.callers.whoseFile(file) === 'ours',
    ...around.warnings,
  });
  let isShown = false;
  let isOfProgram: (() => boolean) | undefined;
  const showParent = (): void => {
    if (isShown || isOfProgram === undefined || machine.start.hasParent !== true) return;
    isShown = true;
    showParentChannel({ asking, isOfProgram, shown: around.parent() });
  };
  return {
    goesOn,
    around,
    placeAround(parts) {
      around.placeAround({ ...parts, hears: hear });
      ({ isOfProgram } = parts);
      showParent();
    },
    failures,
    found: asking.found.bind(asking),
    texts: followTexts(tape),
    staysNative: followNativeFiles(tape),
    read: () => ({
      start: machine.start,
      random: randomState(),
      timers: timers.lastNumber,
      promises: promises.count,
      collector: collector.read(),
    }),
    write(state) {
      // A process of its own, unless it is the same run.
      if (goesOn) machine.beginAs(state.start);
      showParent();
      continueRandom(state.random);
      timers.lastNumber = state.timers;
      promises.count = state.promises;
      collector.write(state.collector);
    },
    forgetBeyond: () => around.membrane.forget(),
    readBeyond: (isOfBase) => around.membrane.read(isOfBase),
    writeBeyond(state, others) {
      const { membrane } = around;
      if (!(membrane instanceof ReplayedMembrane)) return new Set();
      membrane.write(state);
      for (const [home, held] of others) membrane.hand(home, held);
      return new Set(
        [state, ...others.map(([, held]) => held)].flatMap(({ pending }) => pending.map(([, each]) => each)),
      );
    },
    intercept: (interceptor, devices) => interceptInputs(interceptor, { membrane: around.membrane, promises, devices }),
    unreplayable() {
      for (const method of patchedMethods()) {
        const what = `${method}, which the program has replaced`;
        if (!tape.isReplay && !reached.has(what)) warnOf(method);
        cannotReplay(what);
      }
      return [...reached];
    },
  };
}

function warnOf(method: string): void {
  const code = 'TT_PATCHED';
  const text = `the program has replaced ${method}: Node's own objects call it, too, and that is not recorded, so that a replay may differ; put it on objects or classes of the program's`;
  // A process that is ending has no ticks any more, in which Node would say it.
  if ((process as { _exiting?: boolean })._exiting === true)
    writeSync(2, `(node:${process.pid}) [${code}] Warning: ${text}\n`);
  else process.emitWarning(text, { code });
}
