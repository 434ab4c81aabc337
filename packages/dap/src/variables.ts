// What is seen of values: the variables of frames, and the parts of objects, page by page. The time machine gives objects numbers that it forgets when it looks at another frame or goes on;
// a client keeps its own. So each value here knows how it was come to, and is found again that way when its number is one of before. Nothing of it is kept when all stand elsewhere.
import { expressionOf } from '@turntable/replay/client';
import type { ResultOf, ToldValue } from '@turntable/replay/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';
import { Numbered } from './numbered.ts';
import type { Told } from './told.ts';

type Entry = ResultOf<'variables'>['entries'][number];
export type ToldVariable = Told<DebugProtocol.Variable>;

/** Parts that are told of at once. */
const PAGE = 100;
/** Asked for at once. */
const MOST = 1000;

/** Some parts of a value, from one to before another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface Parts {
  readonly entries: readonly Entry[];
  readonly total: number;
}

/** What has parts. */
interface Whole {
  /** An expression that leads to it, in the innermost function. */
  readonly expression: string | undefined;
  readonly value: ToldValue | undefined;
  /** Where the expression means it; where all stand, if it is not said. */
  readonly at: string | undefined;
  /** Those parts; all, if the source has no pages. */
  parts(range: Range): Promise<Parts>;
  /** Names that were told of, with what leads to them. */
  readonly told: Map<string, string | undefined>;
}

type Message = ResultOf<'mailbox'>['messages'][number];

interface Piece {
  readonly whole: Whole;
  readonly range: Range | undefined;
}

export class Variables {
  readonly #ground: Ground;
  readonly #pieces = new Numbered<Piece>();
  /** Numbers of objects are of one of these. */
  #epoch = 0;
  /** The frame that was looked at last. */
  #frame: { readonly index: number; readonly epoch: number; readonly entries: readonly Entry[] } | undefined;
  /** One after the other: looking at a frame makes numbers of another one invalid. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** All stand elsewhere. */
  forget(): void {
    this.#epoch++;
    this.#frame = undefined;
    this.#pieces.forget();
  }

  /** Of a frame, by its number. @param at where it stands */
  frame(index: number, at: string | undefined): number {
    const whole: Whole = {
      expression: undefined,
      value: undefined,
      at,
      told: new Map(),
      parts: async ({ from, to }) => {
        const all = await this.#entriesOf(index);
        return { entries: all.slice(from, to), total: all.length };
      },
    };
    return this.#pieces.add({ whole, range: undefined });
  }

  /** A variable of a frame, by its name. */
  async named(index: number, name: string): Promise<ToldVariable | undefined> {
    const piece = this.frame(index, undefined);
    const all = await this.variables(piece, { start: 0, count: MOST });
    return all.find((each) => each.name === name);
  }

  async #entriesOf(index: number): Promise<readonly Entry[]> {
    const known = this.#frame;
    if (known?.index === index && known.epoch === this.#epoch) return known.entries;
    const { entries } = await this.#ground.client.request('variables', { frame: index });
    this.#frame = { index, epoch: ++this.#epoch, entries };
    return entries;
  }

  /** What was answered to an expression. @param again tells of it once more */
  evaluated(value: ToldValue, expression: string | undefined, again: () => Promise<ToldValue | undefined>): number {
    return this.#referenceOf(value, { expression, at: undefined, again });
  }

  /** The state of an actor, as `population` tells of it. */
  actor(value: ToldValue | undefined, again: () => Promise<ToldValue | undefined>): number {
    return value === undefined ? 0 : this.#referenceOf(value, { expression: undefined, at: undefined, again });
  }

