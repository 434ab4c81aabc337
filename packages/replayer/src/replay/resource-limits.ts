// How much memory a run again may take: as much as any process here, whatever the recorded one had. Code that can be stopped, and what is kept to go back, take more than it did, of the stack, too; and who was out of memory
// then is lost again where its trace says so.
import { getHeapStatistics } from 'node:v8';
import type { ActorSystemOptions } from '@turntable/runtime';

type ResourceLimits = NonNullable<ActorSystemOptions['resourceLimits']>;

/** Megabytes of stack that a worker has by itself, and as how much of it code that can be stopped takes where other code takes one: a fifth more, or a little above. */
const DEFAULT_STACK_MB = 4;
const PROBED_STACK_FACTOR = 1.5;
const HEAP_SIZE_FLAG = /^--max[-_](?:old[-_]space|heap)[-_]size$/;

/** Megabytes that a heap here may have. */
export function heapLimitMb(): number {
  return getHeapStatistics().heap_size_limit / 2 ** 20;
}

/** Whether a flag would leave a process with less than that. */
export function isHeapTooSmall(name: string, value: string | undefined, heapMb: number): boolean {
  return HEAP_SIZE_FLAG.test(name) && Number(value) < heapMb;
}

/** What a recorded program has said of its workers. */
export function replayResourceLimits(
  recorded: ResourceLimits = {},
  isDebug = false,
  heapMb: number = heapLimitMb(),
): ResourceLimits {
  const { maxOldGenerationSizeMb: maxHeapMb = 0, maxYoungGenerationSizeMb: _young, ...others } = recorded;
  const limits = isDebug
    ? { ...others, stackSizeMb: PROBED_STACK_FACTOR * (others.stackSizeMb ?? DEFAULT_STACK_MB) }
    : others;
  return maxHeapMb < heapMb ? limits : { ...limits, maxOldGenerationSizeMb: maxHeapMb };
}
