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
    const marked = those.flatMap(({ mark }, i) => (mark === undefined ? [] : [[i, mark] as const]));
    // Senders are of those before.
    const before = those.map(({ sender }, i) => sender % (from + i + 1));
    timeLine = timeLine.with({
      count: those.length,
      times: base64(timesOf(those.map(({ wait }) => (time += Math.round(wait * 1000))))),
      actors: base64(Uint8Array.from(those, ({ actor }) => actor)),
      kinds: base64(Uint8Array.from(those, ({ actor }) => actor % 3)),
      // As wide as it takes in some pieces, and wider in others.
      senders: base64(from % 128 === 0 ? Uint16Array.from(before) : Uint32Array.from(before)),
      lists: base64(Uint32Array.from(those, ({ wait }) => Math.floor(wait))),
      standing: marked.length,
      marked: base64(Uint32Array.from(marked, ([order]) => order)),
      marks: base64(Uint8Array.from(marked, ([, mark]) => mark)),
    });
    onPart(timeLine);
  }
  return timeLine;
}

function timesOf(all: readonly number[]): Uint32Array | Float64Array {
  return Math.max(...all) < 2 ** 32 ? Uint32Array.from(all) : Float64Array.from(all);
}

function base64(words: Uint8Array | Uint16Array | Uint32Array | Float64Array): string {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64');
}
