// Browser of values: the variables of frames, and the parts of objects, page by page. The server's object ids become
// invalid when a client looks at another frame, but a user interface keeps its values longer. Each value here therefore
// knows how it was loaded, and is loaded again when its id is no longer valid. All values become invalid when the
// position changes.
import type { Client, RequestOptions } from './client.ts';
import type { ParamsOf, ResultOf, ValueInfo } from '../protocol.ts';
import { expressionOf, type EntryInfo } from '../protocol/expression-of.ts';

/** A range of a value's parts; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface ValuePartsPage {
  readonly entries: readonly EntryInfo[];
  readonly total: number;
}

/** A value, frame or mailbox that has parts. */
export interface ExpandableValue {
  /** An expression that evaluates to the value at `position`. */
  readonly expression: string | undefined;
  readonly value: ValueInfo | undefined;
  /** Position of the value; undefined for the current position, and for awaiting frames. */
  readonly position: string | undefined;
  /** Index of the frame to which the value belongs; default: 0, the innermost. */
  readonly frame?: number | undefined;
  /** Loads the parts of a range. */
  loadParts(range: Range): Promise<ValuePartsPage>;
  /** A part of a value at another position than the current one. */
  readonly partAt?: ((index: number, value: ValueInfo) => ExpandableValue) | undefined;
  /** Loads the beginning of a long text; undefined for other values. */
  readonly loadText?: ((maxLength: number) => Promise<string>) | undefined;
}

/** An expression and the position of the statement at which it is evaluated. */
export interface PositionedExpression {
  readonly position: string;
  readonly expression: string;
}

export interface ValuePart {
  readonly expression: string | undefined;
  /** Undefined if the part has no further parts. */
  readonly expandable: ExpandableValue | undefined;
}

export type EvaluatedExpression = ResultOf<'evaluate'> & { readonly expandable: ExpandableValue | undefined };

type MailboxMessage = ResultOf<'mailbox'>['messages'][number];
type Reload = () => Promise<ValueInfo | undefined>;

/** Number of characters of each part of a text. */
const TEXT_PART_LENGTH = 1000;
const MAX_TEXT_REQUEST = 1_000_000;

