// Scopes, expressions, and what an expression is called that a data breakpoint is to be set at. In outer functions expressions are evaluated as far as they change nothing.
import type { ToldValue, Where } from '@turntable/time-machine/protocol';
import { DapError } from './dap-error.ts';
import type { Given } from './given.ts';
import type { FrameOf, Stack } from './stack.ts';
import type { Variables } from './variables.ts';
import { dataIdOf } from './writes.ts';

interface Scope {
  readonly name: string;
  readonly variablesReference: number;
  readonly expensive: boolean;
  readonly presentationHint?: string;
}

/** Characters of a text that are shown where somebody asks for it, and that are copied. */
const SHOWN = 10_000;
const COPIED = 100_000_000;
/** Contexts of what is evaluated without anybody having written it to be. */
const POINTING: ReadonlySet<string> = new Set(['hover', 'clipboard']);

export class Evaluation {
  readonly #stack: Stack;
  readonly #variables: Variables;

  constructor(stack: Stack, variables: Variables) {
    this.#stack = stack;
    this.#variables = variables;
  }

  async scopes(frameId: number): Promise<{ scopes: Scope[] }> {
    const frame = this.#stack.frame(frameId);
    if (frame.is === 'call' && frame.hasLocals) {
      const variablesReference = this.#variables.frame(frame.index, frame.position);
      return { scopes: [{ name: 'Variables', variablesReference, expensive: false, presentationHint: 'locals' }] };
    }
    if (frame.is !== 'actor') return { scopes: [] };
    const resident = await this.#stack.resident(frame.thread);
    if (resident === undefined) return { scopes: [] };
    const { value, waiting } = resident;
    const again = async (): Promise<ToldValue | undefined> => (await this.#stack.resident(frame.thread))?.value;
    const state = this.#variables.actor(value, again);
    const mailbox = this.#variables.mailbox(resident);
    return {
      scopes: [
        ...(state === 0 ? [] : [{ name: 'Actor', variablesReference: state, expensive: false }]),
        ...(waiting === 0 ? [] : [{ name: 'Mailbox', variablesReference: mailbox, expensive: false }]),
      ],
    };
  }

  async evaluate(given: Given, signal: AbortSignal): Promise<object> {
    const expression = given.text('expression');
    const context = given.optionalText('context') ?? '';
    const frameId = given.optionalInteger('frameId');
    const { frame, at } = placeOf(frameId === undefined ? undefined : this.#stack.frame(frameId));
    const effects = POINTING.has(context) ? 'none' : 'any';
    const evaluated = await this.#variables.evaluate({ text: expression, frame, effects }, at, { signal });
    const { value, whole, error, isPure } = evaluated;
    if (value === undefined) throw new DapError('TT_DAP_NOT_THERE', error ?? `${expression} comes to nothing`);
    const line = await this.#variables.lineOf(value, whole, context === 'clipboard' ? COPIED : SHOWN);
    return {
      result: context === 'clipboard' ? await this.#copied({ text: expression, frame }, { line, value }, signal) : line,
      type: value.class ?? value.kind,
      variablesReference: this.#variables.evaluated(evaluated),
      presentationHint: { attributes: isPure ? ['readOnly'] : ['readOnly', 'hasSideEffects'] },
    };
  }

  /** A text as it is; anything else as JSON, where it has any. */
  async #copied(
    { text, frame }: { readonly text: string; readonly frame: number },
    { line, value }: { readonly line: string; readonly value: ToldValue },
    signal: AbortSignal,
  ): Promise<string> {
    if (value.kind === 'string') return String(JSON.parse(line));
    const wish = { text: `JSON.stringify((${text}), undefined, 2)`, frame, effects: 'none' } as const;
    const { value: json, whole } = await this.#variables.evaluate(wish, undefined, { signal });
    if (json?.kind !== 'string') return line;
    return String(JSON.parse(await this.#variables.lineOf(json, whole, COPIED)));
  }

  dataBreakpointInfo(given: Given, where: Where): object {
    const name = given.text('name');
    const reference = given.optionalInteger('variablesReference');
    const frameId = given.optionalInteger('frameId');
    const frame = frameId === undefined ? undefined : this.#stack.frame(frameId);
    const isPart = reference !== undefined && reference > 0;
    const leading = isPart ? this.#variables.leadingTo(reference, name) : undefined;
    const expression = isPart ? leading?.expression : name.trim();
    const at = leading?.at ?? (frame === undefined ? where.position : this.positionOf(frame));
    if (expression === undefined || expression === '')
      return { dataId: null, description: `no expression leads to ${name}: who has written it cannot be asked for` };
    return {
      dataId: dataIdOf(expression, at),
      description: `who has written ${expression}: backwards from here`,
      accessTypes: ['write'],
      canPersist: false,
    };
  }

  /** Where a frame stands. */
  positionOf(frame: FrameOf): string {
    const position = frame.is === 'label' ? undefined : frame.position;
    if (position !== undefined) return position;
    throw new DapError('TT_DAP_NOT_THERE', 'where this frame stands is not known');
  }
}

/** Which frame it is where all stand, and where an expression means that. */
function placeOf(frame: FrameOf | undefined): { readonly frame: number; readonly at: string | undefined } {
  if (frame === undefined || (frame.is === 'actor' && frame.position !== undefined)) return { frame: 0, at: undefined };
  if (frame.is !== 'call')
    throw new DapError('TT_DAP_NOT_THERE', 'nothing of this frame runs here: restart it to go there');
  if (frame.index === 0) return { frame: 0, at: undefined };
  if (frame.hasLocals) return { frame: frame.index, at: frame.position };
  throw new DapError('TT_DAP_NOT_THERE', 'the variables of this function cannot be seen');
}
