// What is deleted to make room. The newest is always kept, and what is pinned; of the rest the oldest go first: whatever is older than
// the first that is too much goes too, so that what remains is a task without gaps.

import { misuseError } from './recording-error.ts';

/** Rules hold together: what breaks one of them goes. */
export interface Retention {
  readonly count?: number;
  /** Milliseconds. */
  readonly age?: number;
  /** Bytes on the disk, all together. */
  readonly bytes?: number;
}

export interface RetainedItem {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
  /** Cannot be deleted, and takes room all the same. */
  readonly isPinned?: boolean;
}

/** @throws {RecordingError} for a rule that says nothing */
export function checkRetention(rules: Retention, optionName: string): void {
  for (const rule of ['count', 'age', 'bytes'] as const) {
    const value = rules[rule];
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw misuseError(
        `${optionName}.${rule} is ${String(value)}; give a number that is not negative, or leave it out`,
      );
  }
}

/** Those to delete, oldest first. */
export function surplusOf<Item extends RetainedItem>(
  oldestFirst: readonly Item[],
  rules: Retention,
  now: number,
): Item[] {
  const { count = Infinity, age = Infinity, bytes = Infinity } = rules;
  let keptCount = 0;
  let keptBytes = 0;
  let isFull = false;
  const surplus: Item[] = [];
  for (const [index, item] of oldestFirst.toReversed().entries()) {
    isFull ||= keptCount + 1 > count || keptBytes + item.bytes > bytes || now - item.time > age;
    if (isFull && index > 0 && item.isPinned !== true) surplus.push(item);
    else {
      keptCount++;
      keptBytes += item.bytes;
    }
  }
  return surplus.toReversed();
}
