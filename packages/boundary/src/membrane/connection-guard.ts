// The standard streams of the program are Node's own objects, with methods that open other connections:
// `process.stdout.connect`, also of `new process.stdout.constructor()`, and methods of `process.stdout._handle`. Calls by
// the program are reported, and a replay does not perform them.
import { replaceFunctions } from '@turntable/loader';

type Method = (this: unknown, ...args: never[]) => unknown;

export interface ConnectionGuardDeps {
  readonly isReplay: boolean;
  /** Whether other code than the program's calls a function, which is running. */
  isNativeCaller(callee: Method): boolean;
  reportUnreplayable(use: string): void;
}

/** Methods of the engine's objects behind sockets and pipes. */
const HANDLE_METHODS = ['bind', 'bind6', 'connect', 'connect6', 'listen'] as const;

const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;

export class ConnectionGuard {
  readonly #deps: ConnectionGuardDeps;
  readonly #guarded = new WeakSet<object>();

  constructor(deps: ConnectionGuardDeps) {
    this.#deps = deps;
  }

  /** Guards the class `Socket` of `node:net`. Must run before the program can get its methods. */
  guardSockets({ Socket }: { readonly Socket: { readonly prototype: object } }): void {
    this.#guard(Socket.prototype, ['connect']);
  }

  /** Guards the engine's object behind a standard stream. */
  guardStream(stream: object): void {
    const { _handle: handle } = stream as { readonly _handle?: unknown };
    if (typeof handle !== 'object' || handle === null) return;
    for (let holder = getPrototypeOf(handle); holder !== null; holder = getPrototypeOf(holder))
      this.#guard(holder, HANDLE_METHODS);
  }

  #guard(holder: object, names: readonly string[]): void {
    if (this.#guarded.has(holder)) return;
    this.#guarded.add(holder);
    const { isReplay, isNativeCaller, reportUnreplayable } = this.#deps;
    for (const name of names) {
      const native: unknown = getOwnPropertyDescriptor(holder, name)?.value;
      if (typeof native !== 'function') continue;
      const { [name]: method } = {
        [name](this: unknown, ...args: never[]): unknown {
          if (isNativeCaller(method as Method)) return apply(native, this, args);
          reportUnreplayable(`${name} of the standard output`);
          return isReplay ? this : apply(native, this, args);
        },
      };
      replaceFunctions(holder, { [name]: method as Method });
    }
  }
}
