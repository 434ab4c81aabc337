// Random outsides, whose functions do what a seed says with whatever they are given, and random programs over them: what the program sees is seen again.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BaseMembrane } from '../../src/membrane/membrane.ts';
import { Diverged, record, recordLater, replay, staticsOf, type Later } from './tapes.ts';

type Draw = (below: number) => number;
type Fn = (...args: unknown[]) => unknown;

/** xorshift32 */
function drawing(seed: number): Draw {
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

/** Does something with what it knows; `isOurs` has no part in what it does. */
class Party {
  readonly #draw: Draw;
  readonly #known: unknown[];
  readonly #say: (text: string) => void;
  #depth = 0;

  constructor(draw: Draw, known: unknown[], say: (text: string) => void) {
    this.#draw = draw;
    this.#known = known;
    this.#say = say;
  }

  fn(): Fn {
    const act = (self: unknown, args: unknown[]): unknown => {
      this.learn(self);
      for (const each of args) this.learn(each);
      if (this.#depth < 3) {
        this.#depth++;
        try {
          for (let n = this.#draw(3); n > 0; n--) this.act();
        } finally {
          this.#depth--;
        }
      }
      if (this.#draw(8) === 0) throw this.value();
      return this.value();
    };
    return function (this: unknown, ...args: unknown[]) {
      return act(this, args);
    };
  }

  value(): unknown {
    switch (this.#draw(9)) {
      case 0:
        return this.#draw(5);
      case 1:
        return 'text';
      case 2:
        return [this.#draw(3), this.any()];
      case 3:
        return { a: this.#draw(3), b: this.any() };
      case 4:
        return Buffer.from([this.#draw(9)]);
      case 5:
        return Object.assign(new RangeError('of somebody'), { code: this.#draw(3) });
      case 6:
        return this.fn();
      case 7: {
        const thing = new Thing();
        thing['a'] = this.any();
        return thing;
      }
      default:
        return this.any();
    }
  }

  any(): unknown {
    return this.#known.length === 0 ? undefined : this.#known[this.#draw(this.#known.length)];
  }

  learn(value: unknown): void {
    if ((typeof value === 'object' || typeof value === 'function') && value !== null) {
      const at = this.#known.indexOf(value);
      this.#say(`${typeof value} ${at}`);
      if (at < 0 && this.#known.length < 40) this.#known.push(value);
    } else this.#say(String(value));
  }

  act(): void {
    const target = this.any() as Record<PropertyKey, unknown> | undefined;
    // These cross as what they are.
    if (target === undefined || target instanceof Error || target instanceof Uint8Array) return;
    const key = KEYS[this.#draw(KEYS.length)] as string;
    try {
      switch (this.#draw(9)) {
        case 0:
        case 1:
          return this.learn(target[key]);
        case 2:
          target[key] = this.value();
          return;
        case 3:
          return this.learn(key in target);
        case 4:
          return this.learn(Reflect.deleteProperty(target, key));
        case 5:
          return this.#say(
            Reflect.ownKeys(target)
              .map(String)
              .filter((name) => /^[abc]$/.test(name))
              .join(),
          );
        case 6:
          return this.learn(Reflect.getOwnPropertyDescriptor(target, key)?.value);
        default:
          if (typeof target !== 'function') return;
          return this.learn(Reflect.apply(target as unknown as Fn, this.any(), [this.value(), this.any()]));
      }
    } catch (error) {
      if (error instanceof Diverged) throw error;
      this.#say('caught');
      this.learn(error);
    }
  }
}

function run(seed: number): void {
  const outsideOf = (): { real: Record<string, Fn>; party: Party } => {
    const party = new Party(drawing(seed * 7 + 1), [], () => {});
    return { real: Object.fromEntries(['f', 'g', 'h'].map((name) => [name, party.fn()])), party };
  };
  const programOf = (real: Record<string, Fn>, said: string[]) => (membrane: BaseMembrane) => {
    const known: unknown[] = Object.values(real).map((fn) => membrane.handleOf(fn));
    const party = new Party(drawing(seed * 13 + 5), known, (text) => said.push(text));
    for (let n = 0; n < 30; n++) party.act();
  };
  const first: string[] = [];
  const there = outsideOf();
  const events = record(staticsOf(there.real), programOf(there.real, first), () => {
    for (let n = 0; n < 20; n++) there.party.act();
  });
  const second: string[] = [];
  const here = outsideOf();
  const left = replay(staticsOf(here.real), events, programOf(here.real, second));
  expect(second).toEqual(first);
  expect(left).toBe(0);
}

it('a program sees again what it has seen, whatever the outside does to it', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1 << 30 }), run), { numRuns: 300 });
});

/** What both sides have done before the cut, and do behind it, is the same whether or not the first half was noted. */
function runLater(seed: number): void {
  const later = (isResting: boolean): Later & { readonly said: readonly string[] } => {
    const said: string[] = [];
    const theirs = new Party(drawing(seed * 7 + 1), [], () => {});
    const outside = [theirs.fn(), theirs.fn(), theirs.fn()];
    const ours = new Party(drawing(seed * 13 + 5), [], (text) => said.push(text));
    const half = (): void => {
      for (let n = 0; n < 15; n++) {
        ours.act();
        theirs.act();
      }
    };
    const begin = (membrane: BaseMembrane): void => {
      const listen = membrane.listen((...given: unknown[]) => given.forEach((each) => ours.learn(each)));
      listen(...outside);
      half();
    };
    return { ...recordLater(isResting, begin, half), said };
  };
  // From one place: errors cross with their stacks.
  const [rested, noted] = [true, false].map(later) as [ReturnType<typeof later>, ReturnType<typeof later>];
  // What the outside has dropped is there until the collector comes.
  const had = ({ exports }: Later, other: Later): Later['exports'] =>
    exports.filter(([number]) => other.exports.some(([its]) => its === number));
  expect({ ...rested, exports: had(rested, noted) }).toEqual({ ...noted, exports: had(noted, rested) });
}

it('what is noted behind a cut, and the state at it, is the same if nothing was noted before', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 1 << 30 }), runLater), { numRuns: 300 });
});
