// The program's immediates that wait. Node links what stands in its queue, so from one of them all can be had: those made last stand in
// the queue that grows, to whose end anything new is put; those of the round that is being run, in one that nothing is put to any
// more. For that one the last immediate of the program is kept when another queue begins.
import { native, nothing, type NativeImmediate } from './native.ts';
import { OwnTimer } from './own-timer.ts';

let last: NativeImmediate | undefined;
/** Immediates of queues that were begun before that of `last`. */
let earlier: NativeImmediate[] = [];

/** After so many it is seen to it that those that have run are let go, though no other may come: they hold each other. */
const MANY = 1024;
let made = 0;

export function noteImmediate(immediate: NativeImmediate): void {
  if (immediate._idlePrev !== last) keepLast();
  last = immediate;
  if (++made === MANY) letGo(2);
}

/** The immediate is about to be cleared: it will lead to no other. */
export function leaveImmediate(immediate: NativeImmediate): void {
  const { _idlePrev: before } = immediate;
  if (immediate === last) last = before?._destroyed === false ? before : undefined;
  const at = earlier.indexOf(immediate);
  if (at === -1) return;
  const neighbour = before?._destroyed === false ? before : immediate._idleNext;
  if (neighbour === null) earlier.splice(at, 1);
  else earlier[at] = neighbour;
}

function keepLast(): void {
  if (earlier.length > 0) earlier = earlier.filter(isWaiting);
  if (last?._destroyed === false) earlier.push(last);
}

function letGo(rounds: number): void {
  made = 0;
  native
    .setImmediate(() => {
      if (last?._destroyed === true) last = undefined;
      else if (rounds > 1) letGo(rounds - 1);
      earlier = earlier.filter(isWaiting);
    })
    .unref();
}

function isWaiting(immediate: NativeImmediate): boolean {
  return !immediate._destroyed;
}

export function isAnyImmediateWaiting(): boolean {
  return last?._destroyed === false || earlier.some(isWaiting);
}

/** In the order in which Node runs them. */
export function waitingImmediates(): NativeImmediate[] {
  const end = native.setImmediate(nothing);
  const growing = queueAround(end);
  native.clearImmediate(end);
  const seen = new Set(growing);
  const running: NativeImmediate[] = [];
  for (const immediate of last === undefined ? earlier : [...earlier, last]) {
    if (immediate._destroyed || seen.has(immediate)) continue;
    for (const each of queueAround(immediate)) {
      seen.add(each);
      running.push(each);
    }
  }
  return [...running, ...growing].filter((each) => OwnTimer.is(each));
}

/** What waits in the same queue. Those that have run stand before all that wait. */
function queueAround(immediate: NativeImmediate): NativeImmediate[] {
  let first = immediate;
  while (first._idlePrev !== null && !first._idlePrev._destroyed) first = first._idlePrev;
  const queue: NativeImmediate[] = [];
  for (let at: NativeImmediate | null = first; at !== null; at = at._idleNext) queue.push(at);
  return queue;
}
