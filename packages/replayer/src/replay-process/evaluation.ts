// Evaluates console inputs on a paused thread, with the variables of its statement. The first attempt is V8's evaluation
// without side effects, which fails as soon as anything could change. The second one, if allowed, is a normal
// evaluation, which may change the program. The result says which one succeeded.
import { Eventual, FULFILLED, PENDING } from '@turntable/core';
import { takeInspectorSession } from '../sandbox/inspector-session.ts';
import type { Loader } from '../thread/loader.ts';
import { ConsoleCode, type AssignableScope, type RunJobsUntil } from './console-code.ts';
import { ConsoleVariables } from './console-variables.ts';
import { Expression, NAME_PATTERN } from './expression.ts';
import { thrownText } from './thrown-text.ts';
import type { TopScope } from './top-scope.ts';
import type { Variables } from './variables.ts';

export type ThreadEvaluation =
  | { readonly value: unknown; readonly isPure: boolean }
  | { readonly error: string; readonly isPure: boolean; readonly isNotKept?: boolean };

interface InspectorResponse {
  readonly result: { readonly type: string; readonly description?: string };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly className?: string; readonly description?: string };
  };
}

/** Global through which V8 calls the compiled expression; exists only during the evaluation. */
const GLOBAL_NAME = 'tt$evaluation';
// For an evaluation without side effects, V8 takes a read of an import for one.
const [pending, fulfilled] = [PENDING, FULFILLED];
const { is: isPromise, state: stateOf, value: valueOf }: typeof Eventual = Eventual;
const NO_TOP_SCOPE: TopScope = new Map();

export interface EvaluationModes {
  /** Runs code outside of the replay: it takes no events and counts no statements. It must not call the host. */
  runApart<T>(run: () => T): T;
  /**
   * Runs code that may change the program; undefined if that is forbidden.
   * @param isWriting whether it may bypass barriers
   */
  readonly runLogged: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
  /** Runs jobs of the evaluation; undefined if none can run. */
  readonly runJobsUntil?: RunJobsUntil | undefined;
}

/** Matches expressions that may write by themselves, not only through functions that they call. */
const WRITE_PATTERN = /(?<![=!<>])=(?![=>])|<<=|>>=|\+\+|--|\b(?:delete|eval|exec|test|match|replace|replaceAll)\b/;

export interface EvaluationScope {
  readonly variables: Variables;
  /** Variables whose values are not known (`notKeptAt`). */
  readonly notKept?: readonly string[];
  readonly topScope?: TopScope | undefined;
  /** Default: assignments to variables are lost. */
  readonly assignable?: AssignableScope | undefined;
}

export function evaluateInThread(
  text: string,
  scope: EvaluationScope,
  realm: Loader['realm'],
  modes: EvaluationModes,
): ThreadEvaluation {
  const missing = scope.notKept?.find((name) => mentions(text, name));
  if (missing !== undefined)
    return { error: `${missing} is not available after the await`, isPure: true, isNotKept: true };
  let evaluation: Evaluation;
  try {
    evaluation = new Evaluation(text, scope, realm, modes);
  } catch (error) {
    return { error: thrownText(error), isPure: true };
  }
  return modes.runApart(() => evaluation.run());
}

interface ProgramGlobals {
  readonly Promise: { resolve(value: unknown): Eventual };
}

class Evaluation {
  readonly #text: string;
  readonly #scope: EvaluationScope;
  readonly #realm: Loader['realm'];
  readonly #modes: EvaluationModes;
  /** Undefined if an evaluation without side effects is not worth an attempt. */
  readonly #pureRun: (() => unknown) | undefined;
  #code: ConsoleCode | undefined;