export class ValueBrowser {
  readonly #client: Client;
  /** Incremented when the object ids that were loaded before become invalid. */
  #epoch = 0;
  /** The frame whose variables were loaded last. */
  #frame: { readonly index: number; readonly epoch: number; readonly entries: readonly EntryInfo[] } | undefined;
  /** Settles after all loads so far. Loads do not overlap, since one may invalidate the object ids of another. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  invalidate(): void {
    this.#epoch++;
    this.#frame = undefined;
  }

  loadParts(expandable: ExpandableValue, range: Range): Promise<ValuePartsPage> {
    const result = this.#queue.then(() => expandable.loadParts(range));
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Loads the beginning of a long text; undefined for other values. */
  loadText({ loadText: text }: ExpandableValue, maxLength: number): Promise<string | undefined> {
    const result = this.#queue.then(() => text?.(maxLength));
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Evaluates an expression. @param at position of an outer frame, where the expression must not have side effects */
  evaluate(
    params: ParamsOf<'evaluate'>,
    at: string | undefined,
    options: RequestOptions,
  ): Promise<EvaluatedExpression> {
    const isOuter = (params.frame ?? 0) > 0;
    const ask = (effects: typeof params.effects, requestOptions: RequestOptions): Promise<ResultOf<'evaluate'>> => {
      if (isOuter) this.invalidate();
      return this.#client.request('evaluate', { ...params, effects }, requestOptions);
    };
    const evaluated = async (): Promise<EvaluatedExpression> => {
      const result = await ask(params.effects, options);
      if (!result.isPure) this.#frame = undefined;
      const reload: Reload = async () => {
        if (result.isPure) return (await ask('none', {})).value;
        throw new Error(`${params.expression} may have side effects; it is not evaluated again`);
      };
      return {
        ...result,
        expandable:
          result.value &&
          this.value(result.value, { expression: params.expression.trim(), position: at, frame: params.frame }, reload),
      };
    };
    if (!isOuter) return evaluated();
    const result = this.#queue.then(evaluated);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** The variables of a frame. @param at position of the frame */
  frame(index: number, at: string | undefined): ExpandableValue {
    return {
      expression: undefined,
      value: undefined,
      position: at,
      frame: index,
      loadParts: async ({ from, to }) => {
        const all = await this.#frameEntries(index);
        return { entries: all.slice(from, to), total: all.length };
      },
    };
  }

  async #frameEntries(index: number): Promise<readonly EntryInfo[]> {
    const cached = this.#frame;
    if (cached?.index === index && cached.epoch === this.#epoch) return cached.entries;
    const { entries } = await this.#client.request('variables', { frame: index });
    this.#frame = { index, epoch: ++this.#epoch, entries };
    return entries;
  }

  mailbox(actor: { readonly worker: number; readonly id: number }): ExpandableValue {
    const parts = async ({ from, to }: Range): Promise<ValuePartsPage> => {
      const page = { worker: actor.worker, id: actor.id, from, count: Math.max(1, to - from) };
      const result = await this.#client.request('mailbox', page);
      const entries = result.messages.map((message, i) => ({
        name: String(from + i),
        kind: 'inner',
        isEnumerable: true,
        value: { kind: 'message', preview: messageText(message) },
      }));
      return { entries, total: result.total };
    };
    return { expression: undefined, value: undefined, position: undefined, loadParts: parts };
  }

  /** An expandable value; undefined if the value has no parts. @param reload loads the value again, with a valid id */
  value(
    value: ValueInfo,
    context: Pick<ExpandableValue, 'expression' | 'position' | 'frame'>,
    reload: Reload,
  ): ExpandableValue | undefined {
    if (value.id === undefined) return undefined;
    const handle = { id: value.id, epoch: this.#epoch };
    const idNow = async (): Promise<number> => {
      if (handle.epoch !== this.#epoch) {
        const result = (await reload())?.id;
        if (result === undefined) throw new Error(`${value.preview} is no longer available`);
        Object.assign(handle, { id: result, epoch: this.#epoch });
      }
      return handle.id;
    };
    const count = ({ from, to }: Range): number => Math.max(1, to - from);
    if (value.kind === 'string')
      return {
        ...context,
        value,
        loadParts: async (range) => {
          const from = range.from * TEXT_PART_LENGTH;
          const params = {
            id: await idNow(),
            from,
            count: Math.min(MAX_TEXT_REQUEST, count(range) * TEXT_PART_LENGTH),
          };
          const { text, total } = await this.#client.request('text', params);
          return { entries: textParts(text, from), total: Math.ceil(total / TEXT_PART_LENGTH) };
        },
        loadText: async (maxLength) => {
          let all = '';
          for (let total = 1; all.length < Math.min(total, maxLength);) {
            const params = {
              id: await idNow(),
              from: all.length,
              count: Math.min(MAX_TEXT_REQUEST, maxLength - all.length),
            };
            const result = await this.#client.request('text', params);
            total = result.total;
            all += result.text;
          }
          return all;
        },
      };
    return {
      ...context,
      value,
      loadParts: async (range) =>
        this.#client.request('expand', { id: await idNow(), from: range.from, count: count(range) }),
    };
  }

  /**
   * The value of an expression at any position. It stays valid when the current position changes.
   * @param path indexes of parts that lead from the value of the expression to this one
   */
  valueAt(at: PositionedExpression, value?: ValueInfo, path: readonly number[] = []): ExpandableValue {
    return {
      expression: undefined,
      value,
      position: undefined,
      loadParts: async ({ from, to }) => {
        const { error, ...parts } = await this.#client.request('partsAt', { ...at, path, from, count: to - from });
        if (error !== undefined) throw new Error(error);
        return parts;
      },
      partAt: (index, part) => this.valueAt(at, part, [...path, index]),
    };
  }

  /** A part of an expandable value. @param index index among the parts */
  part(expandable: ExpandableValue, entry: EntryInfo, index: number): ValuePart {
    if (expandable.partAt !== undefined) {
      const { value } = entry;
      const hasParts = value?.id !== undefined && value.kind !== 'string';
      return { expression: undefined, expandable: hasParts ? expandable.partAt(index, value) : undefined };
    }
    const isRoot = expandable.value === undefined;
    const expression = expressionOf(entry, isRoot ? undefined : expandable);
    const reload: Reload = async () => (await expandable.loadParts({ from: index, to: index + 1 })).entries[0]?.value;
    const context = { expression, position: expandable.position, frame: expandable.frame };
    return { expression, expandable: entry.value && this.value(entry.value, context, reload) };
  }
}

/** Splits a range into at most `maxLength` ranges of equal size, a power of `maxLength`; the last may be shorter. */
export function splitRange({ from, to }: Range, maxLength: number): Range[] {
  let size = maxLength;
  while ((to - from) / size > maxLength) size *= maxLength;
  const pieces: Range[] = [];
  for (let first = from; first < to; first += size) pieces.push({ from: first, to: Math.min(first + size, to) });
  return pieces;
}

/** Splits a piece of a text into parts. @param from offset of the piece in the whole text */
function textParts(text: string, from: number): EntryInfo[] {
  const entries: EntryInfo[] = [];
  for (let at = 0; at < text.length; at += TEXT_PART_LENGTH) {
    const piece = text.slice(at, at + TEXT_PART_LENGTH);
    const name = `${from + at} … ${from + at + piece.length - 1}`;
    entries.push({
      name,
      kind: 'inner',
      isEnumerable: false,
      value: { kind: 'string', preview: JSON.stringify(piece) },
    });
  }
  return entries;
}

function messageText({ subject, sender, values }: MailboxMessage): string {
  const given = values?.map(({ preview }) => preview).join(', ') ?? '…';
  return `${subject}(${given})${sender === undefined ? '' : ` from ${sender}`}`;
}
