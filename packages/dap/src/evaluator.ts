// Scopes, expressions, and the data ids of expressions for data breakpoints. Expressions with side effects are
// evaluated only in the innermost frame.
import type { ValueInfo, CursorInfo } from '@turntable/time-machine/protocol';
import { DapError } from './dap-error.ts';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';
import type { FrameRef, Stack } from './stack.ts';
import type { VariableStore } from './variable-store.ts';
import { encodeDataId } from './data-breakpoints.ts';

interface Scope {
  readonly name: string;
  readonly variablesReference: number;
  readonly expensive: boolean;
  readonly presentationHint?: string;
}

/** Maximum lengths of a string: in the result of an evaluation, and in a copy to the clipboard. */
const MAX_SHOWN_CHARS = 10_000;
const MAX_COPIED_CHARS = 100_000_000;
/** Contexts in which editors evaluate without being asked, so that side effects are not allowed. */
const PURE_CONTEXTS: ReadonlySet<string> = new Set(['hover', 'clipboard']);

const COMPLETION_TYPES = { variable: 'variable', property: 'property', method: 'method', global: 'reference' } as const;

export class Evaluator {
  readonly #context: SessionContext;
  readonly #stack: Stack;
  readonly #variables: VariableStore;

  constructor(context: SessionContext, stack: Stack, variables: VariableStore) {
    this.#context = context;
    this.#stack = stack;
    this.#variables = variables;
  }

