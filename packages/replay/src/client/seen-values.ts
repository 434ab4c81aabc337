// What is seen of values: the variables of frames, and the parts of objects, page by page. The time machine gives objects numbers that it forgets when it looks at another frame or goes on;
// a client keeps its own. So each value here knows how it was come to, and is found again that way when its number is one of before. Nothing of it is kept when all stand elsewhere.
import type { Client } from '../client.ts';
import type { ResultOf, ToldValue } from '../protocol.ts';
import { expressionOf, type ToldEntry } from '../protocol/expression-of.ts';

/** Some parts of a value, from one to before another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Parts {
  readonly entries: readonly ToldEntry[];
  readonly total: number;
}

/** What has parts. */
export interface Whole {
  /** An expression that leads to it, in the innermost function. */
  readonly expression: string | undefined;
  readonly value: ToldValue | undefined;
  /** Where the expression means it; where all stand, if it is not said. */
  readonly at: string | undefined;
  /** Those parts; all, if the source has no pages. */
  parts(range: Range): Promise<Parts>;
}

/** A part of it. */
export interface Part {
  readonly expression: string | undefined;
  /** Nothing, if it has no parts itself. */
  readonly whole: Whole | undefined;
}

type Message = ResultOf<'mailbox'>['messages'][number];
type Again = () => Promise<ToldValue | undefined>;

export class SeenValues {
  readonly #client: Client;
  /** Numbers of objects are of one of these. */
  #epoch = 0;
  /** The frame that was looked at last. */
  #frame: { readonly index: number; readonly epoch: number; readonly entries: readonly ToldEntry[] } | undefined;
  /** One after the other: looking at a frame makes numbers of another one invalid. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  /** All stand elsewhere. */
  forget(): void {
    this.#epoch++;
    this.#frame = undefined;
  }

  partsOf(whole: Whole, range: Range): Promise<Parts> {
    const looked = this.#looking.then(() => whole.parts(range));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** Of a frame, by its number. @param at where it stands */
  frame(index: number, at: string | undefined): Whole {
    return {
      expression: undefined,
      value: undefined,
      at,
      parts: async ({ from, to }) => {
        const all = await this.#entriesOf(index);
        return { entries: all.slice(from, to), total: all.length };
      },
    };
  }

  async #entriesOf(index: number): Promise<readonly ToldEntry[]> {
    const known = this.#frame;
    if (known?.index === index && known.epoch === this.#epoch) return known.entries;
    const { entries } = await this.#client.request('variables', { frame: index });
    this.#frame = { index, epoch: ++this.#epoch, entries };
    return entries;
  }

  /** What waits for an actor. */
  mailbox(actor: { readonly worker: number; readonly id: number }): Whole {
    const parts = async ({ from, to }: Range): Promise<Parts> => {
      const page = { worker: actor.worker, id: actor.id, from, count: Math.max(1, to - from) };
      const found = await this.#client.request('mailbox', page);
      const entries = found.messages.map((message, i) => ({
        name: String(from + i),
        is: 'inner',
        isEnumerable: true,
        value: { kind: 'message', preview: messageText(message) },
      }));
      return { entries, total: found.total };
    };
    return { expression: undefined, value: undefined, at: undefined, parts };
  }

  /** @param again tells of it once more; nothing, if it has no parts */
  value(value: ToldValue, its: Pick<Whole, 'expression' | 'at'>, again: Again): Whole | undefined {
    if (value.id === undefined) return undefined;
    const held = { id: value.id, epoch: this.#epoch };
    return {
      ...its,
      value,
      parts: async ({ from, to }) => {
        if (held.epoch !== this.#epoch) {
          const found = (await again())?.id;
          if (found === undefined) throw new Error(`${value.preview} is not there any more`);
          Object.assign(held, { id: found, epoch: this.#epoch });
        }
        return this.#client.request('expand', { id: held.id, from, count: Math.max(1, to - from) });
      },
    };
  }

  /** @param index its place among the parts */
  part(whole: Whole, entry: ToldEntry, index: number): Part {
    const isRoot = whole.value === undefined;
    const expression = expressionOf(entry, isRoot ? undefined : whole);
    const again: Again = async () => (await whole.parts({ from: index, to: index + 1 })).entries[0]?.value;
    const its = { expression, at: whole.at };
    return { expression, whole: entry.value && this.value(entry.value, its, again) };
  }
}

/** What is not told of yet, as so many pieces as are told of at once, at most. */
export function piecesOf({ from, to }: Range, most: number): Range[] {
  let size = most;
  while ((to - from) / size > most) size *= most;
  const pieces: Range[] = [];
  for (let first = from; first < to; first += size) pieces.push({ from: first, to: Math.min(first + size, to) });
  return pieces;
}

function messageText({ what, from, values }: Message): string {
  const given = values?.map(({ preview }) => preview).join(', ') ?? '…';
  return `${what}(${given})${from === undefined ? '' : ` from ${from}`}`;
}
