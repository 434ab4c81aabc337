// A watchpoint finds the writes of a value before and after the position at which it was set.
import { describe, expect, test } from 'vitest';
import type { Direction } from '../src/moves/move.ts';
import { comparePositions, taskStart, type Position } from '../src/position.ts';
import type { BreakpointSearch } from '../src/replay-process/breakpoint-search.ts';
import { Watchpoint } from '../src/stepping/watchpoint.ts';

const TASK_COUNT = 20;
const CONTEXT = { signal: new AbortController().signal, progress: () => {} };

/** A watchpoint of a value that the starts of these tasks write. */
function watchpointAt(order: number, writes: readonly number[]): Watchpoint {
  const positions = writes.map(taskStart);
  let searchedTo = taskStart(order);
  const search: Pick<BreakpointSearch, 'onProgress' | 'runTo' | 'close'> = {
    onProgress: undefined,
    runTo(to: Position) {
      const from = searchedTo;
      searchedTo = to;
      const hits = positions.filter((each) => comparePositions(each, from) >= 0 && comparePositions(each, to) < 0);
      return Promise.resolve(
        hits.map((position) => ({ position, breakpoint: 0, logValue: '["0","1"]', error: undefined })),
      );
    },
    close() {},
  };
  return new Watchpoint(taskStart(order), {
    taskCount: TASK_COUNT,
    findOrigin: (from) => {
      const position = positions.findLast((each) => comparePositions(each, from) < 0);
      return Promise.resolve(position && { position });
    },
    // Each write adds one.
    valueAt: (at) => {
      const count = positions.filter((each) => comparePositions(each, at) < 0).length;
      return Promise.resolve({ text: String(count), isExact: true });
    },
    searchWrites: () => search as BreakpointSearch,
  });
}

async function stops(watchpoint: Watchpoint, from: number, direction: Direction): Promise<number[]> {
  const orders: number[] = [];
  for (let at = from; ;) {
    const write = await watchpoint.next(taskStart(at), direction, CONTEXT);
    if (write === undefined) return orders;
    at = write.position.order;
    orders.push(at);
  }
}

describe.each([{ writes: [3, 7, 12, 18] }, { writes: [3, 7] }, { writes: [12, 18] }, { writes: [] }])(
  'of writes in the tasks $writes',
  ({ writes }) => {
    test.each([1, 5, 10, 15, TASK_COUNT + 1])('all are found from task %i on', async (from) => {
      const earlier = writes.filter((order) => order < from).toReversed();
      const later = writes.filter((order) => order > from);
      expect(await stops(watchpointAt(10, writes), from, 'backward')).toEqual(earlier);
      expect(await stops(watchpointAt(10, writes), from, 'forward')).toEqual(later);
      const watchpoint = watchpointAt(10, writes);
      expect(await stops(watchpoint, from, 'forward')).toEqual(later);
      expect(await stops(watchpoint, from, 'backward')).toEqual(earlier);
    });
  },
);
