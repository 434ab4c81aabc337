// Expressions of clients, and functions of theirs: what changes nothing may be evaluated at any time, in any function where all stand; anything else where somebody has written it to be, in the
// innermost one.
import type { ParamsOf, Where } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { FrameHere } from './call-frames.ts';
import type { RemoteObject } from './remote-object.ts';
import type { Leading, RemoteObjects } from './remote-objects.ts';

/** What somebody has written in a console, or is about to. */
export interface Typed {
  readonly expression: string;
  readonly objectGroup?: string | undefined;
  readonly includeCommandLineAPI?: boolean | undefined;
  readonly throwOnSideEffect?: boolean | undefined;
}

export interface Evaluation extends Typed {
  readonly returnByValue?: boolean | undefined;
  readonly generatePreview?: boolean | undefined;
  readonly timeout?: number | undefined;
}

export interface Called {
  readonly functionDeclaration: string;
  readonly objectId?: string | undefined;
  readonly arguments?: readonly Argument[] | undefined;
  readonly returnByValue?: boolean | undefined;
  readonly generatePreview?: boolean | undefined;
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

/** What is shown where somebody points at. */
const POINTING = 'popover';
/** Of what is no object, and so the same in all functions. */
const NOWHERE = 'nowhere';
/** Characters of an expression that the time machine takes. */
const LONGEST = 10_000;

/** What is evaluated. */
interface Text {
  readonly text: string;
  /** The innermost, unless it is said. */
  readonly frame: Pick<FrameHere, 'index' | 'position'> | undefined;
  readonly isPure: boolean;
  readonly isByValue: boolean;
  readonly isPreviewed: boolean;
}

export class Evaluations {
  readonly #objects: RemoteObjects;
  readonly #where: () => Where;
  readonly #frameAt: (position: string) => FrameHere;
  #last = 0;

  /** @param frameAt a function where all stand, by where it stands itself */
  constructor(objects: RemoteObjects, where: () => Where, frameAt: (position: string) => FrameHere) {
    this.#objects = objects;
    this.#where = where;
    this.#frameAt = frameAt;
  }

  /** @param frame the innermost, unless it is said */
  async evaluate(wish: Evaluation, frame: FrameHere | undefined, signal: AbortSignal): Promise<Outcome> {
    const { expression, objectGroup, throwOnSideEffect, returnByValue, generatePreview, timeout } = wish;
    const limited = timeout === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    if (frame !== undefined && frame.index > 0 && !frame.hasLocals)
      return this.#thrown('Error: the variables of this function cannot be seen');
    const isPure = throwOnSideEffect === true || objectGroup === POINTING;
    const how = { isPure, isByValue: returnByValue === true, isPreviewed: generatePreview === true };
    return this.#evaluated({ text: expression, frame, ...how }, limited);
  }

  /** A function of a client's that changes nothing. */
  async call(wish: Called, signal: AbortSignal): Promise<Outcome> {
    const { functionDeclaration, objectId, returnByValue, generatePreview, arguments: given = [] } = wish;
    const self = objectId === undefined ? undefined : this.#leadingTo(objectId);
    const values = given.map((each) => this.#argument(each));
    const places = new Set(
      [self, ...values].flatMap((each) => (each === undefined || each.at === NOWHERE ? [] : [each.at])),
    );
    if (places.size > 1)
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Objects of several functions cannot be given to one function here');
    const [at] = places;
    const frame = at === undefined ? undefined : this.#frameAt(at);
    const text = `(${functionDeclaration}).apply(${self?.expression}, [${values.map(({ expression }) => expression).join(', ')}])`;
    if (text.length > LONGEST)
      throw new DevtoolsError('TT_CDP_NOT_THERE', `Functions of more than ${LONGEST} characters are not called here`);
    const how = { isPure: true, isByValue: returnByValue === true, isPreviewed: generatePreview === true };
    return this.#evaluated({ text, frame, ...how }, signal);
  }

  #argument({ value, unserializableValue, objectId }: Argument): { expression: string; at: string | undefined } {
    if (objectId !== undefined) return this.#leadingTo(objectId);
    const expression = unserializableValue ?? (value === undefined ? 'undefined' : JSON.stringify(value));
    return { expression, at: NOWHERE };
  }

  #leadingTo(objectId: string): Leading {
    const leading = this.#objects.leadingTo(objectId, this.#where().position);
    if (leading !== undefined) return { ...leading, expression: `(${leading.expression})` };
    throw new DevtoolsError(
      'TT_CDP_NOT_THERE',
      'Functions are called here of objects to which an expression leads in a function where all stand, and of no others',
    );
  }

  async #evaluated({ text, frame, isPure, isByValue, isPreviewed }: Text, signal: AbortSignal): Promise<Outcome> {
    const { index = 0, position } = frame ?? {};
    const wish = { text, frame: index, effects: isPure ? 'none' : 'any' } as const;
    const at = index === 0 ? undefined : position;
    const { value, whole, error, ...found } = await this.#objects.evaluate(wish, at, { signal });
    if (value === undefined) return this.#thrown(error ?? `${text} comes to nothing`);
    if (isByValue && value.id !== undefined && value.kind !== 'string') {
      const json = found.isPure ? await this.#objects.evaluate(jsonOf(wish), at, { signal }) : undefined;
      if (json?.value?.kind !== 'string')
        throw new DevtoolsError('TT_CDP_NOT_THERE', "Object couldn't be returned by value");
      const all = await this.#objects.textOf(json.value, json.whole);
      return { result: { type: value.kind, value: JSON.parse(all) as unknown } };
    }
    return { result: await this.#objects.evaluated(value, whole, isPreviewed) };
  }

  #thrown(text: string): Outcome {
    const className = /^(\w*Error)\b/.exec(text)?.[1] ?? 'Error';
    const description = text.startsWith(className) ? text : `${className}: ${text}`;
    const exception = { type: 'object', subtype: 'error', className, description };
    const exceptionDetails = { exceptionId: ++this.#last, text: 'Uncaught', lineNumber: 0, columnNumber: 0, exception };
    return { result: exception, exceptionDetails };
  }
}

function jsonOf({ text, frame }: ParamsOf<'evaluate'>): ParamsOf<'evaluate'> {
  return { text: `JSON.stringify((${text}))`, frame, effects: 'none' };
}
