// All stretches in columns of numbers, a piece at a time: what a time line of a million of them is drawn from. A stretch told as an object takes twenty times as much.
import type { SurveyIndex } from '../moves/index-of-survey.ts';
import { MARK_KINDS, STRETCH_KINDS } from '../notes.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

const KINDS = new Map(STRETCH_KINDS.map((kind, number) => [kind, number]));
const MARKS = new Map(MARK_KINDS.map((kind, number) => [kind, number]));

export class Overview {
  readonly #index: SurveyIndex;
  /** By the number of a performer's first stretch: its place among all that `actors` answers. */
  readonly #places: ReadonlyMap<number, number>;

  constructor(index: SurveyIndex) {
    this.#index = index;
    const firsts = index.performers.map(({ stretches }) => stretches[0] ?? 0).toSorted((a, b) => a - b);
    this.#places = new Map(firsts.map((first, place) => [first, place]));
  }

  piece({ from, count }: ParamsOf<'overview'>): ResultOf<'overview'> {
    const index = this.#index;
    const { columns, order } = index.survey.parts;
    const begins = index.count === 0 ? 0 : columns.times.at(order[0] as number);
    const those = Math.max(0, Math.min(count, index.count - from + 1));
    const times = Buffer.alloc(those * 8);
    const [actors, senders, lists] = [Buffer.alloc(those * 4), Buffer.alloc(those * 4), Buffer.alloc(those * 4)];
    const kinds = Buffer.alloc(those);
    const marked: [order: number, kind: number][] = [];
    for (let i = 0; i < those; i++) {
      const place = from + i;
      const row = order[place - 1] as number;
      times.writeDoubleLE(columns.times.at(row) - begins, i * 8);
      actors.writeUInt32LE(this.#places.get(index.performer(place)?.stretches[0] ?? 0) ?? 0, i * 4);
      senders.writeUInt32LE(index.sender(place) ?? 0, i * 4);
      lists.writeUInt32LE(columns.lists.at(row), i * 4);
      kinds[i] = KINDS.get(index.kind(place)) ?? 0;
      for (const { kind } of index.survey.marksAt(place)) marked.push([place, MARKS.get(kind) ?? 0]);
    }
    const orders = Buffer.alloc(marked.length * 4);
    marked.forEach(([place], i) => orders.writeUInt32LE(place, i * 4));
    const next = from + those;
    return {
      count: those,
      times: times.toString('base64'),
      actors: actors.toString('base64'),
      kinds: kinds.toString('base64'),
      senders: senders.toString('base64'),
      lists: lists.toString('base64'),
      marked: orders.toString('base64'),
      marks: Buffer.from(marked.map(([, kind]) => kind)).toString('base64'),
      next: next <= index.count ? next : undefined,
    };
  }
}
