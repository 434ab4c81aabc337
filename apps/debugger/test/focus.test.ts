// A piece of a recording, to which views are narrowed, and the lanes of more actors than anybody looks through.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { begunBetween, between, isIn, orderOf, type Focus } from '../src/model/focus.ts';
import { laneOf, markedIn, rowsOf, rowsOfActors, type Actor } from '../src/model/lanes.ts';
import { amountOf, systemOf } from '../src/model/system.ts';
import { stretches, timeLineOf, type Drawn } from './random-time-line.ts';

const KINDS = ['call', 'fulfil', 'construct'];
const actorsOf = (all: readonly Drawn[]): Actor[] =>
  Array.from({ length: 5 }, (_, actor) => ({
    worker: actor % 2,
    name: `Clerk ${actor}`,
    stretches: all.filter((each) => each.actor === actor).length,
    first: 1,
    last: 1,
  }));

test('a piece is from one stretch to another, whichever was chosen first, and never beyond the recording', () => {
  expect(between(7, 3, 10)).toEqual({ from: 3, to: 7 });
  expect(between(-4, 99, 10)).toEqual({ from: 1, to: 10 });
  expect([2, 3, 7, 8].map((order) => isIn({ from: 3, to: 7 }, order))).toEqual([false, true, true, false]);
  expect(isIn(undefined, 8)).toBe(true);
});

test('what has begun between two times is in the piece that they make', () => {
  fc.assert(
    fc.property(stretches, fc.nat(3000), fc.nat(3000), (all, one, length) => {
      const timeLine = timeLineOf(all);
      const found = begunBetween(timeLine, one, one + length);
      const those = all.flatMap((_, i) => {
        const time = timeLine.time(i + 1);
        return time >= one && time <= one + length ? [i + 1] : [];
      });
      expect(found).toEqual(those.length === 0 ? undefined : { from: those[0], to: those.at(-1) });
    }),
  );
});

test('a position is in the stretch that its phase and number say', () => {
  const phases = [
    { phase: 0, begin: 1 },
    { phase: 4, begin: 120 },
  ];
  expect(['0.1', '0.7:3.1', '4.1', '4.12:1.1', '5.1', 'x'].map((each) => orderOf(each, phases))).toEqual([
    1,
    7,
    120,
    131,
    undefined,
    undefined,
  ]);
});

test('who sends to whom in a piece is what its stretches tell, and nobody else is there', () => {
  fc.assert(
    fc.property(stretches, fc.nat(300), fc.nat(300), (all, one, other) => {
      const timeLine = timeLineOf(all);
      const focus: Focus = between(one, other, all.length);
      const { traffic, parties } = systemOf(actorsOf(all), timeLine, KINDS, { focus });
      const within = all.flatMap((each, i) => (isIn(focus, i + 1) ? [{ ...each, order: i + 1 }] : []));
      const known = within.filter(({ order }) => timeLine.sender(order) !== undefined);
      expect(traffic.reduce((sum, each) => sum + amountOf(each), 0)).toBe(known.length);
      expect(parties.reduce((sum, { turns }) => sum + turns, 0)).toBe(within.length);
      const senders = known.map(({ order }) => timeLine.actor(timeLine.sender(order) ?? 1) ?? 0);
      const there = new Set([...within.map(({ actor }) => actor), ...senders]);
      expect(new Set(parties.flatMap(({ actors }) => actors))).toEqual(there);
    }),
  );
});

const many = (count: number): Actor[] =>
  Array.from({ length: count }, (_, i) => ({
    worker: i % 2,
    name: i === 0 ? 'Till' : `${['Cart', 'Clerk', 'Order'][i % 3]}#${i}`,
    stretches: 1,
    first: i + 1,
    last: i + 1,
  }));

test('ten thousand actors are a few rows, one for each class of a worker, and each is in one of them', () => {
  const actors = many(10_000);
  const rows = rowsOf(actors);
  expect(rows.map(({ worker, name, group }) => [worker, name, group?.actors.length])).toEqual([
    [0, 'main thread', undefined],
    [0, 'Till', undefined],
    [0, 'Order', 1667],
    [0, 'Clerk', 1666],
    [0, 'Cart', 1666],
    [1, 'worker 1', undefined],
    [1, 'Clerk', 1667],
    [1, 'Cart', 1667],
    [1, 'Order', 1666],
  ]);
  expect([...rowsOfActors(rows).keys()].toSorted((a, b) => a - b)).toEqual(actors.map((_, i) => i));
  const opened = rowsOf(actors, '', new Set([rows[2]?.group?.key ?? '']));
  expect(opened.length).toBe(rows.length + 1667);
  expect(opened.slice(2, 5).map(({ name, isOpen }) => [name, isOpen])).toEqual([
    ['Order', true],
    ['Order#2', undefined],
    ['Order#8', undefined],
  ]);
  expect(rowsOfActors(opened).get(8)).toBe(4);
  // Few enough to be looked through are told apart.
  expect(rowsOf(actors, '#999').length).toBe(11 + 2);
  expect(rowsOf(many(60)).every(({ group }) => group === undefined)).toBe(true);
});

test('the lane of a class has what the lanes of its actors have, in one order', () => {
  fc.assert(
    fc.property(stretches, fc.uniqueArray(fc.nat(4), { minLength: 1 }), (all, those) => {
      const timeLine = timeLineOf(all);
      const group = { key: 'x', name: 'x', actors: those };
      const row = { worker: 0, actor: undefined, name: 'x', group };
      const own = (of: (actor: number) => Uint32Array): number[] =>
        those.flatMap((actor) => [...of(actor)]).toSorted((a, b) => a - b);
      expect([...(laneOf(row, timeLine) ?? [])]).toEqual(own((actor) => timeLine.lane(actor)));
      expect([...markedIn(row, 2, timeLine)]).toEqual(own((actor) => timeLine.markedOf(actor, 2)));
      expect(laneOf({ ...row, isOpen: true }, timeLine)).toBe(undefined);
    }),
  );
});
