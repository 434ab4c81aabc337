// `fn.bind(…)`: what a bound function was made of, which no JavaScript can ask. The function is the engine's own; target,
// receiver and arguments are stamped on it as private fields (a WeakMap was several times dearer). The method is replaced
// on the engine's prototype, so that `super.bind`, `call.bind(bind)` and `Reflect.apply(bind, …)` come by as well.

import { apply, functionPrototype, defineMethod } from './intrinsics.ts';
import { Stamp } from './stamp.ts';

type AnyFunction = (...args: never[]) => unknown;

export interface BoundFunctionParts {
  target: AnyFunction;
  receiver: unknown;
  args: readonly unknown[];
}

const nativeBind = functionPrototype.bind as unknown as AnyFunction;
const NO_ARGUMENTS: readonly unknown[] = Object.freeze([]);

export class BoundFunction extends Stamp {
  #target: AnyFunction;
  #receiver: unknown;
  #args: readonly unknown[];
  constructor(bound: object, target: AnyFunction, receiver: unknown, args: readonly unknown[]) {
    super(bound);
    this.#target = target;
    this.#receiver = receiver;
    this.#args = args;
  }
  static parts(value: object): BoundFunctionParts | undefined {
    if (!(#target in value)) return undefined;
    return { target: value.#target, receiver: value.#receiver, args: value.#args };
  }
}

const { bind } = {
  bind(this: AnyFunction, receiver: unknown): unknown {
    // Handed on as it is: measured at two thirds of the cost of rest parameters.
    const callArguments = arguments as unknown as never[];
    if (callArguments.length < 2)
      return new BoundFunction(apply(nativeBind, this, [receiver] as never[]) as object, this, receiver, NO_ARGUMENTS);
    const args: unknown[] = [];
    for (let i = 1; i < callArguments.length; i++) args[i - 1] = callArguments[i];
    return new BoundFunction(apply(nativeBind, this, callArguments) as object, this, receiver, args);
  },
};

export function installBind(): void {
  defineMethod(functionPrototype, 'bind', bind);
}

/** A bound function again; `name`, `length` and other own properties are the caller's to set. */
export function rebind({ target, receiver, args }: BoundFunctionParts): object {
  const callArguments: unknown[] = [receiver];
  for (let i = 0; i < args.length; i++) callArguments[i + 1] = args[i];
  return apply(bind as unknown as AnyFunction, target, callArguments as never[]) as object;
}
