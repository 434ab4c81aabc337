// What is seen of values, as variables of the protocol: those of frames, and the parts of objects, page by page, each by a number of its own. Nothing of it is kept when all stand elsewhere.
import {
  Numbered,
  piecesOf,
  SeenValues,
  type Evaluated,
  type Range,
  type RequestOptions,
  type Resident,
  type ToldEntry,
  type Whole,
} from '@turntable/time-machine/client';
import type { ParamsOf, ToldValue } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';
import type { Told } from './told.ts';

export type ToldVariable = Told<DebugProtocol.Variable>;

/** Parts that are told of at once. */
const PAGE = 100;
/** Asked for at once. */
const MOST = 1000;
/** Characters of a text that are shown in a list. */
const LINE = 1000;

/** Some parts of something, or all. */
interface Piece {
  readonly whole: Whole;
  readonly range: Range | undefined;
  /** What leads to the parts that were told of, by their names. */
  readonly told: Map<string, string | undefined>;
}

export class Variables {
  readonly #values: SeenValues;
  readonly #pieces = new Numbered<Piece>();

  constructor(ground: Ground) {
    this.#values = new SeenValues(ground.client);
  }

  forget(): void {
    this.#values.forget();
    this.#pieces.forget();
  }

  /** Of a frame, by its number. @param at where it stands */
  frame(index: number, at: string | undefined): number {
    return this.#referenceOf(this.#values.frame(index, at));
  }

  evaluate(wish: ParamsOf<'evaluate'>, at: string | undefined, options: RequestOptions): Promise<Evaluated> {
    return this.#values.evaluate(wish, at, options);
  }

  /** The number of what was answered to an expression. */
  evaluated({ whole }: Evaluated): number {
    return this.#referenceOf(whole);
  }

  /** Of a text all, unless it is longer than that; of anything else its line. */
  async lineOf(value: ToldValue, whole: Whole | undefined, most: number): Promise<string> {
    const { kind, length = 0, preview } = value;
    if (kind !== 'string' || length === 0 || length > most || whole === undefined) return preview;
    return JSON.stringify(await this.#values.textOf(whole, most));
  }

  /** The state of an actor, as `population` tells of it. */
  actor(value: ToldValue | undefined, again: () => Promise<ToldValue | undefined>): number {
    if (value === undefined) return 0;
    return this.#referenceOf(this.#values.value(value, { expression: undefined, at: undefined }, again));
  }

  mailbox(actor: Resident): number {
    return this.#referenceOf(this.#values.mailbox(actor));
  }

  /** What leads to a part of something that was told of, and where it means that. */
  leadingTo(
    reference: number,
    name: string,
  ): { readonly expression: string | undefined; readonly at: string | undefined } {
    const { told, whole } = this.#pieceOf(reference);
    return { expression: told.get(name), at: whole.at };
  }

  async variables(
    reference: number,
    { start = 0, count = 0 }: { readonly start: number | undefined; readonly count: number | undefined },
  ): Promise<ToldVariable[]> {
    const piece = this.#pieceOf(reference);
    const { whole, range } = piece;
    const from = (range?.from ?? 0) + start;
    const isPaged = count > 0;
    const last = range?.to ?? Infinity;
    const to = Math.min(from + (isPaged ? Math.min(count, MOST) : PAGE), last);
    const { entries, total } = await this.#values.partsOf(whole, { from, to });
    const told = await Promise.all(entries.map((entry, i) => this.#told(piece, entry, from + i)));
    return isPaged ? told : [...told, ...this.#rest(piece, { from: to, to: Math.min(total, last) })];
  }

  /** What is not told of yet, as pieces that can be opened. */
  #rest({ whole, told }: Piece, { from, to }: Range): ToldVariable[] {
    return piecesOf({ from, to }, PAGE).map((range) => ({
      name: `[${range.from} … ${range.to - 1}]`,
      value: '',
      presentationHint: { kind: 'virtual', attributes: ['readOnly'] },
      variablesReference: this.#pieces.add({ whole, range, told }),
    }));
  }

  async #told({ whole, told }: Piece, entry: ToldEntry, index: number): Promise<ToldVariable> {
    const { name, is, isEnumerable, value } = entry;
    const part = this.#values.part(whole, entry, index);
    told.set(name, part.expression);
    const line = value && (await this.lineOf(value, part.whole, LINE));
    const kind = is === 'inner' ? 'virtual' : is === 'variable' ? 'data' : 'property';
    const isHidden = is === 'inner' ? name === 'prototype' : is !== 'variable' && !isEnumerable;
    return {
      name,
      value: line ?? (is === 'accessor' ? '(accessor)' : '(no value yet)'),
      type: value?.class ?? value?.kind,
      evaluateName: part.expression,
      presentationHint: { kind, attributes: ['readOnly'], visibility: isHidden ? 'internal' : 'public' },
      variablesReference: this.#referenceOf(part.whole),
    };
  }

  #referenceOf(whole: Whole | undefined): number {
    return whole === undefined ? 0 : this.#pieces.add({ whole, range: undefined, told: new Map() });
  }

  #pieceOf(reference: number): Piece {
    const piece = this.#pieces.get(reference);
    if (piece !== undefined) return piece;
    throw new DapError(
      'TT_DAP_NOT_THERE',
      `there is no variable ${reference} here: they are forgotten when all go elsewhere`,
    );
  }
}
