// Evaluates expressions on a paused thread, with the variables of its statement. The first attempt is V8's evaluation
// without side effects, which fails as soon as anything could change. The second one, if allowed, is a normal
// evaluation, which may change the program. The result says which one succeeded.
import { Script } from 'node:vm';
import { barredExpression, type ProbeLocation } from '@turntable/loader';
import { takeInspectorSession } from '../sandbox/inspector-session.ts';
import type { Loader } from '../thread/loader.ts';
import { toCompilable, createPrivateReader, READER_NAME } from './private-fields.ts';
import { thrownText } from './thrown-text.ts';
import { topVariableValue, type TopScope, type TopVariable } from './top-scope.ts';
import { localValue, type Variables } from './variables.ts';

export type ThreadEvaluation =
  | { readonly value: unknown; readonly isPure: boolean }
  | { readonly error: string; readonly isPure: boolean; readonly isNotKept?: boolean };

type CompiledFunction = (...args: unknown[]) => unknown;

interface InspectorResponse {
  readonly result: { readonly type: string; readonly description?: string };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly className?: string; readonly description?: string };
  };
}

/** Global through which V8 calls the compiled expression; exists only during the evaluation. */
const GLOBAL_NAME = 'tt$evaluation';
const NO_TOP_SCOPE: TopScope = new Map();
const NAME_PATTERN = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

/** An expression compiled for the variable names of one statement. */
export class Expression {
  readonly #names: readonly string[];
  /** Top-level variables of the file, by index in `#names`. */
  readonly #topVariables: readonly (TopVariable | undefined)[];
  readonly #realm: Loader['realm'];
  readonly #run: CompiledFunction;
  /** Form without `this`. The other form could resolve an undeclared name to a property of `this`. */
  readonly #runWithoutThis: CompiledFunction;

  /** @param realm realm whose globals the expression uses @throws if the text is not an expression */
  constructor(
    expression: string,
    variables: Iterable<string>,
    realm: Loader['realm'],
    topScope: TopScope = NO_TOP_SCOPE,
  ) {
    const text = toCompilable(expression);
    const mentioned = new Set(text.match(NAME_PATTERN));
    const variableNames = [...variables].filter(
      (name) => mentioned.has(name) && name !== 'this' && name !== 'arguments',
    );
    const isAmbient = (name: string): boolean =>
      name === READER_NAME || topScope.has(name) || Object.hasOwn(realm.ambient, name);
    const ambientNames = [...mentioned].filter((name) => !variableNames.includes(name) && isAmbient(name));
    this.#names = [...variableNames, ...ambientNames];
    this.#topVariables = this.#names.map((name) => (variableNames.includes(name) ? undefined : topScope.get(name)));
    this.#realm = realm;
    this.#run = compileFunction(text, this.#names, '');
    this.#runWithoutThis = (mentioned.has('this') && compileStrict(text, this.#names)) || this.#run;
  }

  /** Binds the expression to a statement for repeated evaluation, with variables as the probe passes them. */
  bindToProbe({ locals: names, boxed }: ProbeLocation): (locals: readonly unknown[]) => unknown {
    const localIndexes = this.#names.map((name) => names.indexOf(name));
    const values = this.#names.map((name) => this.#ambientValue(name));
    const thisIndex = names.indexOf('this');
    const topVariables = this.#topVariables;
    return (locals) => {
      for (let i = 0; i < localIndexes.length; i++) {
        const localIndex = localIndexes[i] as number;
        const variable = topVariables[i];
        if (localIndex !== -1) values[i] = localValue(locals[localIndex], boxed[localIndex] === true);
        else if (variable !== undefined) values[i] = topVariableValue(variable)?.value;
      }
      return this.#call(locals[thisIndex], values);
    };
  }

  /** Binds the expression to fixed variables for repeated evaluation. */
  bindToVariables(variables: Variables): () => unknown {
    const values = this.#names.map((name, i) => {
      const variable = this.#topVariables[i];
      if (variable !== undefined) return topVariableValue(variable)?.value;
      return variables.has(name) ? variables.get(name)?.value : this.#ambientValue(name);
    });
    const thisValue = variables.get('this')?.value;
    return () => this.#call(thisValue, values);
  }

  #call(thisValue: unknown, values: unknown[]): unknown {
    return (thisValue === undefined || thisValue === null ? this.#runWithoutThis : this.#run).apply(thisValue, values);
  }

  #ambientValue(name: string): unknown {
    if (name === READER_NAME) return createPrivateReader(this.#realm);
    return Object.getOwnPropertyDescriptor(this.#realm.ambient, name)?.value as unknown;
  }
}

export interface EvaluationModes {
  /** Runs code outside of the replay: it takes no events and counts no statements. It must not call the host. */
  runApart<T>(run: () => T): T;
  /**
   * Runs code that may change the program; undefined if that is forbidden.
   * @param isWriting whether it may bypass barriers
   */
  readonly runLogged: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** Matches expressions that may write by themselves, not only through functions that they call. */
const WRITE_PATTERN = /(?<![=!<>])=(?![=>])|<<=|>>=|\+\+|--|\b(?:delete|eval|exec|test|match|replace|replaceAll)\b/;

export interface EvaluationScope {
  readonly variables: Variables;
  /** Variables whose values are not known (`notKeptAt`). */
  readonly notKept?: readonly string[];
  readonly topScope?: TopScope | undefined;
}

export function evaluateInThread(
  text: string,
  { variables, notKept = [], topScope }: EvaluationScope,
  realm: Loader['realm'],
  { runApart, runLogged }: EvaluationModes,
): ThreadEvaluation {
  const missing = notKept.find((name) => mentions(text, name));
  if (missing !== undefined)
    return { error: `${missing} is not available after the await`, isPure: true, isNotKept: true };
  let run: () => unknown;
  try {
    run = new Expression(text, variables.keys(), realm, topScope).bindToVariables(variables);
  } catch (error) {
    return { error: thrownText(error), isPure: true };
  }
  return runApart((): ThreadEvaluation => {
    const pureResult = evaluatePure(run);
    if (pureResult !== undefined) return pureResult;
    if (runLogged === undefined)
      return { error: 'the expression could change the program, which this request forbids', isPure: true };
    const { code, isComplete } = WRITE_PATTERN.test(text)
      ? barredExpression(toCompilable(text))
      : { code: text, isComplete: true };
    try {
      const runWithBarriers =
        code === text ? run : new Expression(code, variables.keys(), realm, topScope).bindToVariables(variables);
      return { value: runLogged(runWithBarriers, !isComplete), isPure: false };
    } catch (error) {
      return { error: thrownText(error), isPure: false };
    }
  });
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

function compileFunction(text: string, names: readonly string[], head: string): CompiledFunction {
  // Throws a SyntaxError unless the text is one complete expression.
  void new Script(`(${text}\n)`);
  return new Script(`(function (${names.join(', ')}) { ${head} return (${text}\n); })`, {
    filename: 'expression',
  }).runInThisContext() as CompiledFunction;
}

/** Undefined if the code is not valid in strict mode, for example with a variable named `eval`. */
function compileStrict(text: string, names: readonly string[]): CompiledFunction | undefined {
  try {
    return compileFunction(text, names, `'use strict';`);
  } catch {
    return undefined;
  }
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
