// Selects the items to delete. The newest item and pinned ones stay. Every other item older than a surplus item is
// deleted as well, so that the rest has no gaps.

import { misuseError } from './recording-error.ts';

/** Limits that must all hold. */
export interface Retention {
  readonly count?: number;
  /** Maximum age in milliseconds. */
  readonly age?: number;
  /** Maximum size of all items on the disk. */
  readonly bytes?: number;
}

export interface RetainedItem {
  /** Time at which the item was written, in milliseconds since 1970. */
  readonly time: number;
  readonly bytes: number;
  /** Whether the item must stay. Its size counts all the same. */
  readonly isPinned?: boolean;
}

/** @throws {RecordingError} if a limit is not a valid number */
export function checkRetention(rules: Retention, optionName: string): void {
  for (const rule of ['count', 'age', 'bytes'] as const) {
    const value = rules[rule];
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw misuseError(`${optionName}.${rule} must be a number that is not negative, not ${String(value)}`);
  }
}

/** Returns the items to delete, oldest first. */
export function surplusOf<T extends RetainedItem>(oldestFirst: readonly T[], rules: Retention, now: number): T[] {
  const { count = Infinity, age = Infinity, bytes = Infinity } = rules;
  let keptCount = 0;
  let keptBytes = 0;
  let isFull = false;
  const surplus: T[] = [];
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
