// The leaf inputs of a thread's program on their way to a tape or from one: what it asks the outside and is answered at once. Everything here
// is put in place before the program is loaded, and only if there is a tape: a program that is not recorded runs on Node's own.
import { askingBy } from './asking.ts';
import { placeClocks } from './clocks.ts';
import { followCollector, type CollectorState } from './collector.ts';
import { placeMachine } from './machine.ts';
import { muteIfWanted } from './muted.ts';
import { followNativePromises } from './native-promises.ts';
import { placeProcessEvents } from './process-events.ts';
import { continueRandom, randomState, type RandomState } from './random.ts';
import { placeRandomness } from './randomness.ts';
import { noteUnreplayable } from './unreplayable.ts';
import type { Realm, Tape } from '@turntable/core';
import { followTimers } from '../timers/taped.ts';
import type { ParkedTimers } from '../timers/parked.ts';
import type { Timers } from '../timers/timers.ts';

/** Of a program that is recorded, with its state: what decides how the inputs go on. */
export interface InputsState {
  readonly random: RandomState;
  /** Of the timer that was made last. */
  readonly timers: number;
  /** Native promises that were waited for. */
  readonly promises: number;
  readonly collector: CollectorState;
}

export interface Inputs {
  read(): InputsState;
  write(state: InputsState): void;
  /** What the program has come by that cannot be run again, by the names it has for programmers. */
  unreplayable(): readonly string[];
}

/** What a program that is recorded or run again needs to begin with. */
export interface Taped {
  readonly tape: Tape;
  /** Once, before there are any: where timers wait that Node does not fire. */
  followTimers(): ParkedTimers | undefined;
  /** Once the realm is made and nothing of the program is loaded. */
  place(realm: Realm, timers: Timers): Inputs;
}

export function tapedBy(tape: Tape): Taped {
  return { tape, followTimers: () => followTimers(tape), place: (realm, timers) => placeInputs(tape, realm, timers) };
}

function placeInputs(tape: Tape, realm: Realm, timers: Timers): Inputs {
  const reached = new Set<string>();
  const asking = askingBy(tape, (what) => void reached.add(what));
  muteIfWanted(asking);
  placeMachine(asking);
  placeRandomness(asking);
  placeClocks(asking);
  placeProcessEvents(tape);
  noteUnreplayable(asking);
  const promises = followNativePromises(tape, realm);
  const collector = followCollector(tape, realm);
  return {
    read: () => ({
      random: randomState(),
      timers: timers.lastNumber,
      promises: promises.count,
      collector: collector.read(),
    }),
    write(state) {
      continueRandom(state.random);
      timers.lastNumber = state.timers;
      promises.count = state.promises;
      collector.write(state.collector);
    },
    unreplayable: () => [...reached],
  };
}
