// How much memory a run again may take: as much as any process here, whatever the recorded one had. Code that can be stopped, and what is kept to go back, take more than it did; and who was out of memory
// then is lost again where its trace says so.
import { getHeapStatistics } from 'node:v8';
import type { AppOptions } from '@turntable/runtime';

type Limits = NonNullable<AppOptions['resourceLimits']>;

const OF_HEAP = /^--max[-_](?:old[-_]space|heap)[-_]size$/;

/** Megabytes that a heap here may have. */
export function heapHere(): number {
  return getHeapStatistics().heap_size_limit / 2 ** 20;
}

/** Whether a flag would leave a process with less than that. */
export function isTooTight(name: string, value: string | undefined, heap: number): boolean {
  return OF_HEAP.test(name) && Number(value) < heap;
}

/** What a recorded program has said of its workers. */
export function limitsAgain(
  { maxOldGenerationSizeMb: most = 0, maxYoungGenerationSizeMb: _young, ...others }: Limits = {},
  heap: number = heapHere(),
): Limits {
  return most < heap ? others : { ...others, maxOldGenerationSizeMb: most };
}
