// All stretches in columns of numbers, a piece at a time: what a time line of a million of them is drawn from. A stretch told as an object takes twenty times as much.
import { endianness } from 'node:os';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { MARK_KINDS } from '../notes.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';
import { isShown } from './told-stretch.ts';

const SHOWN = MARK_KINDS.map((kind) => isShown({ kind }));

export class Overview {
  readonly #index: SurveyIndex;
  /** Of each stretch, the place of its performer among all that `actors` answers. */
  readonly #actors: Uint32Array;

  constructor(index: SurveyIndex) {
    this.#index = index;
    this.#actors = new Uint32Array(index.count + 1);
    const performers = index.performers.toSorted((one, other) => (one.stretches[0] ?? 0) - (other.stretches[0] ?? 0));
    performers.forEach(({ stretches }, place) => {
      for (const order of stretches) this.#actors[order] = place;
    });
  }

  piece({ from, count }: ParamsOf<'overview'>): ResultOf<'overview'> {
    const index = this.#index;
    const { columns, order } = index.survey.parts;
    const begins = index.count === 0 ? 0 : columns.times.at(order[0] as number);
    const those = Math.max(0, Math.min(count, index.count - from + 1));
    const times = new Float64Array(those);
    const [senders, lists] = [new Float64Array(those), new Float64Array(those)];
    const kinds = new Float64Array(those);
    const marked: number[] = [];
    const marks: number[] = [];
    for (let i = 0; i < those; i++) {
      const place = from + i;
      const row = order[place - 1] as number;
      times[i] = Math.round((columns.times.at(row) - begins) * 1000);
      senders[i] = place - (index.sender(place) ?? place);
      lists[i] = columns.lists.at(row);
      kinds[i] = columns.kinds.at(row);
    }
    const next = from + those;
    index.survey.eachMark(from, next - 1, (place, kind) => {
      if (SHOWN[kind] !== true) return;
      marked.push(place - from);
      marks.push(kind);
    });
    return {
      count: those,
      times: column(times),
      actors: column(Float64Array.from(this.#actors.subarray(from, from + those))),
      kinds: column(kinds),
      senders: column(senders),
      lists: column(lists),
      standing: marked.length,
      marked: column(Float64Array.from(marked)),
      marks: column(Float64Array.from(marks)),
      next: next <= index.count ? next : undefined,
    };
  }
}

/** In as few bytes as all of them can be had in. */
function column(values: Float64Array): string {
  let [least, most] = [0, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least < 0 || most >= 2 ** 32) return base64(values);
  if (most >= 2 ** 16) return base64(Uint32Array.from(values));
  return base64(most >= 2 ** 8 ? Uint16Array.from(values) : Uint8Array.from(values));
}

/** The least significant byte first, wherever this runs. */
function base64(words: Uint8Array | Uint16Array | Uint32Array | Float64Array): string {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const { BYTES_PER_ELEMENT: wide } = words;
  if (endianness() === 'BE' && wide === 2) bytes.swap16();
  if (endianness() === 'BE' && wide === 4) bytes.swap32();
  if (endianness() === 'BE' && wide === 8) bytes.swap64();
  return bytes.toString('base64');
}
