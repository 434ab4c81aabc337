// An expression compiled for the variables of one statement. It can be evaluated repeatedly.
import { Script } from 'node:vm';
import type { ProbeLocation } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import { toCompilable, createPrivateReader, READER_NAME } from './private-fields.ts';
import { topVariableValue, type TopScope, type TopVariable } from './top-scope.ts';
import { localValue, type Variables } from './variables.ts';

type CompiledFunction = (...args: unknown[]) => unknown;

const NO_TOP_SCOPE: TopScope = new Map();
/** Matches everything in a text that may be a name. */
export const NAME_PATTERN: RegExp = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

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
