// Statement traces: the form in which they are sent, and traces that end before their task.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageDecoder, encodeMessage } from '@turntable/time-machine/replay-process';
import { packIntegers, unpackIntegers } from '../src/replay-process/packed-integers.ts';
import { traceOfStatements } from './traces.ts';

test('integers are unpacked as they were packed, in short lists and long ones', () => {
  const integers = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer()), { maxLength: 50 });
  fc.assert(
    fc.property(integers, fc.constantFrom(1, 500), (list, repetitions) => {
      const all = Int32Array.from({ length: list.length * repetitions }, (_, i) => list[i % list.length] as number);
      expect(unpackIntegers(packIntegers(all))).toEqual(all);
    }),
  );
});

test('messages are decoded from chunks of any lengths', () => {
  const message = fc.record({ text: fc.string(), lines: fc.array(fc.string()) });
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (messages, lengths) => {
      const text = messages.map(encodeMessage).join('');
      const decoder = new MessageDecoder();
      const decoded: unknown[] = [];
      for (let at = 0, i = 0; at < text.length; i++) {
        const length = lengths[i % lengths.length] as number;
        decoded.push(...decoder.decode(text.slice(at, at + length)));
        at += length;
      }
      expect(decoded).toEqual(messages);
    }),
  );
});

test('a step that would leave a truncated trace is refused, and one inside of it is not', () => {
  const location = { file: 'file:///a.mjs', line: 1, column: 1, endLine: 1, endColumn: 9 };
  const about = { ...location, function: 'f', ordinal: 0, kind: 'statement', code: 'c', number: 0 };
  const depths = [1, 2, 2, 1, 2];
  const list = depths.map((depth) => ({ location: about, depth, startsList: true }));
  const trace = traceOfStatements(1, list, { isTruncated: true });
  const refused = expect.objectContaining({
    code: 'TT_TASK_TOO_LONG',
    message: expect.stringContaining('only the first 5 statements of this task can be stepped through') as string,
  }) as Error;
  expect(trace.nextOfCall(trace.callOf(0), 0)).toBe(3);
  // This call has ended.
  expect(trace.nextOfCall(trace.callOf(2), 2)).toBe(-1);
  expect(() => trace.nextOfCall(trace.callOf(3), 3)).toThrow(refused);
  expect(trace.indexOf({ order: 1, list: 5, statement: 1 })).toBe(4);
  expect(() => trace.indexOf({ order: 1, list: 6, statement: 1 })).toThrow(refused);
});
