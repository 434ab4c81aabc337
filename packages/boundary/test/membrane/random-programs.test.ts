// Random hosts, whose functions act on their arguments as a seed decides, and random programs that use them: the
// replayed program must see the same values.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BaseMembrane } from '../../src/membrane/base-membrane.ts';
import { DivergenceError, record, recordWithCut, replay, staticsOf, type CutRecording } from './tapes.ts';

type RandomSource = (below: number) => number;
type Fn = (...args: unknown[]) => unknown;

/** xorshift32 */
function createRandom(seed: number): RandomSource {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const KEYS = ['a', 'b', 'c', Symbol.asyncIterator, Symbol.for('x')] as const;

class Thing {
  [key: PropertyKey]: unknown;
}

/** Performs random actions on the values it knows. `isOurs` does not influence them. */
class RandomActor {
  readonly #random: RandomSource;
  readonly #knownValues: unknown[];
  readonly #log: (text: string) => void;
  #depth = 0;

  constructor(random: RandomSource, knownValues: unknown[], log: (text: string) => void) {
    this.#random = random;
    this.#knownValues = knownValues;
    this.#log = log;
  }

  createFunction(): Fn {
    const respond = (self: unknown, args: unknown[]): unknown => {
      this.learn(self);
      for (const each of args) this.learn(each);
      if (this.#depth < 3) {
        this.#depth++;
        try {
          for (let n = this.#random(3); n > 0; n--) this.doSomething();
        } finally {
          this.#depth--;
        }
      }
      if (this.#random(8) === 0) throw this.randomValue();
      return this.randomValue();
    };
    return function (this: unknown, ...args: unknown[]) {
      return respond(this, args);
    };
  }

  randomValue(): unknown {
    switch (this.#random(9)) {
      case 0:
        return this.#random(5);
      case 1:
        return 'text';
      case 2:
        return [this.#random(3), this.randomKnown()];
      case 3:
        return { a: this.#random(3), b: this.randomKnown() };
      case 4:
        return Buffer.from([this.#random(9)]);
      case 5:
        return Object.assign(new RangeError('of the program'), { code: this.#random(3) });
      case 6:
        return this.createFunction();
      case 7: {
        const thing = new Thing();
        thing['a'] = this.randomKnown();
        return thing;
      }
      default:
        return this.randomKnown();
    }
  }

  randomKnown(): unknown {
    return this.#knownValues.length === 0 ? undefined : this.#knownValues[this.#random(this.#knownValues.length)];
  }

  learn(value: unknown): void {
    if ((typeof value === 'object' || typeof value === 'function') && value !== null) {
      const at = this.#knownValues.indexOf(value);
      this.#log(`${typeof value} ${at}`);
      if (at < 0 && this.#knownValues.length < 40) this.#knownValues.push(value);
    } else this.#log(String(value));
  }

  doSomething(): void {
    const target = this.randomKnown() as Record<PropertyKey, unknown> | undefined;
    // These cross without a view.
    if (target === undefined || target instanceof Error || target instanceof Uint8Array) return;
    const key = KEYS[this.#random(KEYS.length)] as string;
    try {
      switch (this.#random(9)) {
        case 0:
        case 1:
          return this.learn(target[key]);
        case 2:
          target[key] = this.randomValue();
          return;
        case 3:
          return this.learn(key in target);
        case 4:
          return this.learn(Reflect.deleteProperty(target, key));
        case 5:
          return this.#log(
            Reflect.ownKeys(target)
              .map(String)
              .filter((name) => /^[abc]$/.test(name))
              .join(),
          );
        case 6:
          return this.learn(Reflect.getOwnPropertyDescriptor(target, key)?.value);
        default:
          if (typeof target !== 'function') return;
          return this.learn(
            Reflect.apply(target as unknown as Fn, this.randomKnown(), [this.randomValue(), this.randomKnown()]),
          );
      }
    } catch (error) {
      if (error instanceof DivergenceError) throw error;
      this.#log('caught');
      this.learn(error);
    }
  }
}

function runBothWays(seed: number): void {
  const createHost = (): { hostFunctions: Record<string, Fn>; actor: RandomActor } => {
    const actor = new RandomActor(createRandom(seed * 7 + 1), [], () => {});
    return { hostFunctions: Object.fromEntries(['f', 'g', 'h'].map((name) => [name, actor.createFunction()])), actor };
  };
  const createProgram = (hostFunctions: Record<string, Fn>, log: string[]) => (membrane: BaseMembrane) => {
    const known: unknown[] = Object.values(hostFunctions).map((fn) => membrane.proxyFor(fn));
    const actor = new RandomActor(createRandom(seed * 13 + 5), known, (text) => log.push(text));
    for (let n = 0; n < 30; n++) actor.doSomething();
  };
  const first: string[] = [];
  const recordedHost = createHost();
  const events = record(staticsOf(recordedHost.hostFunctions), createProgram(recordedHost.hostFunctions, first), () => {
    for (let n = 0; n < 20; n++) recordedHost.actor.doSomething();
  });
  const second: string[] = [];
  const replayedHost = createHost();
  const left = replay(staticsOf(replayedHost.hostFunctions), events, createProgram(replayedHost.hostFunctions, second));
  expect(second).toEqual(first);
  expect(left).toBe(0);
}

it('a replayed program sees the same values, whatever the host does', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1 << 30 }), runBothWays), { numRuns: 300 });
});

/** Events and state from the cut on must not depend on whether the first half was recorded. */
function runWithCut(seed: number): void {
  const recordRun = (isPaused: boolean): CutRecording & { readonly log: readonly string[] } => {
    const log: string[] = [];
    const hostActor = new RandomActor(createRandom(seed * 7 + 1), [], () => {});
    const outside = [hostActor.createFunction(), hostActor.createFunction(), hostActor.createFunction()];
    const programActor = new RandomActor(createRandom(seed * 13 + 5), [], (text) => log.push(text));
    const runHalf = (): void => {
      for (let n = 0; n < 15; n++) {
        programActor.doSomething();
        hostActor.doSomething();
      }
    };
    const start = (membrane: BaseMembrane): void => {
      const listen = membrane.wrapListener((...given: unknown[]) => given.forEach((each) => programActor.learn(each)));
      listen(...outside);
      runHalf();
    };
    return { ...recordWithCut(isPaused, start, runHalf), log };
  };
  // One call site, since errors cross with their stacks.
  const [unrecordedFirst, recordedFirst] = [true, false].map(recordRun) as [
    ReturnType<typeof recordRun>,
    ReturnType<typeof recordRun>,
  ];
  // Exports that the host has dropped stay until they are collected.
  const commonExports = ({ exports }: CutRecording, other: CutRecording): CutRecording['exports'] =>
    exports.filter(([number]) => other.exports.some(([otherNumber]) => otherNumber === number));
  expect({ ...unrecordedFirst, exports: commonExports(unrecordedFirst, recordedFirst) }).toEqual({
    ...recordedFirst,
    exports: commonExports(recordedFirst, unrecordedFirst),
  });
}

it('events after a cut and the state at it do not depend on events before', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1 << 30 }), runWithCut), { numRuns: 300 });
});
