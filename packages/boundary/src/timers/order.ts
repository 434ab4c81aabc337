// In which order Node fires what waits in its lists of timeouts: lists by the time at which each is looked at next, and by age where
// two are equal; within a list one after the other. A pure function, so that capture can ask without waiting.

/** The timeouts of one duration, oldest first, as Node keeps them. */
export interface TimeoutList<T> {
  readonly msecs: number;
  /** When Node looks at the list next: not after its first timeout is due. */
  readonly expiry: number;
  /** Of two lists with the same expiry the one with the smaller number comes first. */
  readonly id: number;
  readonly timeouts: readonly { readonly timeout: T; readonly start: number }[];
}

interface Place<T> {
  readonly list: TimeoutList<T>;
  expiry: number;
  id: number;
  next: number;
}

export interface FiringOrder<T> {
  /** Those that Node fires before anything else, were it to look at its lists at `now`. */
  readonly due: T[];
  /** The others, if Node looks whenever one is due. */
  readonly later: T[];
}

export function firingOrder<T>(lists: readonly TimeoutList<T>[], now: number): FiringOrder<T> {
  const due: T[] = [];
  const later: T[] = [];
  const heap: Place<T>[] = [];
  for (const list of lists) {
    if (list.timeouts.length > 0) push(heap, { list, expiry: list.expiry, id: list.id, next: 0 });
  }
  let renewed = Number.MAX_SAFE_INTEGER / 2;
  for (let place = heap[0]; place !== undefined; place = heap[0]) {
    const time = Math.max(now, place.expiry);
    const { timeouts, msecs } = place.list;
    for (; place.next < timeouts.length; place.next++) {
      const { timeout, start } = timeouts[place.next] as { timeout: T; start: number };
      if (time - start < msecs) {
        place.expiry = Math.max(start + msecs, time + 1);
        place.id = renewed++;
        break;
      }
      (time === now ? due : later).push(timeout);
    }
    if (place.next === timeouts.length) pop(heap);
    else sink(heap);
  }
  return { due, later };
}

function isBefore<T>(a: Place<T>, b: Place<T>): boolean {
  return a.expiry === b.expiry ? a.id < b.id : a.expiry < b.expiry;
}

function push<T>(heap: Place<T>[], place: Place<T>): void {
  let at = heap.length;
  for (let parent = (at - 1) >> 1; at > 0 && isBefore(place, heap[parent] as Place<T>); parent = (at - 1) >> 1) {
    heap[at] = heap[parent] as Place<T>;
    at = parent;
  }
  heap[at] = place;
}

function pop<T>(heap: Place<T>[]): void {
  const last = heap.pop() as Place<T>;
  if (heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}

/** Puts the first place, which comes later than it did, where it belongs. */
function sink<T>(heap: Place<T>[]): void {
  const place = heap[0] as Place<T>;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Place<T>, heap[child] as Place<T>)) child++;
    if (!isBefore(heap[child] as Place<T>, place)) break;
    heap[at] = heap[child] as Place<T>;
    at = child;
  }
  heap[at] = place;
}
