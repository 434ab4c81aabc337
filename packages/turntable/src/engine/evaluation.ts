// An expression where a thread stands still, with its variables: first as V8 evaluates what must not change anything, which it refuses as soon as something could;
// then as it stands, by which the program may become another one than it was. Whoever has asked is told which of the two it was.
import { Session } from 'node:inspector';
import { Script } from 'node:vm';
import type { Variables } from './variables.ts';

export type EvaluatedHere =
  | { readonly value: unknown; readonly isPure: boolean }
  | { readonly error: string; readonly isPure: boolean };

interface Remote {
  readonly result: { readonly type: string; readonly description?: string };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly className?: string; readonly description?: string };
  };
}

/** Where V8 finds what it evaluates with, for as long as it takes. */
const PLACE = 'tt$evaluation';
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

/** An expression for one statement, whose variables have these names. */
export class Expression {
  readonly #names: readonly string[];
  readonly #ambient: Readonly<Record<string, unknown>>;
  readonly #run: (...args: unknown[]) => unknown;

  /** Throws where it is none. @param ambient names that are the realm's and not the engine's own */
  constructor(text: string, variables: Iterable<string>, ambient: Readonly<Record<string, unknown>>) {
    const mentioned = new Set(text.match(NAME));
    const own = [...variables].filter((name) => mentioned.has(name) && name !== 'this' && name !== 'arguments');
    const others = [...mentioned].filter((name) => !own.includes(name) && Object.hasOwn(ambient, name));
    this.#names = [...own, ...others];
    this.#ambient = ambient;
    this.#run = compiled(text, this.#names);
  }

  value(variables: Variables): unknown {
    return this.bound(variables)();
  }

  /** To be run any number of times. */
  bound(variables: Variables): () => unknown {
    const values = this.#names.map((name) =>
      variables.has(name)
        ? variables.get(name)?.value
        : (Object.getOwnPropertyDescriptor(this.#ambient, name)?.value as unknown),
    );
    const on = variables.get('this')?.value;
    const run = this.#run;
    return () => run.apply(on, values);
  }
}

/** @param apart runs what counts for nothing, and may ask nothing of outside */
export function evaluateHere(
  text: string,
  variables: Variables,
  ambient: Readonly<Record<string, unknown>>,
  apart: <T>(run: () => T) => T,
): EvaluatedHere {
  let run: () => unknown;
  try {
    run = new Expression(text, variables.keys(), ambient).bound(variables);
  } catch (error) {
    return { error: textOf(error), isPure: true };
  }
  return apart((): EvaluatedHere => {
    const pure = withoutEffect(run);
    if (pure !== undefined) return pure;
    try {
      return { value: run(), isPure: false };
    } catch (error) {
      return { error: textOf(error), isPure: false };
    }
  });
}

function compiled(text: string, names: readonly string[]): (...args: unknown[]) => unknown {
  // An expression, and nothing that ends one.
  void new Script(`(${text}\n)`);
  return new Script(`(function (${names.join(', ')}) { return (${text}\n); })`, {
    filename: 'expression',
  }).runInThisContext() as () => unknown;
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

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return firstLine(`${error.name}: ${error.message}`);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
