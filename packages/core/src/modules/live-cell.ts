// The cell of an import from native code: every read goes to the native namespace, so its bindings stay live. Hot path: what a program
// calls in its loops is often imported from a device (`tell`, from `turntable` itself); guarded by bench/peers.
import { Cell } from '../cell.ts';

type Namespace = Record<string, unknown>;

const NativeFunction = Function;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const { exec } = RegExp.prototype;
const { apply } = Reflect;

export class LiveCell extends Cell {
  /** Set when the native module is evaluated; until then the exports read as `undefined`. */
  source: Namespace | undefined = undefined;
  #read: (() => unknown) | undefined = undefined;
  #readSource: Namespace | undefined = undefined;

  override get v(): unknown {
    const { source } = this;
    if (source === undefined) return undefined;
    if (this.#readSource !== source) {
      this.#read = createReader(source, this.name);
      this.#readSource = source;
    }
    return (this.#read as () => unknown)();
  }

  override set v(_value: unknown) {
    throw new TypeError('Assignment to constant variable.');
  }
}

/** V8 reads a namespace by a name in the text as it reads a variable, by one that it is given in ten times as long. */
function createReader(source: Namespace, name: string): () => unknown {
  try {
    if (apply(exec, IDENTIFIER, [name]) !== null) {
      const createGetter = new NativeFunction('source', `return () => source.${name};`) as (
        from: Namespace,
      ) => () => unknown;
      return createGetter(source);
    }
  } catch {
    // Where no code may be made of text.
  }
  return () => source[name];
}
