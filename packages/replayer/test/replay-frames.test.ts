// What a run again says to the process that has started it, however a pipe cuts it into chunks.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, frameOf } from '../src/replay/frames.ts';

const said = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ part: fc.record({ phase: fc.nat(), worker: fc.nat(9) }) }),
);
const frames = fc.array(fc.tuple(said, fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined })), {
  maxLength: 12,
});

test('is the same, whatever the chunks it comes in', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (given, sizes) => {
      const all = Buffer.concat(given.flatMap(([line, bytes]) => frameOf(line, bytes)));
      const reader = new FrameReader();
      const read: unknown[] = [];
      for (let at = 0, i = 0; at < all.length; i++) {
        const end = at + (sizes[i % sizes.length] as number);
        for (const frame of reader.add(all.subarray(at, end)))
          read.push([frame.said, frame.bytes && Uint8Array.from(frame.bytes)]);
        at = end;
      }
      expect(read).toEqual(given.map(([line, bytes]) => [line, bytes]));
    }),
  );
});
