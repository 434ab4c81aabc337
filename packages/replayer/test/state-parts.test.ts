// States as parts, to be compared.
import { expect, it } from 'vitest';
import { statePartsOf } from '../src/replay-process/state-parts.ts';

const KNOWN = { waiting: () => [], privates: () => [] };

it('says of a timer that it is there, and nothing of how far it has come', () => {
  const timeout = setTimeout(() => {}, 1000);
  const immediate = setImmediate(() => {});
  const { parts } = statePartsOf([['held', { timeout, immediate, again: timeout }]], KNOWN, 100);
  clearTimeout(timeout);
  clearImmediate(immediate);
  expect(parts).toEqual([
    ['held', '{…}'],
    ['held.timeout', 'Timeout'],
    ['held.immediate', 'Immediate'],
    ['held.again', 'the same as held.timeout'],
  ]);
});
