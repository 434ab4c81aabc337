// Memory limits of a replay. Code with probes and undo logs need more memory and stack than the recorded code, so the
// heap limit is then at least that of this process. Otherwise it is not much above the recorded one: a worker that ran
// out of memory is lost where its trace ends, but its last turn may run out of memory again.
import { getHeapStatistics } from 'node:v8';
import type { ActorSystemOptions } from '@turntable/runtime';

type ResourceLimits = NonNullable<ActorSystemOptions['resourceLimits']>;

/** Node's default stack size of a worker, and its factor for code with probes, which needs 1.2 times as much. */
const DEFAULT_STACK_MB = 4;
const PROBED_STACK_FACTOR = 1.5;
/** Heap of a replayed worker without probes, relative to the recorded limit, and at least so much above it. */
const HEAP_FACTOR = 2;
const MIN_SPARE_HEAP_MB = 256;
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
  if (maxHeapMb >= heapMb) return { ...limits, maxOldGenerationSizeMb: maxHeapMb };
  const enoughMb = Math.max(HEAP_FACTOR * maxHeapMb, maxHeapMb + MIN_SPARE_HEAP_MB);
  return isDebug || maxHeapMb === 0 || enoughMb >= heapMb ? limits : { ...limits, maxOldGenerationSizeMb: enoughMb };
}
