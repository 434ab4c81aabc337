// Helpers of lowered decorators: tslib's `__decorate`, `__metadata` and `__param` for legacy ones, `__esDecorate` and
// `__runInitializers` for standard ones. Decorators may throw, keep their arguments, and replace values.

import { NativeTypeError, apply, defineProperty, getOwnPropertyDescriptor } from './intrinsics.ts';

type Decorator = (...args: unknown[]) => unknown;

interface DecoratorContext {
  readonly kind: 'class' | 'method' | 'getter' | 'setter' | 'accessor' | 'field';
  readonly name: PropertyKey;
  readonly static?: boolean;
  readonly access?: object;
}

function optionalFunction(value: unknown): ((...args: unknown[]) => unknown) | undefined {
  if (value !== undefined && typeof value !== 'function') throw new NativeTypeError('Function expected');
  return value as ((...args: unknown[]) => unknown) | undefined;
}

/** Applies standard decorators in reverse order: tslib's `__esDecorate`. */
function esDecorate(
  owner: (new () => object) | null,
  givenDescriptor: PropertyDescriptor | null,
  decorators: Decorator[],
  sharedContext: DecoratorContext,
  initializers: unknown[] | null,
  extraInitializers: unknown[],
): void {
  const { kind, name } = sharedContext;
  const key = kind === 'getter' ? 'get' : kind === 'setter' ? 'set' : 'value';
  const target =
    givenDescriptor === null && owner !== null
      ? sharedContext.static === true
        ? owner
        : (owner.prototype as object)
      : null;
  const descriptor = givenDescriptor ?? (target === null ? {} : (getOwnPropertyDescriptor(target, name) ?? {}));
  let isDone = false;
  for (let i = decorators.length - 1; i >= 0; i--) {
    const context = {
      ...sharedContext,
      ...(sharedContext.access === undefined ? {} : { access: { ...sharedContext.access } }),
      addInitializer(initializer: unknown): void {
        if (isDone) throw new NativeTypeError('Cannot add initializers after decoration has completed');
        if (typeof initializer !== 'function') throw new NativeTypeError('Function expected');
        extraInitializers.push(initializer);
      },
    };
    const decorator = decorators[i] as Decorator;
    const { get, set } = descriptor;
    const result = decorator(kind === 'accessor' ? { get, set } : descriptor[key], context);
    if (kind === 'accessor') {
      if (result === undefined) continue;
      if (result === null || typeof result !== 'object') throw new NativeTypeError('Object expected');
      const replacements = result as { get?: unknown; set?: unknown; init?: unknown };
      const getter = optionalFunction(replacements.get);
      if (getter !== undefined) descriptor.get = getter;
      const setter = optionalFunction(replacements.set);
      if (setter !== undefined) descriptor.set = setter;
      const init = optionalFunction(replacements.init);
      if (init !== undefined) initializers?.unshift(init);
      continue;
    }
    const replacement = optionalFunction(result);
    if (replacement === undefined) continue;
    if (kind === 'field') initializers?.unshift(replacement);
    else descriptor[key] = replacement as never;
  }
  if (target !== null) defineProperty(target, name, descriptor);
  isDone = true;
}

/** Runs the initializers, and returns the value after the last one: tslib's `__runInitializers`. */
function runInitializers(
  target: unknown,
  initializers: ((value?: unknown) => unknown)[],
  ...initialValue: [unknown] | []
): unknown {
  let [value] = initialValue;
  for (const initializer of initializers) {
    if (initialValue.length === 0) apply(initializer, target, []);
    else value = apply(initializer, target, [value]);
  }
  return value;
}

/** Functions of the global `babelHelpers`, which lowered TypeScript calls. */
export const decoratorHelpers = {
  decorate(
    decorators: (Decorator | undefined)[],
    target: object,
    ...member: [name: PropertyKey, descriptor: PropertyDescriptor | null | undefined] | []
  ): unknown {
    const [name, givenDescriptor] = member;
    const isClass = name === undefined;
    const descriptor = isClass || givenDescriptor !== null ? givenDescriptor : getOwnPropertyDescriptor(target, name);
    const { decorate } = Reflect as { decorate?: (...args: unknown[]) => unknown };
    let result: unknown = isClass ? target : descriptor;
    if (typeof decorate === 'function') result = decorate.call(Reflect, decorators, target, name, descriptor);
    else {
      for (let i = decorators.length - 1; i >= 0; i--) {
        const decorator = decorators[i];
        if (decorator) result = (isClass ? decorator(result) : decorator(target, name, result)) || result;
      }
    }
    if (!isClass && result) defineProperty(target, name, result as PropertyDescriptor);
    return result;
  },
  decorateMetadata(name: string, value: unknown): unknown {
    const { metadata } = Reflect as { metadata?: (name: string, value: unknown) => Decorator };
    return typeof metadata === 'function' ? metadata.call(Reflect, name, value) : undefined;
  },
  decorateParam(index: number, decorator: Decorator): Decorator {
    return (target, name) => {
      decorator(target, name, index);
    };
  },
  esDecorate,
  runInitializers,
  propertyKey(value: unknown): PropertyKey {
    return typeof value === 'symbol' ? value : `${value as string}`;
  },
  /** Metadata object that all decorators of a class share; undefined if the program has no `Symbol.metadata`. */
  decoratorMetadata(base: unknown): object | undefined {
    const { metadata } = Symbol as { metadata?: symbol };
    if (metadata === undefined) return undefined;
    return Object.create(((base as Record<symbol, object> | undefined)?.[metadata] ?? null) as object | null) as object;
  },
};
