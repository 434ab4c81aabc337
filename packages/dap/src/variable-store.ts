// Values as DAP variables: frames, and parts of objects in pages. Each has a reference, which is valid until the next
// move; that of a value at another position stays valid.
import {
  HandleTable,
  missingValueText,
  splitRange,
  ValueBrowser,
  type EvaluatedExpression,
  type Range,
  type RequestOptions,
  type LiveActor,
  type PositionedExpression,
  type EntryInfo,
  type ExpandableValue,
} from '@turntable/time-machine/client';
import type { ParamsOf, ValueInfo } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';
import type { WithUndefined } from './with-undefined.ts';

export type DapVariable = WithUndefined<DebugProtocol.Variable>;

/** Number of parts listed if the client does not request pages. */
const PAGE_SIZE = 100;
/** Maximum number of parts in a response to a client that requests pages. */
const MAX_PAGE_SIZE = 1000;
/** Maximum length of a string in a list of variables; longer strings are shown by their preview. */
const MAX_LINE_CHARS = 1000;

/** A value with parts, or a page of its parts. */
interface VariableNode {
  readonly expandable: ExpandableValue;
  readonly range: Range | undefined;
  /** Expressions that evaluate to the parts listed so far, by the name of the part. */
  readonly expressions: Map<string, string | undefined>;
}

export class VariableStore {
  readonly #values: ValueBrowser;
  readonly #nodes = new HandleTable<VariableNode>();

  constructor(context: SessionContext) {
    this.#values = new ValueBrowser(context.client);
  }

  clear(): void {
    this.#values.invalidate();
    this.#nodes.clear(({ expandable }) => expandable.partAt !== undefined);
  }

  /** Returns the reference of a frame's variables. @param position the position of the frame */
  frame(index: number, position: string | undefined): number {
    return this.#referenceOf(this.#values.frame(index, position));
  }

  evaluate(
    params: ParamsOf<'evaluate'>,
    position: string | undefined,
    options: RequestOptions,
  ): Promise<EvaluatedExpression> {
    return this.#values.evaluate(params, position, options);
  }

  /** Returns the reference of an evaluation's result; 0 if the result has no parts. */
  evaluationReference({ expandable }: EvaluatedExpression): number {
    return this.#referenceOf(expandable);
  }

  /** Returns the text of a value: a string in full if it has at most `maxLength` characters, otherwise the preview. */
  async displayTextOf(value: ValueInfo, expandable: ExpandableValue | undefined, maxLength: number): Promise<string> {
    const { kind, length = 0, preview } = value;
    if (kind !== 'string' || length === 0 || length > maxLength || expandable === undefined) return preview;
    return JSON.stringify(await this.#values.loadText(expandable, maxLength));
  }

  /** Returns the reference of the value of an expression at any position. */
  valueAt(at: PositionedExpression): number {
    return this.#referenceOf(this.#values.valueAt(at));
  }

  /** Returns the reference of an actor's state, as `liveActors` reports it; 0 if the state is unknown. */
  actor(value: ValueInfo | undefined, refetch: () => Promise<ValueInfo | undefined>): number {
    if (value === undefined) return 0;
    return this.#referenceOf(this.#values.value(value, { expression: undefined, position: undefined }, refetch));
  }

  mailbox(liveActor: LiveActor): number {
    return this.#referenceOf(this.#values.mailbox(liveActor));
  }

  /** Returns the expression that evaluates to a listed part, if there is one, and the frame to evaluate it in. */
  accessTo(
    reference: number,
    name: string,
  ): { readonly expression: string | undefined; readonly position: string | undefined; readonly frame: number } {
    const { expressions, expandable } = this.#nodeOf(reference);
    const { position, frame = 0 } = expandable;
    return { expression: expressions.get(name), position, frame };
  }

  async variables(
    reference: number,
    { start = 0, count = 0 }: { readonly start: number | undefined; readonly count: number | undefined },
  ): Promise<DapVariable[]> {
    const node = this.#nodeOf(reference);
    const { expandable, range } = node;
    const from = (range?.from ?? 0) + start;
    const isPaged = count > 0;
    const end = range?.to ?? Infinity;
    const to = Math.min(from + (isPaged ? Math.min(count, MAX_PAGE_SIZE) : PAGE_SIZE), end);
    const { entries, total } = await this.#values.loadParts(expandable, { from, to });
    const variables = await Promise.all(entries.map((entry, i) => this.#describe(node, entry, from + i)));
    return isPaged ? variables : [...variables, ...this.#remainingPages(node, { from: to, to: Math.min(total, end) })];
  }

  /** Returns the parts that are not listed, as one expandable variable for each page. */
  #remainingPages({ expandable, expressions }: VariableNode, { from, to }: Range): DapVariable[] {
    return splitRange({ from, to }, PAGE_SIZE).map((range) => ({
      name: `[${range.from} … ${range.to - 1}]`,
      value: '',
      presentationHint: { kind: 'virtual', attributes: ['readOnly'] },
      variablesReference: this.#nodes.add({ expandable, range, expressions }),
    }));
  }

  async #describe({ expandable, expressions }: VariableNode, entry: EntryInfo, index: number): Promise<DapVariable> {
    const { name, kind: entryKind, isEnumerable, value } = entry;
    const part = this.#values.part(expandable, entry, index);
    expressions.set(name, part.expression);
    const text = value && (await this.displayTextOf(value, part.expandable, MAX_LINE_CHARS));
    const kind = entryKind === 'inner' ? 'virtual' : entryKind === 'variable' ? 'data' : 'property';
    const isHidden = entryKind === 'inner' ? name === 'prototype' : entryKind !== 'variable' && !isEnumerable;
    return {
      name,
      value: text ?? missingValueText(entry),
      type: value?.class ?? value?.kind,
      evaluateName: part.expression,
      presentationHint: { kind, attributes: ['readOnly'], visibility: isHidden ? 'internal' : 'public' },
      variablesReference: this.#referenceOf(part.expandable),
    };
  }

  #referenceOf(expandable: ExpandableValue | undefined): number {
    return expandable === undefined ? 0 : this.#nodes.add({ expandable, range: undefined, expressions: new Map() });
  }

  #nodeOf(reference: number): VariableNode {
    const node = this.#nodes.get(reference);
    if (node !== undefined) return node;
    throw new DapError(
      'TT_DAP_NOT_THERE',
      `there is no variable ${reference} at the current position; request scopes and variables again`,
    );
  }
}
