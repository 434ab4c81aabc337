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
    const [senders, lists] = [new Uint32Array(those), new Uint32Array(those)];
    const kinds = new Uint8Array(those);
    const marked: number[] = [];
    const marks: number[] = [];
    for (let i = 0; i < those; i++) {
      const place = from + i;
      const row = order[place - 1] as number;
      times[i] = columns.times.at(row) - begins;
      senders[i] = index.sender(place) ?? 0;
      lists[i] = columns.lists.at(row);
      kinds[i] = columns.kinds.at(row);
    }
    const next = from + those;
    index.survey.eachMark(from, next - 1, (place, kind) => {
      if (SHOWN[kind] !== true) return;
      marked.push(place);
      marks.push(kind);
    });
    return {
      count: those,
      times: base64(times),
      actors: base64(this.#actors.slice(from, from + those)),
      kinds: base64(kinds),
      senders: base64(senders),
      lists: base64(lists),
      marked: base64(Uint32Array.from(marked)),
      marks: base64(Uint8Array.from(marks)),
      next: next <= index.count ? next : undefined,
    };
  }
}

/** The least significant byte first, wherever this runs. */
function base64(words: Uint8Array | Uint32Array | Float64Array): string {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  if (endianness() === 'BE' && words.BYTES_PER_ELEMENT === 4) bytes.swap32();
  if (endianness() === 'BE' && words.BYTES_PER_ELEMENT === 8) bytes.swap64();
  return bytes.toString('base64');
}
