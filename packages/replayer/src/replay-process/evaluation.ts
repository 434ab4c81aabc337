// An expression where a thread stands still, with its variables: first as V8 evaluates what must not change anything, which it refuses as soon as something could;
// then as it stands, by which the program may become another one than it was. Whoever has asked is told which of the two it was.
import { Session } from 'node:inspector';
import { Script } from 'node:vm';
import { barredExpression, type ProbeLocation } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import { toCompilable, createPrivateReader, READER_NAME } from './private-fields.ts';
import { thrownText } from './thrown-text.ts';
import { topVariableValue, type TopVariable } from './top-scope.ts';
import { localValue, type Variables } from './variables.ts';

export type ThreadEvaluation =
  | { readonly value: unknown; readonly isPure: boolean }
  | { readonly error: string; readonly isPure: boolean };

type CompiledFunction = (...args: unknown[]) => unknown;
type TopScope = ReadonlyMap<string, TopVariable>;

interface InspectorResponse {
  readonly result: { readonly type: string; readonly description?: string };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly className?: string; readonly description?: string };
  };
}

/** Where V8 finds what it evaluates with, for as long as it takes. */
const GLOBAL_NAME = 'tt$evaluation';
const NO_TOP_SCOPE: TopScope = new Map();
const NAME_PATTERN = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

/** An expression for one statement, whose variables have these names. */
export class Expression {
  readonly #names: readonly string[];
  /** Those that are variables of the file's top scope, in the places of their names. */
  readonly #topVariables: readonly (TopVariable | undefined)[];
  readonly #realm: Loader['realm'];
  readonly #run: CompiledFunction;
  /** The same where `this` is nobody, if it is mentioned: elsewhere somebody may make a name that nobody has declared. */
  readonly #runWithoutThis: CompiledFunction;

  /** Throws where it is none. @param realm whose names are not the engine's own */
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

  /** For who has it again and again of one statement, as its probe passes its variables. */
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

  /** To be run any number of times. */
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
  /** Runs what counts for nothing, and may ask nothing of outside. */
  runApart<T>(run: () => T): T;
  /** Runs what may change the program; undefined if nothing may. @param isWriting it may do so in a way of which nobody is told */
  readonly runLogged: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** What looks as if the expression wrote something by itself, not by what it calls. */
const WRITE_PATTERN = /(?<![=!<>])=(?![=>])|<<=|>>=|\+\+|--|\b(?:delete|eval|exec|test|match|replace|replaceAll)\b/;

/** What names mean where it is evaluated. */
export interface EvaluationScope {
  readonly variables: Variables;
  readonly topScope?: TopScope | undefined;
}

export function evaluateInThread(
  text: string,
  { variables, topScope }: EvaluationScope,
  realm: Loader['realm'],
  { runApart, runLogged }: EvaluationModes,
): ThreadEvaluation {
  let run: () => unknown;
  try {
    run = new Expression(text, variables.keys(), realm, topScope).bindToVariables(variables);
  } catch (error) {
    return { error: thrownText(error), isPure: true };
  }
  return runApart((): ThreadEvaluation => {
    const pureResult = evaluatePure(run);
    if (pureResult !== undefined) return pureResult;
    if (runLogged === undefined) return { error: 'it could change something, which it was not to', isPure: true };
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

function compileFunction(text: string, names: readonly string[], head: string): CompiledFunction {
  // An expression, and nothing that ends one.
  void new Script(`(${text}\n)`);
  return new Script(`(function (${names.join(', ')}) { ${head} return (${text}\n); })`, {
    filename: 'expression',
  }).runInThisContext() as CompiledFunction;
}

/** Nothing, if it says what strict code may not, such as `eval` for a name of its own. */
function compileStrict(text: string, names: readonly string[]): CompiledFunction | undefined {
  try {
    return compileFunction(text, names, `'use strict';`);
  } catch {
    return undefined;
  }
}

/** Nothing, if it could have changed something. */
function evaluatePure(run: () => unknown): ThreadEvaluation | undefined {
  let response: InspectorResponse | undefined;
  const session = new Session();
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
    // The value itself cannot be had from there; nothing has changed, so it is the same once more.
    return { value: run(), isPure: true };
  } catch {
    // Where nobody may inspect.
    return undefined;
  } finally {
    Reflect.deleteProperty(globalThis, GLOBAL_NAME);
    session.disconnect();
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
