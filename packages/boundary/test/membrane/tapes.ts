// A membrane over objects that stand for Node's, with a tape in memory: the same program is run on both sides of it.
import type { TapePlayer, TapeRecorder, TapeValue, PerformEntry } from '@turntable/core';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';
import { RecordedMembrane } from '../../src/membrane/recorded.ts';
import { ReplayedMembrane } from '../../src/membrane/replayed.ts';
import type { Statics } from '../../src/membrane/statics.ts';
import type { BaseMembrane, MembranePorts } from '../../src/membrane/membrane.ts';

export type TapeEvent =
  | { readonly what: 'outcome'; readonly source: number; readonly value: TapeValue }
  | { readonly what: 'entry'; readonly source: number; readonly id: number; readonly value: TapeValue };

/** What an ordinary process has under names. */
export function staticsOf(outside: Readonly<Record<string, object>>): Statics {
  const paths = new Map<object, string>();
  for (const [name, value] of Object.entries(outside)) {
    paths.set(value, name);
    if (typeof value === 'function' && Object.hasOwn(value, 'prototype'))
      paths.set((value as unknown as { prototype: object }).prototype, `${name}.prototype`);
  }
  const neutral = new Map<object, string>();
  for (const name of ['Object', 'Function', 'Array', 'Error', 'TypeError', 'Map', 'Set', 'Promise', 'Date', 'Symbol']) {
    const type = (globalThis as unknown as Record<string, { prototype: object }>)[name] as { prototype: object };
    neutral.set(type, name);
    neutral.set(type.prototype, `${name}.prototype`);
    for (const key of Reflect.ownKeys(type.prototype)) {
      const value: unknown = Reflect.getOwnPropertyDescriptor(type.prototype, key)?.value;
      if (typeof value === 'function' && !neutral.has(value)) neutral.set(value, `${name}.prototype.${String(key)}`);
    }
  }
  const back = new Map<string, object>([...paths, ...neutral].map(([value, path]) => [path, value]));
  return {
    isNeutral: (value) => neutral.has(value),
    pathOf: (value) => paths.get(value),
    isAlias: () => false,
    neutralPathOf: (value) => neutral.get(value),
    at: (path) => back.get(path),
  };
}

/** In which context of asynchronous calls the program runs. */
export const contexts: { now: object | undefined } = { now: undefined };

const engine = createEngineView();
/** Whose code the program is. */
const HOME = { id: 1, ownContext: undefined };
const STORAGE = {};

const ports = (tape: MembranePorts['tape'], statics: Statics): MembranePorts => ({
  tape,
  statics,
  engine,
  promise() {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    return {
      promise,
      settle: (isFulfilled, value) => (isFulfilled ? resolve(value) : reject(value)),
      failing: () => {},
    };
  },
  settleable: () => {
    throw new Error('nothing goes on from a state here');
  },
  output: { isHandedOut: () => false, byProgram: (write) => write(), show() {} },
  context: () => contexts.now,
  isRejecting: () => false,
  isInMicrotask: () => false,
  runIn: (_, run) => run(),
  home: () => HOME,
  homeOf: () => HOME,
  dataOf: (context) => ({ home: HOME, entries: [[STORAGE, context]] }),
  cannotReplay() {},
});

export type Program = (membrane: BaseMembrane) => void;

class MembraneRecorder implements TapeRecorder {
  readonly isReplay = false;
  isResting: boolean;
  events: TapeEvent[] = [];

  constructor(isResting: boolean) {
    this.isResting = isResting;
  }

  attach(): void {}

  outcome(source: number, value: TapeValue): void {
    this.events.push({ what: 'outcome', source, value: structuredClone(value) });
  }

  entry(source: number, id: number, value: TapeValue): void {
    this.events.push({ what: 'entry', source, id, value: structuredClone(value) });
  }
}

export function record(statics: Statics, program: Program, outside: () => void = () => {}): TapeEvent[] {
  const tape = new MembraneRecorder(false);
  program(new RecordedMembrane(ports(tape, statics)));
  outside();
  return tape.events;
}

export interface Later {
  /** Numbers at the cut, and what they are of. */
  readonly counts: readonly number[];
  readonly exports: readonly (readonly [number: number, type: string])[];
  readonly symbols: readonly symbol[];
  /** Behind it. */
  readonly events: readonly TapeEvent[];
}

/** Two halves of a run with a cut between them. `isResting`: the first is not noted. */
export function recordLater(isResting: boolean, first: Program, second: () => void): Later {
  const tape = new MembraneRecorder(isResting);
  const membrane = new RecordedMembrane(ports(tape, staticsOf({})));
  first(membrane);
  tape.isResting = false;
  tape.events = [];
  membrane.forget();
  const { counts, exports, symbols } = membrane.read(() => true).state;
  second();
  return {
    counts,
    exports: exports.map(([number, inside]) => [number, Object.prototype.toString.call(inside)]),
    symbols,
    events: tape.events,
  };
}

export class Diverged extends Error {}

/** Answers how many events were not taken. */
export function replay(statics: Statics, events: readonly TapeEvent[], program: Program): number {
  let at = 0;
  const performers = new Map<number, PerformEntry>();
  const tape: TapePlayer = {
    isReplay: true,
    outcome(source) {
      const next = events[at];
      if (next?.what !== 'outcome' || next.source !== source) throw new Diverged(`expected ${JSON.stringify(next)}`);
      at++;
      return next.value;
    },
    peek(source) {
      const next = events[at];
      return next?.what === 'outcome' && next.source === source ? next.value : undefined;
    },
    on: (source, perform) => void performers.set(source, perform),
    pass: () => undefined,
    wake() {},
    diverge(expected, actual) {
      throw new Diverged(`expected that ${expected}; ${actual}`);
    },
  };
  const membrane = new ReplayedMembrane(ports({ ...tape, attach() {} }, statics));
  program(membrane);
  for (let next = events[at]; next?.what === 'entry'; next = events[at]) {
    at++;
    if (performers.get(next.source)?.(next.id, next.value) === false) throw new Diverged('nothing to perform');
  }
  return events.length - at;
}
