// Memory limits of a replay. It has at least this process's heap limit, because code with probes and undo logs need
// more memory and stack than the recorded code. If a recorded worker ran out of memory, its trace decides where it is
// lost.
import { getHeapStatistics } from 'node:v8';
import type { ActorSystemOptions } from '@turntable/runtime';

type ResourceLimits = NonNullable<ActorSystemOptions['resourceLimits']>;

/** Node's default stack size of a worker, and its factor for code with probes, which needs 1.2 times as much. */
const DEFAULT_STACK_MB = 4;
const PROBED_STACK_FACTOR = 1.5;
const HEAP_SIZE_FLAG = /^--max[-_](?:old[-_]space|heap)[-_]size$/;

export function heapLimitMb(): number {
  return getHeapStatistics().heap_size_limit / 2 ** 20;
}

/** Whether a flag sets a heap limit below `heapMb`. */
export function isHeapTooSmall(name: string, value: string | undefined, heapMb: number): boolean {
  return HEAP_SIZE_FLAG.test(name) && Number(value) < heapMb;
}

/** Resource limits of a replayed worker, from the limits in the recorded program. */
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
