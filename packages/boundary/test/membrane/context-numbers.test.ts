// A context's number depends on its home and values only, not on which code shares the context or on collections.
import { ROOT_HOME, type ContextData, type HomeActor } from '@turntable/core';
import { expect, it } from 'vitest';
import { ContextNumbers } from '../../src/membrane/context-numbers.ts';

const ACTOR: HomeActor = { id: 7, ownContext: undefined };
const [FIRST, SECOND] = [{}, {}];

type Entries = ContextData['entries'];
const contextOf = (home: HomeActor, ...entries: Entries): object => ({ home, entries });
const createNumbers = (): ContextNumbers => new ContextNumbers((context) => context as ContextData);

it('all contexts of a home with the same values have one number', () => {
  const numbers = createNumbers();
  const store = {};
  const assign = (home: HomeActor, ...entries: Entries): number | undefined =>
    numbers.assign(contextOf(home, ...entries))?.number;
  expect([assign(ROOT_HOME), assign(ROOT_HOME)]).toEqual([undefined, undefined]);
  expect(numbers.numberOf(contextOf(ROOT_HOME))).toBe(0);
  expect([assign(ACTOR), assign(ACTOR)]).toEqual([1, undefined]);
  expect([assign(ROOT_HOME, [FIRST, store]), assign(ACTOR, [FIRST, store]), assign(ROOT_HOME, [FIRST, store])]).toEqual(
    [2, 3, undefined],
  );
  expect([assign(ROOT_HOME, [SECOND, store]), assign(ROOT_HOME, [FIRST, store], [SECOND, store])]).toEqual([4, 5]);
  expect([1, '1', 1n, 0, -0, null, Symbol.iterator].map((value) => assign(ACTOR, [FIRST, value]))).toEqual([
    6, 7, 8, 9, 10, 11, 12,
  ]);
  expect(assign(ACTOR, [FIRST, 1])).toBe(undefined);
  expect(assign(ACTOR, [FIRST, 1], [SECOND, '1'])).toBe(13);
  expect([numbers.numberOf(contextOf(ACTOR, [FIRST, '1'])), numbers.numberOf(contextOf(ACTOR, [FIRST, {}]))]).toEqual([
    7, 0,
  ]);
  expect(numbers.count).toBe(13);
});

it('the latest contexts with primitive values are found, also after a restore', () => {
  const contextAt = (i: number): object => contextOf(ACTOR, [FIRST, `request ${i}`]);
  const recordedNumbers = createNumbers();
  for (let i = 1; i <= 30; i++) recordedNumbers.assign(contextAt(i));
  // Half of the old contexts were collected, and the program has called the host in others since.
  recordedNumbers.assign(contextAt(2));
  const restoredNumbers = createNumbers();
  restoredNumbers.count = recordedNumbers.count;
  const surviving = [[31, 2], ...Array.from({ length: 30 }, (_, i) => [i + 1, i + 1])].filter(
    ([n = 0]) => n > 12 || n % 2 === 0,
  );
  for (const [number = 0, i = 0] of surviving) restoredNumbers.restore(number, contextAt(i));
  const numbersFrom = (numbers: ContextNumbers): (number | undefined)[] =>
    [2, 30, 15, 16, 3, 1, 2, 31].map((i) => numbers.assign(contextAt(i))?.number);
  expect(numbersFrom(recordedNumbers)).toEqual([undefined, undefined, 32, 33, 34, 35, undefined, 36]);
  const freshNumbers = createNumbers();
  for (let i = 1; i <= 30; i++) freshNumbers.assign(contextAt(i));
  freshNumbers.assign(contextAt(2));
  expect(numbersFrom(restoredNumbers)).toEqual(numbersFrom(freshNumbers));
  expect(restoredNumbers.count).toBe(recordedNumbers.count);
});
