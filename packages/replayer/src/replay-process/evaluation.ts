// An expression where a thread stands still, with its variables: first as V8 evaluates what must not change anything, which it refuses as soon as something could;
// then as it stands, by which the program may become another one than it was. Whoever has asked is told which of the two it was.
import { Session } from 'node:inspector';
import { Script } from 'node:vm';
import { barredExpression, type StatementPlace } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import { compilable, privateReader, READER } from './private-fields.ts';
import { thrownText } from './thrown-text.ts';
import { valueOfTop, type TopVariable } from './top-scope.ts';
import { valueOf, type Variables } from './variables.ts';

export type EvaluatedHere =
  | { readonly value: unknown; readonly isPure: boolean }
  | { readonly error: string; readonly isPure: boolean };

type Compiled = (...args: unknown[]) => unknown;
type TopScope = ReadonlyMap<string, TopVariable>;

interface Remote {
  readonly result: { readonly type: string; readonly description?: string };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly className?: string; readonly description?: string };
  };
}

/** Where V8 finds what it evaluates with, for as long as it takes. */
const PLACE = 'tt$evaluation';
const NONE: TopScope = new Map();
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

/** An expression for one statement, whose variables have these names. */
export class Expression {
  readonly #names: readonly string[];
  /** Those that are variables of the file's top scope, in the places of their names. */
  readonly #top: readonly (TopVariable | undefined)[];
  readonly #realm: Loader['realm'];
  readonly #run: Compiled;
  /** The same where `this` is nobody, if it is mentioned: elsewhere somebody may make a name that nobody has declared. */
  readonly #onNobody: Compiled;

  /** Throws where it is none. @param realm whose names are not the engine's own */
  constructor(written: string, variables: Iterable<string>, realm: Loader['realm'], top: TopScope = NONE) {
    const text = compilable(written);
    const mentioned = new Set(text.match(NAME));
    const own = [...variables].filter((name) => mentioned.has(name) && name !== 'this' && name !== 'arguments');
    const isOther = (name: string): boolean => name === READER || top.has(name) || Object.hasOwn(realm.ambient, name);
    const others = [...mentioned].filter((name) => !own.includes(name) && isOther(name));
    this.#names = [...own, ...others];
    this.#top = this.#names.map((name) => (own.includes(name) ? undefined : top.get(name)));
    this.#realm = realm;
    this.#run = compiled(text, this.#names, '');
    this.#onNobody = (mentioned.has('this') && strictly(text, this.#names)) || this.#run;
  }

  /** For who has it again and again of one statement, as its probe passes its variables. */
  reading({ locals: names, boxed }: StatementPlace): (locals: readonly unknown[]) => unknown {
    const places = this.#names.map((name) => names.indexOf(name));
    const values = this.#names.map((name) => this.#ambientValue(name));
    const self = names.indexOf('this');
    const top = this.#top;
    return (locals) => {
      for (let i = 0; i < places.length; i++) {
        const at = places[i] as number;
        const variable = top[i];
        if (at !== -1) values[i] = valueOf(locals[at], boxed[at] === true);
        else if (variable !== undefined) values[i] = valueOfTop(variable)?.value;
      }
      return this.#runOn(locals[self], values);
    };
  }

  /** To be run any number of times. */
  bound(variables: Variables): () => unknown {
    const values = this.#names.map((name, i) => {
      const variable = this.#top[i];
      if (variable !== undefined) return valueOfTop(variable)?.value;
      return variables.has(name) ? variables.get(name)?.value : this.#ambientValue(name);
    });
    const on = variables.get('this')?.value;
    return () => this.#runOn(on, values);
  }

  #runOn(on: unknown, values: unknown[]): unknown {
    return (on === undefined || on === null ? this.#onNobody : this.#run).apply(on, values);
  }

  #ambientValue(name: string): unknown {
    if (name === READER) return privateReader(this.#realm);
    return Object.getOwnPropertyDescriptor(this.#realm.ambient, name)?.value as unknown;
  }
}

export interface Evaluating {
  /** Runs what counts for nothing, and may ask nothing of outside. */
  apart<T>(run: () => T): T;
  /** Runs what may change the program; undefined if nothing may. @param isWriting it may do so in a way of which nobody is told */
  readonly noted: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** What looks as if the expression wrote something by itself, not by what it calls. */
const WRITES = /(?<![=!<>])=(?![=>])|<<=|>>=|\+\+|--|\b(?:delete|eval|exec|test|match|replace|replaceAll)\b/;

/** What names mean where it is evaluated. */
export interface Names {
  readonly variables: Variables;
  readonly top?: TopScope | undefined;
}

export function evaluateHere(
  text: string,
  { variables, top }: Names,
  realm: Loader['realm'],
  { apart, noted }: Evaluating,
): EvaluatedHere {
  let run: () => unknown;
  try {
    run = new Expression(text, variables.keys(), realm, top).bound(variables);
  } catch (error) {
    return { error: thrownText(error), isPure: true };
  }
  return apart((): EvaluatedHere => {
    const pure = withoutEffect(run);
    if (pure !== undefined) return pure;
    if (noted === undefined) return { error: 'it could change something, which it was not to', isPure: true };
    const { code, isWhole } = WRITES.test(text) ? barredExpression(compilable(text)) : { code: text, isWhole: true };
    try {
      const telling = code === text ? run : new Expression(code, variables.keys(), realm, top).bound(variables);
      return { value: noted(telling, !isWhole), isPure: false };
    } catch (error) {
      return { error: thrownText(error), isPure: false };
    }
  });
}

function compiled(text: string, names: readonly string[], head: string): Compiled {
  // An expression, and nothing that ends one.
  void new Script(`(${text}\n)`);
  return new Script(`(function (${names.join(', ')}) { ${head} return (${text}\n); })`, {
    filename: 'expression',
  }).runInThisContext() as Compiled;
}

/** Nothing, if it says what strict code may not, such as `eval` for a name of its own. */
function strictly(text: string, names: readonly string[]): Compiled | undefined {
  try {
    return compiled(text, names, `'use strict';`);
  } catch {
    return undefined;
  }
}

/** Nothing, if it could have changed something. */
function withoutEffect(run: () => unknown): EvaluatedHere | undefined {
  let remote: Remote | undefined;
  const session = new Session();
  try {
    session.connect();
    Object.defineProperty(globalThis, PLACE, { value: run, configurable: true });
    const asked = { expression: `${PLACE}()`, throwOnSideEffect: true, silent: true };
    session.post('Runtime.evaluate', asked, (_, answer) => {
      remote = answer as unknown as Remote;
    });
    if (remote === undefined) return undefined;
    const { exceptionDetails } = remote;
    const { className, description = exceptionDetails?.text ?? '' } = exceptionDetails?.exception ?? {};
    if (exceptionDetails !== undefined)
      return className === 'EvalError' ? undefined : { error: firstLine(description), isPure: true };
    // The value itself cannot be had from there; nothing has changed, so it is the same once more.
    return { value: run(), isPure: true };
  } catch {
    // Where nobody may inspect.
    return undefined;
  } finally {
    Reflect.deleteProperty(globalThis, PLACE);
    session.disconnect();
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
