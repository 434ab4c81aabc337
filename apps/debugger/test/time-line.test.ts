// What of a time line is drawn, whatever its recording is like.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eachRun, nearest, profile } from '../src/model/runs.ts';
import { Scale } from '../src/model/scale.ts';
import type { TimeLine } from '../src/model/time-line.ts';
import { stretches, timeLineOf } from './random-time-line.ts';

const by = fc.constantFrom('order' as const, 'time' as const);
const zooms = fc.array(
  fc.record({
    factor: fc.double({ min: 0.05, max: 3, noNaN: true }),
    about: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 4 },
);

test('every stretch that is seen is in one run of its lane, at its pixel, and no others are', () => {
  fc.assert(
    fc.property(stretches, by, zooms, fc.integer({ min: 1, max: 400 }), (all, kind, steps, width) => {
      const timeLine = timeLineOf(all);
      let scale = Scale.of(kind, timeLine);
      for (const { factor, about } of steps) scale = scale.zoomed(factor, scale.from + about * (scale.to - scale.from));
      for (let actor = 0; actor <= 4; actor++) {
        const lane = timeLine.lane(actor);
        const drawn: number[] = [];
        let last = -Infinity;
        eachRun(lane, { scale, width, timeLine }, (x, order, count) => {
          expect(x).toBeGreaterThan(last);
          last = x;
          const at = lane.indexOf(order);
          for (const each of lane.subarray(at, at + count)) {
            drawn.push(each);
            const its = scale.x(scale.valueOf(each, timeLine), width);
            if (its >= 0) expect(Math.abs(Math.floor(its) - x)).toBeLessThanOrEqual(1);
          }
        });
        const seen = [...lane].filter((order) => {
          const value = scale.valueOf(order, timeLine);
          return value >= scale.from && value <= scale.to;
        });
        expect(drawn).toEqual(expect.arrayContaining(seen));
        expect(drawn.length - seen.length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('the lanes of all actors have every stretch once, and what a stretch has sent leads back to it', () => {
  fc.assert(
    fc.property(stretches, (all) => {
      const timeLine = timeLineOf(all);
      const lanes = [0, 1, 2, 3, 4].flatMap((actor) => [...timeLine.lane(actor)]);
      expect(lanes.toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i + 1));
      for (let order = 1; order <= all.length; order++) {
        for (const each of timeLine.receivers(order)) expect(timeLine.sender(each)).toBe(order);
        const sender = timeLine.sender(order);
        if (sender !== undefined) expect([...timeLine.receivers(sender)]).toContain(order);
        expect(timeLine.chainTo(order, 5).length).toBeLessThanOrEqual(5);
      }
      const errors = all.flatMap(({ mark }, i) => (mark === 2 ? [i + 1] : []));
      expect([...timeLine.marked(2)]).toEqual(errors);
      expect([0, 1, 2, 3, 4].flatMap((actor) => [...timeLine.markedOf(actor, 2)]).toSorted((a, b) => a - b)).toEqual(
        errors,
      );
    }),
  );
});

test('what is known of a time line before all of it has come is its beginning', () => {
  fc.assert(
    fc.property(stretches, by, (all, kind) => {
      const whole = timeLineOf(all);
      const seen: TimeLine[] = [];
      timeLineOf(all, 64, (timeLine) => void seen.push(timeLine));
      expect(seen.map(({ filled }) => filled)).toEqual(
        Array.from({ length: Math.ceil(all.length / 64) }, (_, i) => Math.min(all.length, (i + 1) * 64)),
      );
      for (const part of seen) {
        const known = (orders: Uint32Array): number[] => [...orders].filter((order) => order <= part.filled);
        const actors = [0, 2, 3];
        expect([...part.laneOfAll(actors)]).toEqual(known(whole.laneOfAll(actors)));
        expect([...part.markedOfAll(actors, 1)]).toEqual(known(whole.markedOfAll(actors, 1)));
        for (let actor = 0; actor <= 4; actor++) expect([...part.lane(actor)]).toEqual(known(whole.lane(actor)));
        for (let order = 1; order <= all.length; order += 7)
          expect([...part.receivers(order)]).toEqual(known(whole.receivers(order)));
        const scale = Scale.of(kind, part);
        for (const order of [part.filled + 1, all.length + 1])
          expect(scale.valueOf(order, part)).toBe(kind === 'order' ? order : scale.end);
      }
    }),
    { numRuns: 30 },
  );
});

test('a scale is never beyond the recording, and what is zoomed about stays where it is', () => {
  fc.assert(
    fc.property(stretches, by, zooms, fc.double({ min: -3, max: 3, noNaN: true }), (all, kind, steps, part) => {
      let scale = Scale.of(kind, timeLineOf(all));
      const [begin, end] = [scale.begin, scale.end];
      for (const { factor, about } of steps) {
        const value = scale.from + about * (scale.to - scale.from);
        const next = scale.zoomed(factor, value);
        expect(next.from).toBeGreaterThanOrEqual(begin);
        expect(next.to).toBeLessThanOrEqual(end + 1e-9);
        const isInside = next.from > begin && next.to < end;
        if (isInside) expect(next.x(value, 1000)).toBeCloseTo(scale.x(value, 1000), 3);
        scale = next;
      }
      const moved = scale.moved(part);
      expect(moved.from).toBeGreaterThanOrEqual(begin);
      expect(moved.to).toBeLessThanOrEqual(end + 1e-9);
      expect(moved.to - moved.from).toBeCloseTo(scale.to - scale.from, 6);
      const middle = (begin + end) / 2;
      const shown = scale.showing(middle);
      expect(shown.from).toBeLessThanOrEqual(middle + 1e-9);
      expect(shown.to).toBeGreaterThanOrEqual(middle - 1e-9);
    }),
  );
});

test('what is pointed at is the nearest of the lane', () => {
  fc.assert(
    fc.property(stretches, by, fc.double({ min: 0, max: 1, noNaN: true }), (all, kind, part) => {
      const timeLine = timeLineOf(all);
      const scale = Scale.of(kind, timeLine);
      const wanted = scale.begin + part * (scale.end - scale.begin);
      const lane = timeLine.lane(all[0]?.actor ?? 0);
      const found = nearest(lane, wanted, { scale, timeLine });
      const wide = kind === 'order' ? 1 : 0;
      const distance = (order: number): number => {
        const begin = scale.valueOf(order, timeLine);
        return Math.max(0, begin - wanted, wanted - begin - wide);
      };
      expect(distance(found ?? 0)).toBeCloseTo(Math.min(...[...lane].map(distance)), 9);
    }),
  );
});

test('the strip shows something wherever something ran', () => {
  fc.assert(
    fc.property(stretches, by, (all, kind) => {
      const timeLine = timeLineOf(all);
      const parts = profile(timeLine, Scale.of(kind, timeLine), 40);
      expect(Math.max(...parts)).toBe(1);
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a piece whose numbers take more bytes than those before changes none of these', () => {
  const wait = 40 * 60_000;
  const all = Array.from({ length: 3 }, (_, i) => ({
    actor: i,
    wait: i === 2 ? wait : 0.2,
    sender: 0,
    mark: undefined,
  }));
  // Above 32 bits of microseconds.
  const later = [...all, ...all.map((each) => ({ ...each, wait }))];
  const timeLine = timeLineOf(later, 3);
  const times = later.map((_, i) => timeLine.time(i + 1));
  expect(times).toEqual([0.2, 0.4, wait + 0.4, 2 * wait + 0.4, 3 * wait + 0.4, 4 * wait + 0.4]);
  expect(later.map((_, i) => timeLine.actor(i + 1))).toEqual([0, 1, 2, 0, 1, 2]);
});