  /** What waits for one. */
  mailbox(actor: { readonly worker: number; readonly id: number }): number {
    const messages = async ({ from, to }: Range): Promise<Parts> => {
      const page = { ...actor, from, count: Math.max(1, to - from) };
      const found = await this.#ground.client.request('mailbox', page);
      const entries = found.messages.map((message, i) => ({
        name: String(from + i),
        is: 'inner',
        isEnumerable: true,
        value: { kind: 'message', preview: messageText(message) },
      }));
      return { entries, total: found.total };
    };
    return this.#pieces.add({
      whole: { expression: undefined, value: undefined, at: undefined, told: new Map(), parts: messages },
      range: undefined,
    });
  }

  /** What leads to a part of something that was told of, and where it means that. */
  leadingTo(
    reference: number,
    name: string,
  ): { readonly expression: string | undefined; readonly at: string | undefined } {
    const { told, at } = this.#pieceOf(reference).whole;
    return { expression: told.get(name), at };
  }

  async variables(
    reference: number,
    { start = 0, count = 0 }: { readonly start: number | undefined; readonly count: number | undefined },
  ): Promise<ToldVariable[]> {
    const { whole, range } = this.#pieceOf(reference);
    const from = (range?.from ?? 0) + start;
    const isPaged = count > 0;
    const last = range?.to ?? Infinity;
    const to = Math.min(from + (isPaged ? Math.min(count, MOST) : PAGE), last);
    const { entries, total } = await this.#inTurn(() => whole.parts({ from, to }));
    const told = entries.map((entry, i) => this.#told(whole, entry, from + i));
    return isPaged ? told : [...told, ...this.#rest(whole, { from: to, to: Math.min(total, last) })];
  }

  /** What is not told of yet, as pieces that can be opened. */
  #rest(whole: Whole, { from, to }: Range): ToldVariable[] {
    if (from >= to) return [];
    let size = PAGE;
    while ((to - from) / size > PAGE) size *= PAGE;
    const pieces: ToldVariable[] = [];
    for (let first = from; first < to; first += size) {
      const range = { from: first, to: Math.min(first + size, to) };
      pieces.push({
        name: `[${range.from} … ${range.to - 1}]`,
        value: '',
        presentationHint: { kind: 'virtual', attributes: ['readOnly'] },
        variablesReference: this.#pieces.add({ whole, range }),
      });
    }
    return pieces;
  }

  #told(whole: Whole, entry: Entry, index: number): ToldVariable {
    const { name, is, isEnumerable, value } = entry;
    const isRoot = whole.value === undefined;
    const expression = expressionOf(entry, isRoot ? undefined : { expression: whole.expression, value: whole.value });
    whole.told.set(name, expression);
    const again = async (): Promise<ToldValue | undefined> =>
      (await whole.parts({ from: index, to: index + 1 })).entries[0]?.value;
    const kind = is === 'inner' ? 'virtual' : is === 'variable' ? 'data' : 'property';
    const isHidden = is === 'inner' ? name === 'prototype' : is !== 'variable' && !isEnumerable;
    return {
      name,
      value: value?.preview ?? (is === 'accessor' ? '(accessor)' : '(no value yet)'),
      type: value?.class ?? value?.kind,
      evaluateName: expression,
      presentationHint: { kind, attributes: ['readOnly'], visibility: isHidden ? 'internal' : 'public' },
      variablesReference: value === undefined ? 0 : this.#referenceOf(value, { expression, at: whole.at, again }),
    };
  }

  #referenceOf(
    value: ToldValue,
    { again, ...its }: Pick<Whole, 'expression' | 'at'> & { readonly again: () => Promise<ToldValue | undefined> },
  ): number {
    if (value.id === undefined) return 0;
    const held = { id: value.id, epoch: this.#epoch };
    const whole: Whole = {
      ...its,
      value,
      told: new Map(),
      parts: async ({ from, to }) => {
        if (held.epoch !== this.#epoch) {
          const found = (await again())?.id;
          if (found === undefined) throw new DapError('TT_DAP_NOT_THERE', `${value.preview} is not there any more`);
          Object.assign(held, { id: found, epoch: this.#epoch });
        }
        return this.#ground.client.request('expand', { id: held.id, from, count: Math.max(1, to - from) });
      },
    };
    return this.#pieces.add({ whole, range: undefined });
  }

  #pieceOf(reference: number): Piece {
    const piece = this.#pieces.get(reference);
    if (piece !== undefined) return piece;
    throw new DapError(
      'TT_DAP_NOT_THERE',
      `there is no variable ${reference} here: they are forgotten when all go elsewhere`,
    );
  }

  #inTurn<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#looking.then(look);
    this.#looking = looked.catch(() => {});
    return looked;
  }
}

function messageText({ what, from, values }: Message): string {
  const given = values?.map(({ preview }) => preview).join(', ') ?? '…';
  return `${what}(${given})${from === undefined ? '' : ` from ${from}`}`;
}
