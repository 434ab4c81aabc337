// The four kinds of function objects and their constructors. `fn.constructor.name`, `instanceof AsyncFunction` and
// `Symbol.toStringTag` give the native results for a transformed function. Async functions have the native
// %AsyncFunction.prototype%, so that devices accept them. The generator kinds have prototypes of their own, which lead
// to core's generator prototypes. The constructors compile through the host.

import { CoreError } from './core-error.ts';
import {
  create,
  defineMethod,
  definePrototype,
  defineProperty,
  functionPrototype,
  isObject,
  nativeAsyncFunctionPrototype,
  nativeAsyncGeneratorFunctionPrototype,
  nativeGeneratorFunctionPrototype,
  setPrototypeOf,
} from './intrinsics.ts';
import type { AsyncGenerators } from './async-generator.ts';
import type { Generators } from './generator.ts';
import type { DynamicFunctionKind, Host } from './host.ts';

type AnyFunction = (...args: never[]) => unknown;

export function createFunctionKinds(host: Host, generators: Generators, asyncGenerators: AsyncGenerators) {
  const generatorFunctionPrototype = createKindPrototype('GeneratorFunction', generators.prototype);
  const asyncGeneratorFunctionPrototype = createKindPrototype('AsyncGeneratorFunction', asyncGenerators.prototype);

  const Function = constructorOf('function', 'Function', functionPrototype);
  const AsyncFunction = constructorOf('async', 'AsyncFunction', nativeAsyncFunctionPrototype);
  const GeneratorFunction = constructorOf('generator', 'GeneratorFunction', generatorFunctionPrototype);
  const AsyncGeneratorFunction = constructorOf(
    'asyncGenerator',
    'AsyncGeneratorFunction',
    asyncGeneratorFunctionPrototype,
  );
  for (const constructor of [AsyncFunction, GeneratorFunction, AsyncGeneratorFunction])
    setPrototypeOf(constructor, Function);
  defineProperty(generatorFunctionPrototype, 'constructor', { value: GeneratorFunction, configurable: true });
  defineProperty(asyncGeneratorFunctionPrototype, 'constructor', { value: AsyncGeneratorFunction, configurable: true });

  function constructorOf(kind: DynamicFunctionKind, name: string, prototype: object): FunctionConstructor {
    const constructor = {
      [name]: function (...args: unknown[]): unknown {
        return compile(kind, prototype, args, new.target as unknown as { prototype: unknown } | undefined);
      },
    }[name] as unknown as FunctionConstructor;
    defineProperty(constructor, 'length', { value: 1, configurable: true });
    definePrototype(constructor, prototype);
    return constructor;
  }

  function compile(
    kind: DynamicFunctionKind,
    defaultPrototype: object,
    args: unknown[],
    newTarget: { prototype: unknown } | undefined,
  ): unknown {
    if (host.compileFunction === undefined) {
      throw new CoreError(
        'TT_DYNAMIC_CODE',
        "Function(…): this realm's host cannot compile source text; give createRealm a host with compileFunction()",
      );
    }
    const parameters: string[] = [];
    for (let i = 0; i < args.length - 1; i++) parameters[i] = `${args[i] as string}`;
    const body = args.length === 0 ? '' : `${args[args.length - 1] as string}`;
    const fn = host.compileFunction(kind, parameters, body);
    if (newTarget !== undefined) {
      const { prototype } = newTarget;
      if (isObject(prototype) && prototype !== defaultPrototype) setPrototypeOf(fn, prototype);
    }
    return fn;
  }

  function asyncFunction<F extends AnyFunction>(fn: F): F {
    setPrototypeOf(fn, nativeAsyncFunctionPrototype);
    return fn;
  }

  function generatorFunction<F extends AnyFunction>(fn: F, prototype: object): F {
    setPrototypeOf(fn, generatorFunctionPrototype);
    defineProperty(fn, 'prototype', { value: prototype, writable: true, enumerable: false, configurable: false });
    return fn;
  }

  function asyncGeneratorFunction<F extends AnyFunction>(fn: F, prototype: object): F {
    setPrototypeOf(fn, asyncGeneratorFunctionPrototype);
    defineProperty(fn, 'prototype', { value: prototype, writable: true, enumerable: false, configurable: false });
    return fn;
  }

  /** Sets the realm's `constructor` on all functions, native functions included. Must run before any program code. */
  function install(): void {
    defineMethod(functionPrototype, 'constructor', Function);
    for (const [prototype, constructor] of [
      [nativeAsyncFunctionPrototype, AsyncFunction],
      [nativeGeneratorFunctionPrototype, GeneratorFunction],
      [nativeAsyncGeneratorFunctionPrototype, AsyncGeneratorFunction],
    ] as [object, unknown][]) {
      const attributes = { writable: false, enumerable: false, configurable: true };
      defineProperty(prototype, 'constructor', { ...attributes, value: constructor });
    }
  }

  return {
    Function,
    AsyncFunction,
    GeneratorFunction,
    AsyncGeneratorFunction,
    asyncFunction,
    generatorFunction,
    asyncGeneratorFunction,
    install,
  };
}

/** %GeneratorFunction.prototype% or its async counterpart, linked to the prototype of its generators. */
function createKindPrototype(tag: string, generatorPrototype: object): object {
  const prototype = create(functionPrototype) as object;
  defineProperty(prototype, 'prototype', { value: generatorPrototype, configurable: true });
  defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
  defineProperty(generatorPrototype, 'constructor', { value: prototype, configurable: true });
  return prototype;
}
