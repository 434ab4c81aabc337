// Evaluates expressions and functions of clients: without side effects at any time and in any frame; with side effects
// only in the innermost frame, and only if the user has typed the expression.
import type { ParamsOf, CursorInfo } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { FrameHandle } from './call-frames.ts';
import { LastResult } from './last-result.ts';
import type { RemoteObject } from './remote-object.ts';
import type { AccessExpression, RemoteObjects } from './remote-objects.ts';

/** Parameters with which clients evaluate a console input; `throwOnSideEffect` is set while the user is typing. */
export interface ConsoleInput {
  readonly expression: string;
  readonly objectGroup?: string | undefined;
  readonly includeCommandLineAPI?: boolean | undefined;
  readonly throwOnSideEffect?: boolean | undefined;
}

export interface EvaluateParams extends ConsoleInput {
  readonly returnByValue?: boolean | undefined;
  readonly generatePreview?: boolean | undefined;
  readonly timeout?: number | undefined;
}

export interface CallFunctionParams {
  readonly functionDeclaration: string;
  readonly objectId?: string | undefined;
  readonly arguments?: readonly CallArgument[] | undefined;
  readonly returnByValue?: boolean | undefined;
  readonly generatePreview?: boolean | undefined;
}

interface CallArgument {
  readonly value?: unknown;
  readonly unserializableValue?: string | undefined;
  readonly objectId?: string | undefined;
}

export interface CdpEvaluationResult {
  readonly result: RemoteObject;
  readonly exceptionDetails?: object;
}

/** The object group of expressions that the user types in `node inspect`. */
const NODE_INSPECT_GROUP = 'node-inspect';
/** The object group of complete inputs in the console of Chrome. */
const CONSOLE_GROUP = 'console';
/** The object group that Chrome uses for hovers. */
const HOVER_GROUP = 'popover';
/** Time in which a replay process starts, also on a busy machine. */
const START_TIMEOUT_MS = 60_000;
/** The position of primitive arguments, which can be passed to functions in any frame. */
const NO_FRAME = 'nowhere';
/** Maximum length of an expression that the server accepts. */
const MAX_EXPRESSION_CHARS = 10_000;

/** An expression to evaluate, and the form of the result. */
interface ExpressionRequest {
  readonly expression: string;
  /** Undefined for the innermost frame. */
  readonly frame: Pick<FrameHandle, 'index' | 'position'> | undefined;
  readonly isPure: boolean;
  readonly isByValue: boolean;
  readonly isPreviewed: boolean;
  /** Whether later inputs can refer to the result by `$_`. */
  readonly isKept: boolean;
}

/** Whether an input comes from a console, complete or still being typed. */
export function isConsoleInput({ includeCommandLineAPI, objectGroup }: ConsoleInput): boolean {
  return includeCommandLineAPI === true || objectGroup === NODE_INSPECT_GROUP;
}

export class CdpEvaluator {
  readonly #objects: RemoteObjects;
  readonly #cursor: () => CursorInfo;
  readonly #frameAt: (position: string) => FrameHandle;
  readonly #print: (output: string) => void;
  readonly #lastResult = new LastResult();
  /** Settles after all console inputs so far. */
  #lastInput: Promise<unknown> = Promise.resolve();
  #lastExceptionId = 0;

  /**
   * @param frameAt returns the reported frame at a position; throws if there is none
   * @param print prints the output of an expression
   */
  constructor(
    objects: RemoteObjects,
    cursor: () => CursorInfo,
    frameAt: (position: string) => FrameHandle,
    print: (output: string) => void,
  ) {
    this.#print = print;
    this.#objects = objects;
    this.#cursor = cursor;
    this.#frameAt = frameAt;
  }

  /** Evaluates an expression, without side effects for hovers. @param frame undefined for the innermost frame */
  evaluate(params: EvaluateParams, frame: FrameHandle | undefined, signal: AbortSignal): Promise<CdpEvaluationResult> {
    const { objectGroup, throwOnSideEffect } = params;
    const isComplete = objectGroup === CONSOLE_GROUP || objectGroup === NODE_INSPECT_GROUP;
    if (!isConsoleInput(params) || !isComplete || throwOnSideEffect === true)
      return this.#evaluate(params, frame, { signal, isKept: false });
    // An input may refer to the result of the one before.
    const result = this.#lastInput.then(() => this.#evaluate(params, frame, { signal, isKept: true }));
    this.#lastInput = result.catch(() => {});
    return result;
  }

