// The focus of the views on a range of a recording, and lanes of very many actors.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { focusByTime, focusBetween, isInFocus, orderOfPosition, type Focus } from '../src/model/focus.ts';
import { laneOfRow, eventLaneOfRow, laneRows, rowIndexByActor, type TimelineActor } from '../src/model/lanes.ts';
import { edgeWeight, buildSystemGraph } from '../src/model/system-graph.ts';
import { randomTasks, buildTimeline, type RandomTask } from './random-timeline.ts';

const KINDS = ['call', 'fulfil', 'construct'];
const timelineActors = (all: readonly RandomTask[]): TimelineActor[] =>
  Array.from({ length: 5 }, (_, actor) => ({
    worker: actor % 2,
    name: `Clerk ${actor}`,
    taskCount: all.filter((each) => each.actor === actor).length,
    firstTask: 1,
    lastTask: 1,
  }));

test('a focus is a range of tasks in either order, clipped to the recording', () => {
  expect(focusBetween(7, 3, 10)).toEqual({ from: 3, to: 7 });
  expect(focusBetween(-4, 99, 10)).toEqual({ from: 1, to: 10 });
  expect([2, 3, 7, 8].map((order) => isInFocus({ from: 3, to: 7 }, order))).toEqual([false, true, true, false]);
  expect(isInFocus(undefined, 8)).toBe(true);
});

test('a focus by time contains the tasks that began in that time', () => {
  fc.assert(
    fc.property(randomTasks, fc.nat(3000), fc.nat(3000), (all, one, length) => {
      const timeline = buildTimeline(all);
      const found = focusByTime(timeline, one, one + length);
      const expectedOrders = all.flatMap((_, i) => {
        const time = timeline.startMs(i + 1);
        return time >= one && time <= one + length ? [i + 1] : [];
      });
      expect(found).toEqual(
        expectedOrders.length === 0 ? undefined : { from: expectedOrders[0], to: expectedOrders.at(-1) },
      );
    }),
  );
});

test('a position belongs to the task of its phase and number', () => {
  const phases = [
    { phase: 0, firstTask: 1 },
    { phase: 4, firstTask: 120 },
  ];
  expect(['0.1', '0.7:3.1', '4.1', '4.12:1.1', '5.1', 'x'].map((each) => orderOfPosition(each, phases))).toEqual([
    1,
    7,
    120,
    131,
    undefined,
    undefined,
  ]);
});

test('the system graph of a focus has exactly the tasks in it and their senders', () => {
  fc.assert(
    fc.property(randomTasks, fc.nat(300), fc.nat(300), (all, one, other) => {
      const timeline = buildTimeline(all);
      const focus: Focus = focusBetween(one, other, all.length);
      const { edges, nodes } = buildSystemGraph(timelineActors(all), timeline, KINDS, { focus });
      const tasksInFocus = all.flatMap((each, i) => (isInFocus(focus, i + 1) ? [{ ...each, order: i + 1 }] : []));
      const withSender = tasksInFocus.filter(({ order }) => timeline.sender(order) !== undefined);
      expect(edges.reduce((sum, each) => sum + edgeWeight(each), 0)).toBe(withSender.length);
      expect(nodes.reduce((sum, { turns }) => sum + turns, 0)).toBe(tasksInFocus.length);
      const senders = withSender.map(({ order }) => timeline.actor(timeline.sender(order) ?? 1) ?? 0);
      const presentActors = new Set([...tasksInFocus.map(({ actor }) => actor), ...senders]);
      expect(new Set(nodes.flatMap(({ actorIndexes: actors }) => actors))).toEqual(presentActors);
    }),
  );
});

const manyActors = (count: number): TimelineActor[] =>
  Array.from({ length: count }, (_, i) => ({
    worker: i % 2,
    name: i === 0 ? 'Till' : `${['Cart', 'Clerk', 'Order'][i % 3]}#${i}`,
    taskCount: 1,
    firstTask: i + 1,
    lastTask: i + 1,
  }));

test('ten thousand actors are grouped into a row for each class of a worker', () => {
  const actors = manyActors(10_000);
  const rows = laneRows(actors);
  expect(rows.map(({ worker, name, group }) => [worker, name, group?.actorIndexes.length])).toEqual([
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
  expect([...rowIndexByActor(rows).keys()].toSorted((a, b) => a - b)).toEqual(actors.map((_, i) => i));
  const opened = laneRows(actors, '', new Set([rows[2]?.group?.key ?? '']));
  expect(opened.length).toBe(rows.length + 1667);
  expect(opened.slice(2, 5).map(({ name, isOpen }) => [name, isOpen])).toEqual([
    ['Order', true],
    ['Order#2', undefined],
    ['Order#8', undefined],
  ]);
  expect(rowIndexByActor(opened).get(8)).toBe(4);
  // Few matches have rows of their own.
  expect(laneRows(actors, '#999').length).toBe(11 + 2);
  expect(laneRows(manyActors(60)).every(({ group }) => group === undefined)).toBe(true);
});

test('the lane of a class merges the lanes of its actors, in order', () => {
  fc.assert(
    fc.property(randomTasks, fc.uniqueArray(fc.nat(4), { minLength: 1 }), (all, actorIndexes) => {
      const timeline = buildTimeline(all);
      const group = { key: 'x', name: 'x', actorIndexes };
      const row = { worker: 0, actorIndex: undefined, name: 'x', group };
      const own = (of: (actor: number) => Uint32Array): number[] =>
        actorIndexes.flatMap((actor) => [...of(actor)]).toSorted((a, b) => a - b);
      expect([...(laneOfRow(row, timeline) ?? [])]).toEqual(own((actor) => timeline.lane(actor)));
      expect([...eventLaneOfRow(row, 2, timeline)]).toEqual(own((actor) => timeline.eventLane(actor, 2)));
      expect(laneOfRow({ ...row, isOpen: true }, timeline)).toBe(undefined);
    }),
  );
});
