// The program's waiting immediates. Node links the members of a queue, so one member leads to all others. There are two
// queues: the growing one, which new immediates are appended to, and the running one, which never grows. One immediate
// of each is kept to find the rest.
import { native, noop, type NativeImmediate } from './native-timers.ts';
import { ProgramTimer } from './program-timer.ts';

let lastImmediate: NativeImmediate | undefined;
/** One immediate of each queue that is older than the queue of `lastImmediate`. */
let earlierImmediates: NativeImmediate[] = [];

/** Number of immediates after which finished ones are released, because they keep each other alive. */
const IMMEDIATES_PER_SWEEP = 1024;
let madeCount = 0;

export function noteImmediate(immediate: NativeImmediate): void {
  if (immediate._idlePrev !== lastImmediate) keepLastImmediate();
  lastImmediate = immediate;
  if (++madeCount === IMMEDIATES_PER_SWEEP) releaseFinished(2);
}

/** Must be called before an immediate is cleared, because the immediate leads to no other afterwards. */
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

/** Returns the program's waiting immediates in the order in which Node runs them. */
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

/** Returns the waiting immediates of the same queue. Finished ones come before all that wait. */
function queueAround(immediate: NativeImmediate): NativeImmediate[] {
  let first = immediate;
  while (first._idlePrev !== null && !first._idlePrev._destroyed) first = first._idlePrev;
  const queue: NativeImmediate[] = [];
  for (let node: NativeImmediate | null = first; node !== null; node = node._idleNext) queue.push(node);
  return queue;
}
