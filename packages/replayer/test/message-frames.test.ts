// Tests the decoding of messages to the parent process, for all chunk boundaries.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageFrameReader, encodeMessageFrame } from '../src/replay/message-frames.ts';

const messageArbitrary = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ part: fc.record({ phase: fc.nat(), worker: fc.nat(9) }) }),
);
const framesArbitrary = fc.array(
  fc.tuple(messageArbitrary, fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined })),
  {
    maxLength: 12,
  },
);

test('decodes the same messages for any chunks', () => {
  fc.assert(
    fc.property(framesArbitrary, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (framesSent, sizes) => {
      const all = Buffer.concat(framesSent.flatMap(([line, bytes]) => encodeMessageFrame(line, bytes)));
      const reader = new MessageFrameReader();
      const read: unknown[] = [];
      for (let offset = 0, i = 0; offset < all.length; i++) {
        const end = offset + (sizes[i % sizes.length] as number);
        for (const frame of reader.decode(all.subarray(offset, end)))
          read.push([frame.message, frame.bytes && Uint8Array.from(frame.bytes)]);
        offset = end;
      }
      expect(read).toEqual(framesSent.map(([line, bytes]) => [line, bytes]));
    }),
  );
});
