// The program's immediates that wait. Node links what stands in its queue, so from one of them all can be had: those made last stand in
// the queue that grows, to whose end anything new is put; those of the round that is being run, in one that nothing is put to any
// more. For that one the last immediate of the program is kept when another queue begins.
import { native, noop, type NativeImmediate } from './native-timers.ts';
import { ProgramTimer } from './program-timer.ts';

let lastImmediate: NativeImmediate | undefined;
/** Immediates of queues that were begun before that of `lastImmediate`. */
let earlierImmediates: NativeImmediate[] = [];

/** After so many it is seen to it that those that have run are let go, though no other may come: they hold each other. */
const IMMEDIATES_PER_SWEEP = 1024;
let madeCount = 0;

export function noteImmediate(immediate: NativeImmediate): void {
  if (immediate._idlePrev !== lastImmediate) keepLastImmediate();
  lastImmediate = immediate;
  if (++madeCount === IMMEDIATES_PER_SWEEP) releaseFinished(2);
}

/** The immediate is about to be cleared: it will lead to no other. */
export function forgetImmediate(immediate: NativeImmediate): void {
  const { _idlePrev: previous } = immediate;
  if (immediate === lastImmediate) lastImmediate = previous?._destroyed === false ? previous : undefined;
  const index = earlierImmediates.indexOf(immediate);
  if (index === -1) return;
  const replacement = previous?._destroyed === false ? previous : immediate._idleNext;
  if (replacement === null) earlierImmediates.splice(index, 1);
  else earlierImmediates[index] = replacement;
}

function keepLastImmediate(): void {
  if (earlierImmediates.length > 0) earlierImmediates = earlierImmediates.filter(isWaiting);
  if (lastImmediate?._destroyed === false) earlierImmediates.push(lastImmediate);
}

function releaseFinished(rounds: number): void {
  madeCount = 0;
  native
    .setImmediate(() => {
      if (lastImmediate?._destroyed === true) lastImmediate = undefined;
      else if (rounds > 1) releaseFinished(rounds - 1);
      earlierImmediates = earlierImmediates.filter(isWaiting);
    })
    .unref();
}

function isWaiting(immediate: NativeImmediate): boolean {
  return !immediate._destroyed;
}

export function hasWaitingImmediate(): boolean {
  return lastImmediate?._destroyed === false || earlierImmediates.some(isWaiting);
}

/** In the order in which Node runs them. */
export function waitingImmediates(): NativeImmediate[] {
  const marker = native.setImmediate(noop);
  const nextQueue = queueAround(marker);
  native.clearImmediate(marker);
  const seen = new Set(nextQueue);
  const currentQueue: NativeImmediate[] = [];
  for (const immediate of lastImmediate === undefined ? earlierImmediates : [...earlierImmediates, lastImmediate]) {
    if (immediate._destroyed || seen.has(immediate)) continue;
    for (const queued of queueAround(immediate)) {
      seen.add(queued);
      currentQueue.push(queued);
    }
  }
  return [...currentQueue, ...nextQueue].filter((queued) => ProgramTimer.is(queued));
}

/** What waits in the same queue. Those that have run stand before all that wait. */
function queueAround(immediate: NativeImmediate): NativeImmediate[] {
  let first = immediate;
  while (first._idlePrev !== null && !first._idlePrev._destroyed) first = first._idlePrev;
  const queue: NativeImmediate[] = [];
  for (let node: NativeImmediate | null = first; node !== null; node = node._idleNext) queue.push(node);
  return queue;
}
