// What is seen of values: the variables of frames, and the parts of objects, page by page. The time machine gives objects numbers that it forgets when it looks at another frame or goes on;
// a client keeps its own. So each value here knows how it was come to, and is found again that way when its number is one of before. Nothing of it is kept when all stand elsewhere.
import type { Client, RequestOptions } from './client.ts';
import type { ParamsOf, ResultOf, ToldValue } from '../protocol.ts';
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
  /** Of a text: as much of it as is wanted, from its beginning on. */
  readonly text?: ((most: number) => Promise<string>) | undefined;
}

export interface Part {
  readonly expression: string | undefined;
  /** Nothing, if it has no parts itself. */
  readonly whole: Whole | undefined;
}

export type Evaluated = ResultOf<'evaluate'> & { readonly whole: Whole | undefined };

type Message = ResultOf<'mailbox'>['messages'][number];
type Again = () => Promise<ToldValue | undefined>;

/** Characters that are one part of a text, and that are asked for at once. */
const PIECE = 1000;
const AT_ONCE = 1_000_000;

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

  forget(): void {
    this.#epoch++;
    this.#frame = undefined;
  }

  partsOf(whole: Whole, range: Range): Promise<Parts> {
    const looked = this.#looking.then(() => whole.parts(range));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** Of a text that has a number, as much as is wanted; of what has none there is nothing to be asked. */
  textOf({ text }: Whole, most: number): Promise<string | undefined> {
    const looked = this.#looking.then(() => text?.(most));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** With the variables of a frame. In an outer one it is not evaluated where it could change anything. @param at where the frame stands, if it is an outer one */
  evaluate(wish: ParamsOf<'evaluate'>, at: string | undefined, options: RequestOptions): Promise<Evaluated> {
    const isOuter = (wish.frame ?? 0) > 0;
    const ask = (effects: typeof wish.effects, how: RequestOptions): Promise<ResultOf<'evaluate'>> => {
      if (isOuter) this.forget();
      return this.#client.request('evaluate', { ...wish, effects }, how);
    };
    const evaluated = async (): Promise<Evaluated> => {
      const found = await ask(wish.effects, options);
      const again: Again = async () => {
        if (found.isPure) return (await ask('none', {})).value;
        throw new Error(`${wish.text} may change something: it is not evaluated a second time`);
      };
      return { ...found, whole: found.value && this.value(found.value, { expression: wish.text.trim(), at }, again) };
    };
    if (!isOuter) return evaluated();
    const looked = this.#looking.then(evaluated);
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
    const idNow = async (): Promise<number> => {
      if (held.epoch !== this.#epoch) {
        const found = (await again())?.id;
        if (found === undefined) throw new Error(`${value.preview} is not there any more`);
        Object.assign(held, { id: found, epoch: this.#epoch });
      }
      return held.id;
    };
    const count = ({ from, to }: Range): number => Math.max(1, to - from);
    if (value.kind === 'string')
      return {
        ...its,
        value,
        parts: async (range) => {
          const from = range.from * PIECE;
          const wish = { id: await idNow(), from, count: Math.min(AT_ONCE, count(range) * PIECE) };
          const { text, total } = await this.#client.request('text', wish);
          return { entries: piecesOfText(text, from), total: Math.ceil(total / PIECE) };
        },
        text: async (most) => {
          let all = '';
          for (let total = 1; all.length < Math.min(total, most);) {
            const wish = { id: await idNow(), from: all.length, count: Math.min(AT_ONCE, most - all.length) };
            const found = await this.#client.request('text', wish);
            total = found.total;
            all += found.text;
          }
          return all;
        },
      };
    return {
      ...its,
      value,
      parts: async (range) =>
        this.#client.request('expand', { id: await idNow(), from: range.from, count: count(range) }),
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

/** As parts of it. @param from where it begins in the whole */
function piecesOfText(text: string, from: number): ToldEntry[] {
  const entries: ToldEntry[] = [];
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = text.slice(at, at + PIECE);
    const name = `${from + at} … ${from + at + piece.length - 1}`;
    entries.push({
      name,
      is: 'inner',
      isEnumerable: false,
      value: { kind: 'string', preview: JSON.stringify(piece) },
    });
  }
  return entries;
}

function messageText({ what, from, values }: Message): string {
  const given = values?.map(({ preview }) => preview).join(', ') ?? '…';
  return `${what}(${given})${from === undefined ? '' : ` from ${from}`}`;
}
