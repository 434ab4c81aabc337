// Values that expressions can name as in gdb: `$` is the value that was printed last, `$2` the second one, and `$name` one
// that `set $name = EXPR` has kept. Primitive values are kept as texts, so they are available at every position.
import type { ValueInfo } from '@turntable/time-machine/protocol';
import { ReplInputError } from './words.ts';

const OBJECT_KINDS: ReadonlySet<string> = new Set(['object', 'function', 'symbol']);

export class ConvenienceVariables {
  readonly #printed: (ValueInfo | undefined)[] = [];
  readonly #named = new Map<string, ValueInfo | undefined>();

  addPrinted(value: ValueInfo | undefined): void {
    this.#printed.push(value);
  }

  set(name: string, value: ValueInfo | undefined): void {
    literalOf(`$${name}`, value);
    this.#named.set(name, value);
  }

  /** Replaces the names of kept values by the values. Other names that start with $ are variables of the program. */
  substitute(expression: string): string {
    return expression.replaceAll(/(?<![\w$.])\$(\w*)(?![\w$(])/g, (text, name: string) => {
      if (/^\d+$/.test(name)) {
        const value = this.#printed[Number(name) - 1];
        return Number(name) > this.#printed.length ? text : literalOf(text, value);
      }
      if (name === '') return this.#printed.length === 0 ? text : literalOf(text, this.#printed.at(-1));
      return this.#named.has(name) ? literalOf(text, this.#named.get(name)) : text;
    });
  }
}

function literalOf(name: string, value: ValueInfo | undefined): string {
  if (value === undefined) return 'undefined';
  if (OBJECT_KINDS.has(value.kind) || value.length !== undefined)
    throw new ReplInputError(`${name} is an object or a long text; only primitive values can be kept`);
  return `(${value.preview})`;
}