  async #evaluate(
    params: EvaluateParams,
    frame: FrameHandle | undefined,
    { signal, isKept }: { readonly signal: AbortSignal; readonly isKept: boolean },
  ): Promise<CdpEvaluationResult> {
    const { objectGroup, throwOnSideEffect, returnByValue, generatePreview, timeout } = params;
    if (frame !== undefined && frame.index > 0 && !frame.hasLocals)
      return this.exceptionResult('Error: the variables of this function are unavailable');
    const place = { frame: frame?.index ?? 0, position: this.#cursor().position };
    const expanded = isConsoleInput(params) ? this.#lastResult.expand(params.expression, place) : params;
    if ('problem' in expanded) return this.exceptionResult(expanded.problem);
    const isPure = throwOnSideEffect === true || objectGroup === HOVER_GROUP;
    const modes = { isPure, isByValue: returnByValue === true, isPreviewed: generatePreview === true, isKept };
    const evaluation = { expression: expanded.expression, frame, ...modes };
    if (timeout === undefined) return this.#run(evaluation, signal);
    // Aborting a request ends a replay process that is starting, and with it the requests of others.
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(timeout + START_TIMEOUT_MS)]);
    return Promise.race([this.#run(evaluation, abortSignal), rejectAfter(timeout)]);
  }

  /** Keeps the result of a console input that was not evaluated here, as `$_`. */
  keepResult(value: unknown): void {
    this.#lastResult.keepValue(value);
  }

  /** Calls a client's function without side effects. Throws if its objects belong to more than one frame. */
  async call(params: CallFunctionParams, signal: AbortSignal): Promise<CdpEvaluationResult> {
    const { functionDeclaration, objectId, returnByValue, generatePreview, arguments: callArguments = [] } = params;
    const thisAccess = objectId === undefined ? undefined : this.#accessTo(objectId);
    const argumentAccesses = callArguments.map((each) => this.#argument(each));
    const positions = new Set(
      [thisAccess, ...argumentAccesses].flatMap((each) =>
        each === undefined || each.position === NO_FRAME ? [] : [each.position],
      ),
    );
    if (positions.size > 1)
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Objects of several call frames cannot be passed to one function');
    const [position] = positions;
    const frame = position === undefined ? undefined : this.#frameAt(position);
    const callExpression = `(${functionDeclaration}).apply(${thisAccess?.expression}, [${argumentAccesses.map(({ expression }) => expression).join(', ')}])`;
    if (callExpression.length > MAX_EXPRESSION_CHARS)
      throw new DevtoolsError(
        'TT_CDP_NOT_THERE',
        `The function and its arguments must have at most ${MAX_EXPRESSION_CHARS} characters`,
      );
    const modes = { isPure: true, isByValue: returnByValue === true, isPreviewed: generatePreview === true };
    return this.#run({ isKept: false, expression: callExpression, frame, ...modes }, signal);
  }

  #argument({ value, unserializableValue, objectId }: CallArgument): {
    expression: string;
    position: string | undefined;
  } {
    if (objectId !== undefined) return this.#accessTo(objectId);
    const expression = unserializableValue ?? (value === undefined ? 'undefined' : JSON.stringify(value));
    return { expression, position: NO_FRAME };
  }

  #accessTo(objectId: string): AccessExpression {
    const access = this.#objects.accessTo(objectId, this.#cursor().position);
    if (access !== undefined) return { ...access, expression: `(${access.expression})` };
    throw new DevtoolsError(
      'TT_CDP_NOT_THERE',
      'Functions can be called only on objects that an expression in a current call frame evaluates to',
    );
  }

  async #run(
    { expression, frame, isPure, isByValue, isPreviewed, isKept }: ExpressionRequest,
    signal: AbortSignal,
  ): Promise<CdpEvaluationResult> {
    const { index = 0, position } = frame ?? {};
    const params = { expression, frame: index, effects: isPure ? 'none' : 'any' } as const;
    const evaluationPosition = index === 0 ? undefined : position;
    const { value, expandable, error, ...evaluation } = await this.#objects.evaluate(params, evaluationPosition, {
      signal,
    });
    if (evaluation.output !== undefined) this.#print(evaluation.output);
    if (value === undefined) return this.exceptionResult(error ?? `${expression} has no value`);
    if (isByValue && value.id !== undefined && value.kind !== 'string') {
      const json = evaluation.isPure
        ? await this.#objects.evaluate(jsonParams(params), evaluationPosition, { signal })
        : undefined;
      if (json?.value?.kind !== 'string')
        throw new DevtoolsError('TT_CDP_NOT_THERE', "Object couldn't be returned by value");
      const jsonText = await this.#objects.stringOf(json.value, json.expandable);
      return { result: { type: value.kind, value: JSON.parse(jsonText) as unknown } };
    }
    const result = await this.#objects.describeResult(value, expandable, isPreviewed);
    const cursorPosition = this.#cursor().position;
    if (isKept)
      this.#lastResult.keep(result, { expression, frame: index, position: cursorPosition, isPure: evaluation.isPure });
    return { result };
  }

  /** Returns the result of an evaluation that threw. @param message the error as text */
  exceptionResult(message: string): CdpEvaluationResult {
    const className = /^(\w*Error)\b/.exec(message)?.[1] ?? 'Error';
    const description = message.startsWith(className) ? message : `${className}: ${message}`;
    const exception = { type: 'object', subtype: 'error', className, description };
    const exceptionDetails = {
      exceptionId: ++this.#lastExceptionId,
      text: 'Uncaught',
      lineNumber: 0,
      columnNumber: 0,
      exception,
    };
    return { result: exception, exceptionDetails };
  }
}

function rejectAfter(timeoutMs: number): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(new DevtoolsError('TT_CDP_NOT_THERE', 'Execution was terminated'));
    setTimeout(fail, timeoutMs).unref();
  });
}

function jsonParams({ expression, frame }: ParamsOf<'evaluate'>): ParamsOf<'evaluate'> {
  return { expression: `JSON.stringify((${expression}))`, frame, effects: 'none' };
}
