// Selects what to delete. The newest and pinned items are kept. Of the rest, the first item beyond a limit is deleted
// with all older ones, so that the remaining items are contiguous.

import { misuseError } from './recording-error.ts';

/** Rules apply together: breaking one is enough. */
export interface Retention {
  readonly count?: number;
  /** Milliseconds. */
  readonly age?: number;
  /** Total bytes on disk. */
  readonly bytes?: number;
}

export interface RetainedItem {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
  /** Cannot be deleted, but counts. */
  readonly isPinned?: boolean;
}

/** @throws {RecordingError} for an invalid rule */
export function checkRetention(rules: Retention, optionName: string): void {
  for (const rule of ['count', 'age', 'bytes'] as const) {
    const value = rules[rule];
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw misuseError(
        `${optionName}.${rule} is ${String(value)}; give a number that is not negative, or leave it out`,
      );
  }
}

/** The items to delete, oldest first. */
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
