// Message kinds in a mailbox can be captured.
import { expect, it } from 'vitest';
import {
  CONSTRUCT_PENDING,
  CONSTRUCT,
  FULFIL,
  kindOfNumber,
  numberOfKind,
  REJECT,
  STOP,
} from '../src/messaging/message-kinds.ts';

it('each message kind has a fixed number', () => {
  const kinds = [CONSTRUCT, CONSTRUCT_PENDING, FULFIL, REJECT, STOP];
  expect(kinds.map(numberOfKind)).toEqual([0, 1, 2, 3, 4]);
  expect(kinds.map((_, number) => kindOfNumber(number))).toEqual(kinds);
  expect(numberOfKind('then')).toBe(undefined);
  expect(kindOfNumber(kinds.length)).toBe(undefined);
});
