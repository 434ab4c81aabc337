// Time lines that never were.
import fc from 'fast-check';
import { TimeLine } from '../src/model/time-line.ts';

export interface Drawn {
  readonly actor: number;
  readonly wait: number;
  readonly sender: number;
  readonly mark: number | undefined;
}

export const stretches: fc.Arbitrary<Drawn[]> = fc.array(
  fc.record({
    actor: fc.nat(4),
    wait: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 10, noNaN: true })),
    sender: fc.nat(1000),
    mark: fc.option(fc.nat(3), { nil: undefined, freq: 5 }),
  }),
  { minLength: 1, maxLength: 300, size: 'max' },
);

/** In pieces, as the protocol has them. @param onPart is told of it after each of them */
export function timeLineOf(
  all: readonly Drawn[],
  piece = 64,
  onPart: (timeLine: TimeLine) => void = () => undefined,
): TimeLine {
  let timeLine = new TimeLine(all.length);
  let time = 0;
  for (let from = 0; from < all.length; from += piece) {
    const those = all.slice(from, from + piece);
    const marked = those.flatMap(({ mark }, i) => (mark === undefined ? [] : [[from + i + 1, mark] as const]));
    timeLine = timeLine.with({
      count: those.length,
      times: base64(Float64Array.from(those, ({ wait }) => (time += wait))),
      actors: base64(Uint32Array.from(those, ({ actor }) => actor)),
      kinds: base64(Uint8Array.from(those, ({ actor }) => actor % 3)),
      // Of those before it.
      senders: base64(Uint32Array.from(those, ({ sender }, i) => (from + i === 0 ? 0 : sender % (from + i + 1)))),
      lists: base64(Uint32Array.from(those, ({ wait }) => Math.floor(wait))),
      marked: base64(Uint32Array.from(marked, ([order]) => order)),
      marks: base64(Uint8Array.from(marked, ([, mark]) => mark)),
    });
    onPart(timeLine);
  }
  return timeLine;
}

function base64(words: Uint8Array | Uint32Array | Float64Array): string {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64');
}
