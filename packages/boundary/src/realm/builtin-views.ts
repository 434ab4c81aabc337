// Makes the few builtins that look at an object's engine type recognize eventuals and transformed functions.
import { types, type InspectOptionsStylized } from 'node:util';
import { rethrownError } from '@turntable/core';

export interface ObjectKinds {
  eventualState(
    value: unknown,
  ): { readonly state: 'pending' | 'fulfilled' | 'rejected'; readonly value: unknown } | undefined;
  isAsyncFunction(value: unknown): boolean;
  isGeneratorFunction(value: unknown): boolean;
  isGeneratorObject(value: unknown): boolean;
}

type Predicate = (value: unknown) => boolean;

/** Extends the predicates of `util.types`. Native code calls the extended predicates too. */
export function extendTypePredicates(kinds: ObjectKinds): void {
  const predicates = types as unknown as Record<string, Predicate>;
  const extend = (name: string, extra: Predicate): void => {
    const native = predicates[name] as Predicate;
    predicates[name] = { [name]: (value: unknown) => native(value) || extra(value) }[name] as Predicate;
  };
  extend('isPromise', (value) => kinds.eventualState(value) !== undefined);
  extend('isAsyncFunction', kinds.isAsyncFunction);
  extend('isGeneratorFunction', kinds.isGeneratorFunction);
  extend('isGeneratorObject', kinds.isGeneratorObject);
}

const CUSTOM_INSPECT = Symbol.for('nodejs.util.inspect.custom');
type Inspect = (value: unknown, options: InspectOptionsStylized) => string;

/** Makes `inspect` print `Promise { 42 }` for an eventual, as for a native promise. */
export function installEventualInspection(prototype: object, kinds: ObjectKinds): void {
  Object.defineProperty(prototype, CUSTOM_INSPECT, {
    value(this: object, depth: number, options: InspectOptionsStylized, inspect: Inspect): string {
      const eventualState = kinds.eventualState(this);
      // The eventual behind a proxy cannot be reached, and its traps must not be called.
      if (types.isProxy(this)) return 'Promise {}';
      const name = (this.constructor as { name?: string } | undefined)?.name ?? 'Promise';
      const prefix = name === 'Promise' ? 'Promise' : `${name} [Promise]`;
      if (eventualState === undefined) return `${prefix} {}`;
      if (depth < 0) return options.stylize(`[${prefix}]`, 'special');
      if (eventualState.state === 'pending') return `${prefix} { ${options.stylize('<pending>', 'special')} }`;
      const inner = inspect(eventualState.value, {
        ...options,
        depth: options.depth === null || options.depth === undefined ? null : options.depth - 1,
      } as InspectOptionsStylized);
      const rejectedMark = eventualState.state === 'rejected' ? `${options.stylize('<rejected>', 'special')} ` : '';
      return inner.includes('\n')
        ? `${prefix} {\n  ${rejectedMark}${inner.replaceAll('\n', '\n  ')}\n}`
        : `${prefix} { ${rejectedMark}${inner} }`;
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

/** Matches what `inspect` prints for a function whose kind it does not see, possibly in colour. */
const INSPECTED_FUNCTION =
  // oxlint-disable-next-line no-control-regex -- the escape character of terminals
  /^((?:\u001b\[\d+m)?)\[Function(.*?)\] (?:Async|Generator|AsyncGenerator)+Function(?: \[\w+\])?/;

/** Makes `inspect` print `[AsyncFunction: f]` for a transformed function, which is an ordinary one for the engine. */
export function installFunctionInspection(kind: string, prototype: object): void {
  Object.defineProperty(prototype, CUSTOM_INSPECT, {
    value(this: unknown, _depth: number, options: InspectOptionsStylized, inspect: Inspect): unknown {
      if (typeof this !== 'function') return this;
      const text = inspect(this, { ...options, customInspect: false } as InspectOptionsStylized);
      return text.replace(INSPECTED_FUNCTION, `$1[${kind}$2]`);
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
const nativeToString = Function.prototype.toString;

/** Restores the source text in `DataCloneError: () => {} could not be cloned.`, where the engine has compiled text. */
export function installCloneErrorSources(): void {
  const patchCloneError = (holder: object, name: string): void => {
    const native = Reflect.get(holder, name) as Method;
    const wrapper = {
      [name](this: unknown, ...args: unknown[]): unknown {
        try {
          return Reflect.apply(native, this, args);
        } catch (error) {
          const refusal =
            error instanceof DOMException ? /^([^]*\/\*@[^]*) could not be cloned\.$/.exec(error.message) : null;
          const uncloneable = refusal === null ? undefined : findFunctionBySource(args[0], refusal[1] as string);
          if (uncloneable === undefined) throw rethrownError(error, 'node-do-not-add-exception-line');
          const reworded = new DOMException(`${uncloneable.toString()} could not be cloned.`, 'DataCloneError');
          throw rethrownError(reworded, 'node-do-not-add-exception-line');
        }
      },
    }[name] as Method;
    Object.defineProperty(wrapper, 'length', { value: native.length, configurable: true });
    Object.defineProperty(holder, name, { value: wrapper });
  };
  patchCloneError(globalThis, 'structuredClone');
  patchCloneError(MessagePort.prototype, 'postMessage');
}

function findFunctionBySource(value: unknown, source: string): (() => unknown) | undefined {
  const visited = new Set<unknown>([value]);
  for (const candidate of visited) {
    if (typeof candidate === 'function' && Reflect.apply(nativeToString, candidate, []) === source)
      return candidate as () => unknown;
    if (typeof candidate !== 'object' || candidate === null || types.isProxy(candidate)) continue;
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(candidate))) visited.add(inner);
    if (types.isMap(candidate)) for (const entry of candidate) visited.add(entry[0]).add(entry[1]);
    if (types.isSet(candidate)) for (const entry of candidate) visited.add(entry);
  }
  return undefined;
}