  async scopes(frameId: number): Promise<{ scopes: Scope[] }> {
    const frame = this.#stack.frame(frameId);
    if (frame.kind === 'call' && frame.hasLocals) {
      const variablesReference = this.#variables.frame(frame.index, frame.position);
      return { scopes: [{ name: 'Variables', variablesReference, expensive: false, presentationHint: 'locals' }] };
    }
    if (frame.kind !== 'actor') return { scopes: [] };
    const liveActor = await this.#stack.liveActor(frame.threadId);
    if (liveActor === undefined) return { scopes: [] };
    const { value, waitingCount } = liveActor;
    const refetch = async (): Promise<ValueInfo | undefined> => (await this.#stack.liveActor(frame.threadId))?.value;
    const state = this.#variables.actor(value, refetch);
    const mailbox = this.#variables.mailbox(liveActor);
    return {
      scopes: [
        ...(state === 0 ? [] : [{ name: 'Actor', variablesReference: state, expensive: false }]),
        ...(waitingCount === 0 ? [] : [{ name: 'Mailbox', variablesReference: mailbox, expensive: false }]),
      ],
    };
  }

  async evaluate(args: RequestArguments, signal: AbortSignal): Promise<object> {
    const expression = args.string('expression');
    const context = args.optionalString('context') ?? '';
    const frameId = args.optionalInteger('frameId');
    const { frame, position } = evaluationFrame(frameId === undefined ? undefined : this.#stack.frame(frameId));
    const effects = PURE_CONTEXTS.has(context) ? 'none' : 'any';
    const evaluation = await this.#variables.evaluate({ expression, frame, effects }, position, { signal });
    const { value, expandable, error, isPure, output } = evaluation;
    if (output !== undefined) this.#context.emitEvent('output', { category: 'stdout', output });
    if (!isPure) this.#context.variablesChanged();
    if (value === undefined) throw new DapError('TT_DAP_NOT_THERE', error ?? `${expression} has no value`);
    const displayText = await this.#variables.displayTextOf(
      value,
      expandable,
      context === 'clipboard' ? MAX_COPIED_CHARS : MAX_SHOWN_CHARS,
    );
    return {
      result:
        context === 'clipboard'
          ? await this.#copyText({ expression, frame }, { displayText, value }, signal)
          : displayText,
      type: value.class ?? value.kind,
      variablesReference: this.#variables.evaluationReference(evaluation),
      presentationHint: { attributes: isPure ? ['readOnly'] : ['readOnly', 'hasSideEffects'] },
    };
  }

  /** Returns the names that can continue the text before the column. */
  async completions(args: RequestArguments, signal: AbortSignal): Promise<object[]> {
    const { client, numbering } = this.#context;
    const frameId = args.optionalInteger('frameId');
    const { frame } = evaluationFrame(frameId === undefined ? undefined : this.#stack.frame(frameId));
    const column = numbering.fromClientColumn(args.integer('column')) - 1;
    const clientLine = args.optionalInteger('line');
    const line = clientLine === undefined ? 0 : numbering.fromClientLine(clientLine) - 1;
    const lines = args.string('text').split('\n');
    const expression = [...lines.slice(0, line), (lines[line] ?? '').slice(0, column)].join('\n');
    const { names, from } = await client.request('names', { expression, frame }, { signal });
    const length = expression.length - from;
    const start = numbering.toClientColumn(column - length + 1);
    return names.map(({ name, kind }) => ({ label: name, type: COMPLETION_TYPES[kind], start, length }));
  }

  /** Returns the text to copy: a string itself, any other value as JSON, or its preview if it cannot be converted. */
  async #copyText(
    { expression, frame }: { readonly expression: string; readonly frame: number },
    { displayText, value }: { readonly displayText: string; readonly value: ValueInfo },
    signal: AbortSignal,
  ): Promise<string> {
    if (value.kind === 'string') return String(JSON.parse(displayText));
    const params = { expression: `JSON.stringify((${expression}), undefined, 2)`, frame, effects: 'none' } as const;
    const { value: json, expandable } = await this.#variables.evaluate(params, undefined, { signal });
    if (json?.kind !== 'string') return displayText;
    return String(JSON.parse(await this.#variables.displayTextOf(json, expandable, MAX_COPIED_CHARS)));
  }

  async dataBreakpointInfo(args: RequestArguments, cursor: CursorInfo): Promise<object> {
    const name = args.string('name');
    const reference = args.optionalInteger('variablesReference');
    const frameId = args.optionalInteger('frameId');
    const frame = frameId === undefined ? undefined : this.#stack.frame(frameId);
    const isMember = reference !== undefined && reference > 0;
    const access = isMember ? this.#variables.accessTo(reference, name) : undefined;
    const expression = isMember ? access?.expression : name.trim();
    if (expression === undefined || expression === '')
      return { dataId: null, description: `no expression evaluates to ${name}: its writes cannot be found` };
    const position =
      access === undefined ? frame && (await this.positionOf(frame)) : await this.#positionOfAccess(access);
    return {
      dataId: encodeDataId(expression, position ?? cursor.position),
      description: `writes of ${expression}`,
      accessTypes: ['write'],
      canPersist: false,
    };
  }

  /** Returns the position at which an expression is evaluated; undefined for the current position. */
  async #positionOfAccess({ position, frame }: ReturnType<VariableStore['accessTo']>): Promise<string | undefined> {
    return position !== undefined || frame === 0 ? position : this.#stack.awaitPosition(frame);
  }

  /** Returns the position of a frame. Throws if the frame has none. */
  async positionOf(frame: FrameRef): Promise<string> {
    if (frame.kind === 'call' && frame.isAwaiting) return this.#stack.awaitPosition(frame.index);
    const position = frame.kind === 'label' ? undefined : frame.position;
    if (position !== undefined) return position;
    throw new DapError('TT_DAP_NOT_THERE', 'the position of this frame is unknown; select a frame of a function');
  }
}

/** Returns the index and position for an evaluation in a frame. Throws if the frame's variables are unavailable. */
function evaluationFrame(frame: FrameRef | undefined): {
  readonly frame: number;
  readonly position: string | undefined;
} {
  if (frame === undefined || (frame.kind === 'actor' && frame.position !== undefined))
    return { frame: 0, position: undefined };
  if (frame.kind !== 'call')
    throw new DapError(
      'TT_DAP_NOT_THERE',
      'this frame executes no code at the current position; restart the frame to move to it',
    );
  if (frame.index === 0) return { frame: 0, position: undefined };
  if (frame.hasLocals) return { frame: frame.index, position: frame.position };
  throw new DapError('TT_DAP_NOT_THERE', 'the variables of this frame are unavailable; select another frame');
}