  /** @throws SyntaxError */
  constructor(text: string, scope: EvaluationScope, realm: Loader['realm'], modes: EvaluationModes) {
    this.#text = text;
    this.#scope = scope;
    this.#realm = realm;
    this.#modes = modes;
    const expression = this.#compileExpression();
    if (expression === undefined || WRITE_PATTERN.test(text)) this.#code = new ConsoleCode(text, realm);
    if (this.#code?.hasOwnEffects !== true)
      this.#pureRun = expression?.bindToVariables(scope.variables) ?? this.#boundCode(this.#code as ConsoleCode, true);
  }

  /** Undefined if the text is not an expression. */
  #compileExpression(): Expression | undefined {
    const { variables, topScope } = this.#scope;
    if (/\bawait\b/.test(this.#text)) return undefined;
    try {
      return new Expression(this.#text, variables.keys(), this.#realm, topScope);
    } catch {
      return undefined;
    }
  }

  #boundCode(code: ConsoleCode, isPure: boolean): () => unknown {
    const { variables, topScope = NO_TOP_SCOPE, assignable = nothingAssignable() } = this.#scope;
    return code.bind({ variables, topScope, assignable }, (value) => this.#settled(value, isPure), isPure);
  }

  run(): ThreadEvaluation {
    const pureResult = this.#pureRun && evaluatePure(this.#pureRun);
    if (pureResult !== undefined) return pureResult;
    const { runLogged } = this.#modes;
    if (runLogged === undefined)
      return { error: 'it could change the program, which only an input in the innermost frame may do', isPure: true };
    try {
      const code = (this.#code ??= new ConsoleCode(this.#text, this.#realm));
      return { value: runLogged(this.#boundCode(code, false), !code.hasAllBarriers), isPure: false };
    } catch (error) {
      return { error: thrownText(error), isPure: false };
    }
  }

  /** Value of an `await`. Only jobs of the evaluation run; the program itself stays where it is. */
  #settled(awaited: unknown, isPure: boolean): unknown {
    if (Object(awaited) !== awaited) return awaited;
    const promise = isPromise(awaited) ? awaited : this.#toPromise(awaited);
    if (stateOf(promise) === pending) {
      // V8 reports side effects with such an error.
      if (isPure) throw new EvalError('its jobs have side effects');
      this.#modes.runJobsUntil?.(() => stateOf(promise) !== pending);
    }
    const state = stateOf(promise);
    if (state === pending) throw new TypeError('the promise is pending here');
    if (state === fulfilled) return valueOf(promise);
    throw valueOf(promise);
  }

  #toPromise(value: unknown): Eventual {
    const { Promise: ProgramPromise } = this.#realm.ambient as unknown as ProgramGlobals;
    return ProgramPromise.resolve(value);
  }
}

/** A scope whose assignments last for one evaluation. */
function nothingAssignable(): AssignableScope {
  return { boxes: new Map(), obstacles: new Map(), consoleVariables: new ConsoleVariables() };
}

/** Whether an expression may use a variable. */
function mentions(text: string, name: string): boolean {
  return [...text.matchAll(NAME_PATTERN)].some(({ 0: found, index }) => {
    const [before, after] = [text.slice(0, index), text.slice(index + found.length)];
    return found === name && !isMember(before) && !isKey(before, after);
  });
}

/** `object.name`, but not `...name`. */
function isMember(before: string): boolean {
  return /(?<!\.)\.\s*$/.test(before);
}

/** `{ name: value }`. */
function isKey(before: string, after: string): boolean {
  return /[{,]\s*$/.test(before) && /^\s*:/.test(after);
}

const InspectorSession = takeInspectorSession();

/** Result of an evaluation without side effects; undefined if V8 stopped it before a change. */
function evaluatePure(run: () => unknown): ThreadEvaluation | undefined {
  let response: InspectorResponse | undefined;
  if (InspectorSession === undefined) return undefined;
  const session = new InspectorSession();
  try {
    session.connect();
    Object.defineProperty(globalThis, GLOBAL_NAME, { value: run, configurable: true });
    const request = { expression: `${GLOBAL_NAME}()`, throwOnSideEffect: true, silent: true };
    session.post('Runtime.evaluate', request, (_, answer) => {
      response = answer as unknown as InspectorResponse;
    });
    if (response === undefined) return undefined;
    const { exceptionDetails } = response;
    const { className, description = exceptionDetails?.text ?? '' } = exceptionDetails?.exception ?? {};
    if (exceptionDetails !== undefined)
      return className === 'EvalError' ? undefined : { error: firstLine(description), isPure: true };
    // V8 returns only a description. Nothing has changed, so a second evaluation gives the same value.
    return { value: run(), isPure: true };
  } catch {
    // The inspector is not available.
    return undefined;
  } finally {
    Reflect.deleteProperty(globalThis, GLOBAL_NAME);
    session.disconnect();
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
