// What a replay must know of an entry before it performs the entry.
import type { TapeValue } from '@turntable/core';
import { MEMBRANE_EVENT, OP_FLAG, type EncodedList } from './encoding.ts';

/** Whether the host called from Node's microtask queue. */
export function isMicrotaskEntry(value: TapeValue): boolean {
  return hasFlag(value, OP_FLAG.microtask);
}

/** Whether a replay must throw the error of an entry. False if the program may throw the same error itself. */
export function isReplayedError(value: TapeValue): boolean {
  const [event, , isUncertain] = value as EncodedList;
  return event === MEMBRANE_EVENT.uncaught || (event === MEMBRANE_EVENT.failed && isUncertain !== true);
}

/** Whether an entry is in the same turn of Node as the entry before it, or in its own; undefined if unknown. */
export function chainingOf(value: TapeValue): 'apart' | 'chained' | undefined {
  const entry = value as EncodedList;
  switch (entry[0]) {
    case MEMBRANE_EVENT.uncaught:
    case MEMBRANE_EVENT.failed:
    case MEMBRANE_EVENT.rejected:
      return 'apart';
    case MEMBRANE_EVENT.shown:
      return entry[3] === true ? 'chained' : undefined;
    case MEMBRANE_EVENT.aborted:
      return entry[2] === true ? 'chained' : undefined;
    default:
      return hasFlag(entry, OP_FLAG.chained) ? 'chained' : undefined;
  }
}

function hasFlag(event: TapeValue, flag: number): boolean {
  const [code] = event as EncodedList;
  return typeof code === 'number' && (code & flag) !== 0;
}
