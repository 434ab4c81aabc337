// A membrane over fake host objects, with a tape in memory, which records a program and replays it.
import type { TapePlayer, TapeRecorder, TapeValue, PerformEntry } from '@turntable/core';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';
import { RecordedMembrane } from '../../src/membrane/recorded-membrane.ts';
import { ReplayedMembrane } from '../../src/membrane/replayed-membrane.ts';
import type { Statics } from '../../src/membrane/static-objects.ts';
import type { BaseMembrane } from '../../src/membrane/base-membrane.ts';
import type { MembraneDeps } from '../../src/membrane/membrane-deps.ts';

export type TapeEvent =
  | { readonly kind: 'outcome'; readonly source: number; readonly value: TapeValue }
  | { readonly kind: 'entry'; readonly source: number; readonly id: number; readonly value: TapeValue };

/** Statics of a process with these host objects. */
export function staticsOf(hostObjects: Readonly<Record<string, object>>): Statics {
  const paths = new Map<object, string>();
  for (const [name, value] of Object.entries(hostObjects)) {
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
  const objectsByPath = new Map<string, object>([...paths, ...neutral].map(([value, path]) => [path, value]));
  return {
    isNeutral: (value) => neutral.has(value),
    pathOf: (value) => paths.get(value),
    isAlias: () => false,
    neutralPathOf: (value) => neutral.get(value),
    objectAt: (path) => objectsByPath.get(path),
  };
}

/** The asynchronous context in which the program runs. */
export const currentContext: { value: object | undefined } = { value: undefined };

const engine = createEngineView();
/** The home of the program's code. */
const PROGRAM_HOME = { id: 1, ownContext: undefined };
const STORAGE = {};

const createDeps = (tape: MembraneDeps['tape'], statics: Statics): MembraneDeps => ({
  tape,
  statics,
  engine,
  createPromise() {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    return {
      promise,
      settle: (isFulfilled, value) => (isFulfilled ? resolve(value) : reject(value)),
      noteRejection: () => {},
    };
  },
  settlerOf: () => {
    throw new Error('the fake membrane restores no state');
  },
  output: { noteHandedOut: () => false, duringProgramWrite: (_, write) => write(), show() {} },
  currentContext: () => currentContext.value,
  hasPendingRejections: () => false,
  isInMicrotask: () => false,
  isPackageCalling: () => false,
  packageExportOf: () => undefined,
  runInContext: (_, run) => run(),
  currentHome: () => PROGRAM_HOME,
  homeOf: () => PROGRAM_HOME,
  contextData: (context) => ({ home: PROGRAM_HOME, entries: [[STORAGE, context]] }),
  reportUnreplayable() {},
});

export type Program = (membrane: BaseMembrane) => void;

class MembraneRecorder implements TapeRecorder {
  readonly isReplay = false;
  isPaused: boolean;
  events: TapeEvent[] = [];

  constructor(isPaused: boolean) {
    this.isPaused = isPaused;
  }

  attach(): void {}
  noteOutput(): void {}

  recordOutcome(source: number, value: TapeValue): void {
    this.events.push({ kind: 'outcome', source, value: structuredClone(value) });
  }

  recordEntry(source: number, id: number, value: TapeValue): void {
    this.events.push({ kind: 'entry', source, id, value: structuredClone(value) });
  }
}

export function record(statics: Statics, program: Program, driveHost: () => void = () => {}): TapeEvent[] {
  const tape = new MembraneRecorder(false);
  program(new RecordedMembrane(createDeps(tape, statics)));
  driveHost();
  return tape.events;
}

export interface CutRecording {
  /** Numbers assigned at the cut, and their objects. */
  readonly counts: readonly number[];
  readonly exports: readonly (readonly [number: number, type: string])[];
  readonly symbols: readonly symbol[];
  /** Events after the cut. */
  readonly events: readonly TapeEvent[];
}

/** Records two halves of a run with a cut between them. `isPaused`: the tape is paused during the first half. */
export function recordWithCut(isPaused: boolean, runFirstHalf: Program, runSecondHalf: () => void): CutRecording {
  const tape = new MembraneRecorder(isPaused);
  const membrane = new RecordedMembrane(createDeps(tape, staticsOf({})));
  runFirstHalf(membrane);
  tape.isPaused = false;
  tape.events = [];
  membrane.forgetPredictions();
  const { counts, exports, symbols } = membrane.capture(() => true).state;
  runSecondHalf();
  return {
    counts,
    exports: exports.map(([number, inside]) => [number, Object.prototype.toString.call(inside)]),
    symbols,
    events: tape.events,
  };
}

export class DivergenceError extends Error {}

/** Returns the number of events that the replay has not taken. */
export function replay(statics: Statics, events: readonly TapeEvent[], program: Program): number {
  let eventIndex = 0;
  const performersBySource = new Map<number, PerformEntry>();
  const tape: TapePlayer = {
    isReplay: true,
    outcome(source) {
      const event = events[eventIndex];
      if (event?.kind !== 'outcome' || event.source !== source)
        throw new DivergenceError(`expected ${JSON.stringify(event)}`);
      eventIndex++;
      return event.value;
    },
    peek(source) {
      const event = events[eventIndex];
      return event?.kind === 'outcome' && event.source === source ? event.value : undefined;
    },
    setPerformer: (source, perform) => void performersBySource.set(source, perform),
    skipEntry: () => undefined,
    wake() {},
    diverge(expected, actual) {
      throw new DivergenceError(`expected that ${expected}; ${actual}`);
    },
  };
  const membrane = new ReplayedMembrane(createDeps({ ...tape, attach() {}, noteOutput() {} }, statics));
  program(membrane);
  for (let event = events[eventIndex]; event?.kind === 'entry'; event = events[eventIndex]) {
    eventIndex++;
    if (performersBySource.get(event.source)?.(event.id, event.value) === false)
      throw new DivergenceError('nothing to perform');
  }
  return events.length - eventIndex;
}
