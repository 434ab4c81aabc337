// Tests the parts of states.
import { expect, it } from 'vitest';
import { describeStateParts } from '../src/replay-process/state-parts.ts';

const KNOWN = { waitersOf: () => [], privateFieldsOf: () => [] };

it('a timer has no parts that depend on the clock', () => {
  const timeout = setTimeout(() => {}, 1000);
  const immediate = setImmediate(() => {});
  const { parts } = describeStateParts([['held', { timeout, immediate, again: timeout }]], KNOWN, 100);
  clearTimeout(timeout);
  clearImmediate(immediate);
  expect(parts).toEqual([
    ['held', '{…}'],
    ['held.timeout', 'Timeout'],
    ['held.immediate', 'Immediate'],
    ['held.again', 'the same as held.timeout'],
  ]);
});
