// Drawing of timelines, with random ones.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forEachLaneRun, nearestTask, activityProfile } from '../src/model/lane-runs.ts';
import { Scale } from '../src/model/scale.ts';
import type { Timeline } from '../src/model/timeline.ts';
import { randomTasks, buildTimeline } from './random-timeline.ts';

const scaleKinds = fc.constantFrom('order' as const, 'time' as const);
const zoomSteps = fc.array(
  fc.record({
    factor: fc.double({ min: 0.05, max: 3, noNaN: true }),
    about: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 4 },
);

test('each visible task is drawn once in its lane, at its pixel, and no other task is', () => {
  fc.assert(
    fc.property(randomTasks, scaleKinds, zoomSteps, fc.integer({ min: 1, max: 400 }), (all, kind, steps, width) => {
      const timeline = buildTimeline(all);
      let scale = Scale.of(kind, timeline);
      for (const { factor, about } of steps) scale = scale.zoomed(factor, scale.from + about * (scale.to - scale.from));
      for (let actor = 0; actor <= 4; actor++) {
        const lane = timeline.lane(actor);
        const drawn: number[] = [];
        let last = -Infinity;
        forEachLaneRun(lane, { scale, width, timeline }, (x, order, count) => {
          expect(x).toBeGreaterThan(last);
          last = x;
          const at = lane.indexOf(order);
          for (const each of lane.subarray(at, at + count)) {
            drawn.push(each);
            const taskX = scale.x(scale.valueOf(each, timeline), width);
            if (taskX >= 0) expect(Math.abs(Math.floor(taskX) - x)).toBeLessThanOrEqual(1);
          }
        });
        const visible = [...lane].filter((order) => {
          const value = scale.valueOf(order, timeline);
          return value >= scale.from && value <= scale.to;
        });
        expect(drawn).toEqual(expect.arrayContaining(visible));
        expect(drawn.length - visible.length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('the lanes of all actors contain each task once, and receivers lead back to their sender', () => {
  fc.assert(
    fc.property(randomTasks, (all) => {
      const timeline = buildTimeline(all);
      const lanes = [0, 1, 2, 3, 4].flatMap((actor) => [...timeline.lane(actor)]);
      expect(lanes.toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i + 1));
      for (let order = 1; order <= all.length; order++) {
        for (const each of timeline.receivers(order)) expect(timeline.sender(each)).toBe(order);
        const sender = timeline.sender(order);
        if (sender !== undefined) expect([...timeline.receivers(sender)]).toContain(order);
        expect(timeline.senderChain(order, 5).length).toBeLessThanOrEqual(5);
      }
      const errors = all.flatMap(({ eventKind }, i) => (eventKind === 2 ? [i + 1] : []));
      expect([...timeline.tasksWithEvent(2)]).toEqual(errors);
      expect([0, 1, 2, 3, 4].flatMap((actor) => [...timeline.eventLane(actor, 2)]).toSorted((a, b) => a - b)).toEqual(
        errors,
      );
    }),
  );
});

test('a partially loaded timeline is a prefix of the whole one', () => {
  fc.assert(
    fc.property(randomTasks, scaleKinds, (all, kind) => {
      const whole = buildTimeline(all);
      const partial: Timeline[] = [];
      buildTimeline(all, 64, (timeline) => void partial.push(timeline));
      expect(partial.map(({ loadedCount }) => loadedCount)).toEqual(
        Array.from({ length: Math.ceil(all.length / 64) }, (_, i) => Math.min(all.length, (i + 1) * 64)),
      );
      for (const part of partial) {
        const known = (orders: Uint32Array): number[] => [...orders].filter((order) => order <= part.loadedCount);
        const actors = [0, 2, 3];
        expect([...part.mergedLane(actors)]).toEqual(known(whole.mergedLane(actors)));
        expect([...part.mergedEventLane(actors, 1)]).toEqual(known(whole.mergedEventLane(actors, 1)));
        for (let actor = 0; actor <= 4; actor++) expect([...part.lane(actor)]).toEqual(known(whole.lane(actor)));
        for (let order = 1; order <= all.length; order += 7)
          expect([...part.receivers(order)]).toEqual(known(whole.receivers(order)));
        const scale = Scale.of(kind, part);
        for (const order of [part.loadedCount + 1, all.length + 1])
          expect(scale.valueOf(order, part)).toBe(kind === 'order' ? order : scale.end);
      }
    }),
    { numRuns: 30 },
  );
});

test('a scale stays within the recording, and zooming keeps the value at the pointer in place', () => {
  fc.assert(
    fc.property(
      randomTasks,
      scaleKinds,
      zoomSteps,
      fc.double({ min: -3, max: 3, noNaN: true }),
      (all, kind, steps, fraction) => {
        let scale = Scale.of(kind, buildTimeline(all));
        const [start, end] = [scale.start, scale.end];
        for (const { factor, about } of steps) {
          const value = scale.from + about * (scale.to - scale.from);
          const next = scale.zoomed(factor, value);
          expect(next.from).toBeGreaterThanOrEqual(start);
          expect(next.to).toBeLessThanOrEqual(end + 1e-9);
          const isInside = next.from > start && next.to < end;
          if (isInside) expect(next.x(value, 1000)).toBeCloseTo(scale.x(value, 1000), 3);
          scale = next;
        }
        const moved = scale.panned(fraction);
        expect(moved.from).toBeGreaterThanOrEqual(start);
        expect(moved.to).toBeLessThanOrEqual(end + 1e-9);
        expect(moved.to - moved.from).toBeCloseTo(scale.to - scale.from, 6);
        const middle = (start + end) / 2;
        const shown = scale.revealing(middle);
        expect(shown.from).toBeLessThanOrEqual(middle + 1e-9);
        expect(shown.to).toBeGreaterThanOrEqual(middle - 1e-9);
      },
    ),
  );
});

test('the task at the pointer is the nearest one of the lane', () => {
  fc.assert(
    fc.property(randomTasks, scaleKinds, fc.double({ min: 0, max: 1, noNaN: true }), (all, kind, part) => {
      const timeline = buildTimeline(all);
      const scale = Scale.of(kind, timeline);
      const target = scale.start + part * (scale.end - scale.start);
      const lane = timeline.lane(all[0]?.actor ?? 0);
      const found = nearestTask(lane, target, { scale, timeline });
      const taskWidth = kind === 'order' ? 1 : 0;
      const distance = (order: number): number => {
        const start = scale.valueOf(order, timeline);
        return Math.max(0, start - target, target - start - taskWidth);
      };
      expect(distance(found ?? 0)).toBeCloseTo(Math.min(...[...lane].map(distance)), 9);
    }),
  );
});

test('the activity profile has its maximum where tasks ran, and is never negative', () => {
  fc.assert(
    fc.property(randomTasks, scaleKinds, (all, kind) => {
      const timeline = buildTimeline(all);
      const parts = activityProfile(timeline, Scale.of(kind, timeline), 40);
      expect(Math.max(...parts)).toBe(1);
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a page with wider numbers does not change earlier pages', () => {
  const wait = 40 * 60_000;
  const all = Array.from({ length: 3 }, (_, i) => ({
    actor: i,
    waitMs: i === 2 ? wait : 0.2,
    sender: 0,
    eventKind: undefined,
  }));
  // Microseconds beyond 32 bits.
  const later = [...all, ...all.map((each) => ({ ...each, waitMs: wait }))];
  const timeline = buildTimeline(later, 3);
  const times = later.map((_, i) => timeline.startMs(i + 1));
  expect(times).toEqual([0.2, 0.4, wait + 0.4, 2 * wait + 0.4, 3 * wait + 0.4, 4 * wait + 0.4]);
  expect(later.map((_, i) => timeline.actor(i + 1))).toEqual([0, 1, 2, 0, 1, 2]);
});
