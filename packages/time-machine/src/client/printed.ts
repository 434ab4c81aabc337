// What the program has printed, as somebody who goes forward sees it: each text once, when the statement that prints it is behind. In the stretch that somebody stands in the statements that
// print are asked for; of those that are behind all is told.
import type { Client } from './client.ts';
import type { ResultOf, Where } from '../protocol.ts';
import { compareSpots, spotOf } from './spots.ts';

type Mark = ResultOf<'marks'>['marks'][number];
export type PrintedTo = 'stdout' | 'stderr';

export interface PrintedText {
  readonly to: PrintedTo;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface Console {
  print(printed: PrintedText): void;
  /** More was printed, from a stretch on, than is told at once. */
  more(from: number): void;
  /** It is not known, and why. */
  fails(why: string): void;
}

interface Page {
  readonly marks: readonly Mark[];
  readonly next?: number | undefined;
}

const KINDS = ['stdout', 'stderr'] as const;
/** Marks that are asked for at once, and that are told of after one move. */
const PAGE = 1000;
/** Of a stretch: where it prints more often, it is told when the stretch is behind. */
const MOST_HERE = 20;

export class Printed {
  readonly #client: Client;
  readonly #console: Console;
  /** By their stretches: how many of these. */
  readonly #told = new Map<number, number>();
  #looking = new AbortController();
  /** The first stretch of which it is to be told: who goes on before that is done is told later. */
  #due: number | undefined;

  constructor(client: Client, told: Console) {
    this.#client = client;
    this.#console = told;
  }

  /** All stand elsewhere. */
  async passed(before: Where, where: Where): Promise<void> {
    this.#looking.abort();
    const { signal } = (this.#looking = new AbortController());
    const isForward = compareSpots(spotOf(before), spotOf(where)) < 0;
    const from = (this.#due = isForward ? (this.#due ?? before.order) : undefined);
    if (from === undefined) return;
    try {
      const { marks, next } = await this.#marks(from, PAGE, signal);
      const isHere = ({ order }: Mark): boolean => order === where.order;
      const behind = marks.filter(({ order }) => order < where.order);
      const here = marks.filter(isHere);
      const count = here.length === 0 ? 0 : await this.#printedHere(here.length, where, signal);
      if (signal.aborted) return;
      this.#tell([...behind, ...here.slice(0, count)]);
      this.#due = undefined;
      if (next !== undefined && next < where.order) this.#console.more(next);
    } catch (error) {
      if (!signal.aborted) this.#console.fails((error as Error).message);
    }
  }

  /** All of a piece of the recording, in order: how much it was. */
  async all(from: number, to: number, signal: AbortSignal): Promise<number> {
    let count = 0;
    for (let next: number | undefined = from; next !== undefined && next <= to;) {
      const page: Page = await this.#marks(next, PAGE, signal);
      const meant = page.marks.filter(({ order }) => order <= to);
      for (const each of meant) this.#print(each);
      count += meant.length;
      next = page.next;
    }
    return count;
  }

  forget(): void {
    this.#told.clear();
  }

  end(): void {
    this.#looking.abort();
  }

  #marks(from: number, count: number, signal: AbortSignal): Promise<Page> {
    return this.#client.request('marks', { kinds: KINDS, from, count }, { signal });
  }

  /** Of so many texts of the stretch, how many its statements have printed that are behind. */
  async #printedHere(count: number, where: Where, signal: AbortSignal): Promise<number> {
    if (where.stretch === undefined || where.statement === undefined || count > MOST_HERE) return 0;
    const spots: (readonly number[])[] = [];
    for (let from = where.stretch.position; ;) {
      const { found, where: there } = await this.#client.request('find', { move: 'output', from }, { signal });
      if (!found || there.order !== where.order) break;
      spots.push(spotOf(there));
      from = there.position;
    }
    // Where a statement prints several texts, nobody knows which are behind.
    if (spots.length !== count) return 0;
    return spots.filter(([, list = 0, statement = 0]) => {
      return compareSpots([where.order, list, statement], spotOf(where)) < 0;
    }).length;
  }

  #tell(marks: readonly Mark[]): void {
    const seen = new Map<number, number>();
    for (const each of marks) {
      const index = seen.get(each.order) ?? 0;
      seen.set(each.order, index + 1);
      if (index < (this.#told.get(each.order) ?? 0)) continue;
      this.#told.set(each.order, index + 1);
      this.#print(each);
    }
  }

  #print({ kind, text, time }: Mark): void {
    if (text !== undefined) this.#console.print({ to: kind as PrintedTo, text, time });
  }
}
