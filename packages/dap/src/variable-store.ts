// Values as variables of the protocol: frames and parts of objects, in pages, each under a reference that is valid
// until the next move.
import {
  HandleTable,
  splitRange,
  ValueBrowser,
  type EvaluatedExpression,
  type Range,
  type RequestOptions,
  type LiveActor,
  type EntryInfo,
  type ExpandableValue,
} from '@turntable/time-machine/client';
import type { ParamsOf, ValueInfo } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';
import type { WithUndefined } from './with-undefined.ts';

export type DapVariable = WithUndefined<DebugProtocol.Variable>;

/** Default number of parts on a page. */
const PAGE_SIZE = 100;
/** Maximum number of parts in a response. */
const MAX_PAGE_SIZE = 1000;
/** Maximum length of a string in a list. */
const MAX_LINE_CHARS = 1000;

/** A value with parts. */
interface VariableNode {
  readonly expandable: ExpandableValue;
  readonly range: Range | undefined;
  /** Expressions that evaluate to the listed parts, by name. */
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
    this.#nodes.clear();
  }

  /** The variables of a frame. @param position of the frame */
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

  /** The reference of an evaluation's result. */
  evaluationReference({ expandable }: EvaluatedExpression): number {
    return this.#referenceOf(expandable);
  }

  /** A string of at most `maxLength` characters in full; the preview of any other value. */
  async displayTextOf(value: ValueInfo, expandable: ExpandableValue | undefined, maxLength: number): Promise<string> {
    const { kind, length = 0, preview } = value;
    if (kind !== 'string' || length === 0 || length > maxLength || expandable === undefined) return preview;
    return JSON.stringify(await this.#values.loadText(expandable, maxLength));
  }

  /** The state of an actor, as `liveActors` reports it. */
  actor(value: ValueInfo | undefined, refetch: () => Promise<ValueInfo | undefined>): number {
    if (value === undefined) return 0;
    return this.#referenceOf(this.#values.value(value, { expression: undefined, position: undefined }, refetch));
  }

  mailbox(liveActor: LiveActor): number {
    return this.#referenceOf(this.#values.mailbox(liveActor));
  }

  /** The expression that evaluates to a listed part, and its position. */
  accessTo(
    reference: number,
    name: string,
  ): { readonly expression: string | undefined; readonly position: string | undefined } {
    const { expressions, expandable } = this.#nodeOf(reference);
    return { expression: expressions.get(name), position: expandable.position };
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

  /** The parts not listed yet, as pages that can be expanded. */
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
      value: text ?? (entryKind === 'accessor' ? '(accessor)' : '(no value yet)'),
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
      `there is no variable ${reference} here: they are forgotten when all go elsewhere`,
    );
  }
}
