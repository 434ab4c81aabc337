// Scopes, expressions, and what an expression is called that a data breakpoint is to be set at. Expressions are evaluated in the innermost function: of an outer one its variables are known by
// their names.
import type { ToldValue, Where } from '@turntable/replay/protocol';
import { DapError } from './dap-error.ts';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';
import type { FrameOf, Stack } from './stack.ts';
import type { Variables } from './variables.ts';
import { dataIdOf } from './writes.ts';

interface Scope {
  readonly name: string;
  readonly variablesReference: number;
  readonly expensive: boolean;
  readonly presentationHint?: string;
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export class Evaluation {
  readonly #ground: Ground;
  readonly #stack: Stack;
  readonly #variables: Variables;

  constructor(ground: Ground, stack: Stack, variables: Variables) {
    this.#ground = ground;
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
    const frameId = given.optionalInteger('frameId');
    const frame = frameId === undefined ? undefined : this.#stack.frame(frameId);
    if (frame !== undefined && !isInnermost(frame)) return this.#ofFrame(frame, expression);
    // Who points at something wants to change nothing.
    const effects = given.optionalText('context') === 'hover' ? 'none' : 'any';
    const ask = () => this.#ground.client.request('evaluate', { text: expression, effects }, { signal });
    const { value, error, isPure } = await ask();
    if (value === undefined) throw new DapError('TT_DAP_NOT_THERE', error ?? `${expression} comes to nothing`);
    const again = async (): Promise<ToldValue | undefined> => {
      if (isPure) return (await ask()).value;
      throw new DapError('TT_DAP_NOT_THERE', `${expression} may change something: it is not evaluated a second time`);
    };
    return {
      result: value.preview,
      type: value.class ?? value.kind,
      variablesReference: this.#variables.evaluated(value, expression.trim(), again),
      presentationHint: { attributes: isPure ? ['readOnly'] : ['readOnly', 'hasSideEffects'] },
    };
  }

  async #ofFrame(frame: FrameOf, expression: string): Promise<object> {
    const name = expression.trim();
    const isCall = frame.is === 'call' && frame.hasLocals;
    if (isCall && (name === 'this' || NAME.test(name))) {
      const found = await this.#variables.named(frame.index, name);
      if (found === undefined) throw new DapError('TT_DAP_NOT_THERE', `there is no variable ${name} in this function`);
      const { value: result, type, variablesReference } = found;
      return { result, type, variablesReference };
    }
    const why = isCall
      ? 'of outer functions only variables can be asked for, by their names'
      : 'nothing of this frame runs here: restart it to go there';
    throw new DapError('TT_DAP_NOT_THERE', why);
  }

  /** `dataBreakpointInfo` */
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

function isInnermost(frame: FrameOf): boolean {
  return (frame.is === 'call' && frame.index === 0) || (frame.is === 'actor' && frame.position !== undefined);
}
