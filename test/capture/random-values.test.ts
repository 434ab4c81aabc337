// Random graphs of program values (instances with private fields, closures that share variables, suspended functions,
// proxies, weak collections, iterators …), captured between random calls. A copy has the same state, gives the same
// answers to the same calls, and has the same state afterwards. RANDOM_VALUES_RUNS and RANDOM_VALUES_SEED widen the
// search.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CaptureWorld } from './world.ts';

const SOURCE = readFileSync(new URL('fixtures/random-values.cjs', import.meta.url), 'utf8');
const RUNS = Number(process.env['RANDOM_VALUES_RUNS'] ?? 15);
const SEED = Number(process.env['RANDOM_VALUES_SEED'] ?? 31);

interface Exports {
  kinds: string[];
  make(kind: string, refs: readonly number[], n: number): void;
  call(index: number, n: number): string;
  drain(): string[];
}
type MakeCall = readonly [kind: number, refs: readonly number[], n: number];
type Call = readonly [index: number, n: number];

const makeCalls = fc.array(fc.tuple(fc.nat(99), fc.array(fc.nat(99), { minLength: 1, maxLength: 3 }), fc.nat(12)), {
  minLength: 4,
  maxLength: 24,
});
const calls = fc.array(fc.tuple(fc.nat(99), fc.nat(12)), { minLength: 1, maxLength: 20 });

function make(world: CaptureWorld, list: readonly MakeCall[]): void {
  const { kinds, make: makeOne } = world.exports as unknown as Exports;
  for (const [kind, refs, n] of list) makeOne(kinds[kind % kinds.length] as string, refs, n);
  world.settle();
}

function answers(world: CaptureWorld, list: readonly Call[]): string[] {
  const { call, drain } = world.exports as unknown as Exports;
  const results = list.flatMap(([index, n]) => {
    let answer: string;
    try {
      answer = call(index, n);
    } catch (error) {
      answer = String(error);
    }
    world.settle();
    return [answer, ...drain()];
  });
  return results;
}

it('random program values behave the same in a copy and reach the same state', () => {
  let resultCount = 0;
  fc.assert(
    fc.property(makeCalls, calls, calls, makeCalls, calls, (first, before, after, later, last) => {
      const original = CaptureWorld.run(SOURCE);
      make(original, first);
      answers(original, before);
      const copy = original.copy();
      expect(answers(copy, after)).toEqual(answers(original, after));
      expect(copy.hash).toBe(original.hash);
      const secondCopy = copy.copy();
      for (const world of [original, copy, secondCopy]) make(world, later);
      const expected = answers(original, last);
      resultCount += expected.length;
      expect(answers(copy, last)).toEqual(expected);
      expect(answers(secondCopy, last)).toEqual(expected);
      expect([copy.hash, secondCopy.hash]).toEqual([original.hash, original.hash]);
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: process.env['RANDOM_VALUES_SHRINK'] === 'no' },
  );
  expect(resultCount).toBeGreaterThan(RUNS);
});
