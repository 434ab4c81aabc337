// Contexts are numbered by whose they are and what is stored in them: who shares one with whom, and what was collected when, makes no difference.
import { ROOT_HOME, type ContextData, type Home } from '@turntable/core';
import { expect, it } from 'vitest';
import { ContextNumbers } from '../../src/membrane/context-numbers.ts';

const ACTOR: Home = { id: 7, ownContext: undefined };
const [FIRST, SECOND] = [{}, {}];

type Entries = ContextData['entries'];
const contextOf = (home: Home, ...entries: Entries): object => ({ home, entries });
const createNumbers = (): ContextNumbers => new ContextNumbers((context) => context as ContextData);

it('gives one number to all contexts of the same home with the same values', () => {
  const numbers = createNumbers();
  const store = {};
  const ask = (home: Home, ...entries: Entries): number | undefined => numbers.ask(contextOf(home, ...entries))?.number;
  expect([ask(ROOT_HOME), ask(ROOT_HOME)]).toEqual([undefined, undefined]);
  expect(numbers.numberOf(contextOf(ROOT_HOME))).toBe(0);
  expect([ask(ACTOR), ask(ACTOR)]).toEqual([1, undefined]);
  expect([ask(ROOT_HOME, [FIRST, store]), ask(ACTOR, [FIRST, store]), ask(ROOT_HOME, [FIRST, store])]).toEqual([
    2,
    3,
    undefined,
  ]);
  expect([ask(ROOT_HOME, [SECOND, store]), ask(ROOT_HOME, [FIRST, store], [SECOND, store])]).toEqual([4, 5]);
  expect([1, '1', 1n, 0, -0, null, Symbol.iterator].map((value) => ask(ACTOR, [FIRST, value]))).toEqual([
    6, 7, 8, 9, 10, 11, 12,
  ]);
  expect(ask(ACTOR, [FIRST, 1])).toBe(undefined);
  expect(ask(ACTOR, [FIRST, 1], [SECOND, '1'])).toBe(13);
  expect([numbers.numberOf(contextOf(ACTOR, [FIRST, '1'])), numbers.numberOf(contextOf(ACTOR, [FIRST, {}]))]).toEqual([
    7, 0,
  ]);
  expect(numbers.count).toBe(13);
});

it('finds the latest few of those with primitives, also where it goes on with some of what was numbered', () => {
  const asked = (i: number): object => contextOf(ACTOR, [FIRST, `request ${i}`]);
  const recorded = createNumbers();
  for (let i = 1; i <= 30; i++) recorded.ask(asked(i));
  // Of the old ones the collector has taken every second one, and others were asked in anew.
  recorded.ask(asked(2));
  const again = createNumbers();
  again.count = recorded.count;
  const left = [[31, 2], ...Array.from({ length: 30 }, (_, i) => [i + 1, i + 1])].filter(
    ([n = 0]) => n > 12 || n % 2 === 0,
  );
  for (const [number = 0, i = 0] of left) again.give(number, asked(i));
  const from = (numbers: ContextNumbers): (number | undefined)[] =>
    [2, 30, 15, 16, 3, 1, 2, 31].map((i) => numbers.ask(asked(i))?.number);
  expect(from(recorded)).toEqual([undefined, undefined, 32, 33, 34, 35, undefined, 36]);
  const fresh = createNumbers();
  for (let i = 1; i <= 30; i++) fresh.ask(asked(i));
  fresh.ask(asked(2));
  expect(from(again)).toEqual(from(fresh));
  expect(again.count).toBe(recorded.count);
});
