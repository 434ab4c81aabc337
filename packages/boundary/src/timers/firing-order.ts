// The order in which Node fires waiting timeouts: lists by their next expiry, then by age; within a list, oldest first.
// A pure function, so that capture can compute the order without waiting.

/** The timeouts of one duration, oldest first, as Node keeps them. */
export interface TimeoutList<T> {
  readonly msecs: number;
  /** Time at which Node looks at the list next, not later than the list's first timeout is due. */
  readonly expiry: number;
  /** Breaks ties: of two lists with equal expiry, Node takes the one with the smaller id first. */
  readonly id: number;
  readonly timeouts: readonly { readonly timeout: T; readonly start: number }[];
}

interface ListCursor<T> {
  readonly list: TimeoutList<T>;
  expiry: number;
  id: number;
  index: number;
}

export interface FiringOrder<T> {
  /** Timeouts that Node would fire first if it looked at its lists at `now`. */
  readonly due: T[];
  /** All other timeouts, in the order in which they will fire. */
  readonly later: T[];
}

export function firingOrder<T>(lists: readonly TimeoutList<T>[], now: number): FiringOrder<T> {
  const due: T[] = [];
  const later: T[] = [];
  const heap: ListCursor<T>[] = [];
  for (const list of lists) {
    if (list.timeouts.length > 0) push(heap, { list, expiry: list.expiry, id: list.id, index: 0 });
  }
  let nextId = Number.MAX_SAFE_INTEGER / 2;
  for (let cursor = heap[0]; cursor !== undefined; cursor = heap[0]) {
    const time = Math.max(now, cursor.expiry);
    const { timeouts, msecs } = cursor.list;
    for (; cursor.index < timeouts.length; cursor.index++) {
      const { timeout, start } = timeouts[cursor.index] as { timeout: T; start: number };
      if (time - start < msecs) {
        cursor.expiry = Math.max(start + msecs, time + 1);
        cursor.id = nextId++;
        break;
      }
      (time === now ? due : later).push(timeout);
    }
    if (cursor.index === timeouts.length) pop(heap);
    else sink(heap);
  }
  return { due, later };
}

function isBefore<T>(a: ListCursor<T>, b: ListCursor<T>): boolean {
  return a.expiry === b.expiry ? a.id < b.id : a.expiry < b.expiry;
}

function push<T>(heap: ListCursor<T>[], cursor: ListCursor<T>): void {
  let index = heap.length;
  for (
    let parent = (index - 1) >> 1;
    index > 0 && isBefore(cursor, heap[parent] as ListCursor<T>);
    parent = (index - 1) >> 1
  ) {
    heap[index] = heap[parent] as ListCursor<T>;
    index = parent;
  }
  heap[index] = cursor;
}

function pop<T>(heap: ListCursor<T>[]): void {
  const last = heap.pop() as ListCursor<T>;
  if (heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}

/** Restores the order of the heap after the expiry of its first list has increased. */
function sink<T>(heap: ListCursor<T>[]): void {
  const cursor = heap[0] as ListCursor<T>;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as ListCursor<T>, heap[child] as ListCursor<T>)) child++;
    if (!isBefore(heap[child] as ListCursor<T>, cursor)) break;
    heap[index] = heap[child] as ListCursor<T>;
    index = child;
  }
  heap[index] = cursor;
}
