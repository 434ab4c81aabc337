// How much memory a run again may take: as much as any process here, whatever the recorded one had. Code that can be stopped, and what is kept to go back, take more than it did, of the stack, too; and who was out of memory
// then is lost again where its trace says so.
import { getHeapStatistics } from 'node:v8';
import type { AppOptions } from '@turntable/runtime';

type Limits = NonNullable<AppOptions['resourceLimits']>;

/** Megabytes of stack that a worker has by itself, and as how much of it code that can be stopped takes where other code takes one: a fifth more, or a little above. */
const STACK = 4;
const PROBED = 1.5;
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
export function limitsAgain(recorded: Limits = {}, isDebugged = false, heap: number = heapHere()): Limits {
  const { maxOldGenerationSizeMb: most = 0, maxYoungGenerationSizeMb: _young, ...others } = recorded;
  const limits = isDebugged ? { ...others, stackSizeMb: PROBED * (others.stackSizeMb ?? STACK) } : others;
  return most < heap ? limits : { ...limits, maxOldGenerationSizeMb: most };
}
