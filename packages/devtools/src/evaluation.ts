// Expressions of clients, and functions of theirs: what changes nothing may be evaluated at any time, anything else where somebody has written it to be. In outer functions variables are known by
// their names.
import type { ResultOf, ToldValue, Where } from '@turntable/replay/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { FrameHere } from './call-frames.ts';
import type { Ground } from './ground.ts';
import type { RemoteObject, RemoteObjects } from './remote-objects.ts';

/** What somebody has written in a console, or is about to. */
export interface Typed {
  readonly expression: string;
  readonly includeCommandLineAPI?: boolean | undefined;
  readonly throwOnSideEffect?: boolean | undefined;
}

export interface Evaluation extends Typed {
  readonly objectGroup?: string | undefined;
  readonly returnByValue?: boolean | undefined;
  readonly timeout?: number | undefined;
}

export interface Called {
  readonly functionDeclaration: string;
  readonly objectId?: string | undefined;
  readonly arguments?: readonly Argument[] | undefined;
  readonly returnByValue?: boolean | undefined;
}

interface Argument {
  readonly value?: unknown;
  readonly unserializableValue?: string | undefined;
  readonly objectId?: string | undefined;
}

export interface Outcome {
  readonly result: RemoteObject;
  readonly exceptionDetails?: object;
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** What is shown where somebody points at. */
const POINTING = 'popover';
/** Of a text, of which no more than a hundred characters are told at once. */
const IN_PIECES =
  '(text) => { const all = []; for (let i = 0; i < text.length; i += 100) all.push(text.slice(i, i + 100)); return all; }';
const PAGE = 1000;
const MOST_PIECES = 50_000;
/** Characters of an expression that the time machine takes. */
const LONGEST = 10_000;

type Asking = (text: string, effects: 'any' | 'none') => Promise<ResultOf<'evaluate'>>;

export class Evaluations {
  readonly #ground: Ground;
  readonly #objects: RemoteObjects;
  readonly #where: () => Where;
  #last = 0;

  constructor(ground: Ground, objects: RemoteObjects, where: () => Where) {
    this.#ground = ground;
    this.#objects = objects;
    this.#where = where;
  }

  /** @param frame the innermost, unless it is said */
  async evaluate(wish: Evaluation, frame: FrameHere | undefined, signal: AbortSignal): Promise<Outcome> {
    const { expression, objectGroup, throwOnSideEffect, returnByValue, timeout } = wish;
    const limited = timeout === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    if (frame !== undefined && frame.index > 0) return this.#outer(frame, expression.trim());
    const isPure = throwOnSideEffect === true || objectGroup === POINTING;
    return this.#evaluated({ text: expression, isPure, isByValue: returnByValue === true }, limited);
  }

  /** A function of a client's that changes nothing. */
  async call(wish: Called, signal: AbortSignal): Promise<Outcome> {
    const { functionDeclaration, objectId, returnByValue, arguments: given = [] } = wish;
    const self = objectId === undefined ? 'undefined' : this.#expressionOf(objectId);
    const texts = given.map((each) => this.#argumentText(each));
    const text = `(${functionDeclaration}).apply(${self}, [${texts.join(', ')}])`;
    if (text.length > LONGEST)
      throw new DevtoolsError('TT_CDP_NOT_THERE', `Functions of more than ${LONGEST} characters are not called here`);
    return this.#evaluated({ text, isPure: true, isByValue: returnByValue === true }, signal);
  }

  #argumentText({ value, unserializableValue, objectId }: Argument): string {
    if (objectId !== undefined) return this.#expressionOf(objectId);
    return unserializableValue ?? (value === undefined ? 'undefined' : JSON.stringify(value));
  }

  #expressionOf(objectId: string): string {
    const expression = this.#objects.expressionOf(objectId, this.#where().position);
    if (expression !== undefined) return `(${expression})`;
    throw new DevtoolsError(
      'TT_CDP_NOT_THERE',
      'Functions are called here of objects to which an expression leads in the innermost function, and of no others',
    );
  }

  async #evaluated(
    { text, isPure, isByValue }: { text: string; isPure: boolean; isByValue: boolean },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const effects = isPure ? 'none' : 'any';
    const ask: Asking = (asked, may) =>
      this.#ground.client.request('evaluate', { text: asked, effects: may }, { signal });
    const found = await ask(text, effects);
    const { value, error } = found;
    if (value === undefined) return this.#thrown(error ?? `${text} comes to nothing`);
    if (found.isPure && value.length !== undefined) {
      const whole = await this.#wholeText(text, ask);
      if (whole !== undefined) return { result: { type: 'string', value: whole } };
    }
    if (isByValue && value.id !== undefined && value.kind !== 'string')
      return { result: { type: value.kind, value: await this.#byValue(found.isPure ? text : undefined, ask) } };
    // What may have changed something is not evaluated a second time.
    const again = async (): Promise<ToldValue | undefined> =>
      found.isPure ? (await ask(text, 'none')).value : undefined;
    return { result: this.#objects.evaluated(value, text.trim(), again) };
  }

  async #byValue(text: string | undefined, ask: Asking): Promise<unknown> {
    const json = text === undefined ? undefined : await this.#wholeText(`JSON.stringify(${text})`, ask);
    if (json === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', "Object couldn't be returned by value");
    return JSON.parse(json) as unknown;
  }

  /** The time machine tells how a text begins: all of it comes in pieces. Undefined, where that could change something. */
  async #wholeText(text: string, ask: Asking): Promise<string | undefined> {
    const { value } = await ask(`(${IN_PIECES})(${text})`, 'none');
    if (value?.id === undefined) return undefined;
    const pieces: string[] = [];
    for (let from = 0, total = 1; from < total && from < MOST_PIECES; from += PAGE) {
      const page = await this.#ground.client.request('expand', { id: value.id, from, count: PAGE });
      total = page.total;
      for (const { name, value: piece } of page.entries)
        if (/^\d+$/.test(name) && piece !== undefined) pieces.push(String(JSON.parse(piece.preview)));
    }
    return pieces.join('');
  }

  async #outer(frame: FrameHere, name: string): Promise<Outcome> {
    if (name !== 'this' && !NAME.test(name))
      return this.#thrown('Error: of outer functions only variables can be asked for, by their names');
    const found = frame.hasLocals ? await this.#objects.named(frame.index, frame.position, name) : undefined;
    return found === undefined ? this.#thrown(`ReferenceError: there is no variable ${name} here`) : { result: found };
  }

  #thrown(text: string): Outcome {
    const className = /^(\w*Error)\b/.exec(text)?.[1] ?? 'Error';
    const description = text.startsWith(className) ? text : `${className}: ${text}`;
    const exception = { type: 'object', subtype: 'error', className, description };
    const exceptionDetails = { exceptionId: ++this.#last, text: 'Uncaught', lineNumber: 0, columnNumber: 0, exception };
    return { result: exception, exceptionDetails };
  }
}
