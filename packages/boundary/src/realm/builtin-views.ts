// Where Node's builtins meet eventuals and transformed functions: the few places that look at an object's engine type are taught
// about core's.
import { types, type InspectOptionsStylized } from 'node:util';
import { thrownAgain } from '@turntable/core';

export interface KindsOfObjects {
  eventualState(
    value: unknown,
  ): { readonly state: 'pending' | 'fulfilled' | 'rejected'; readonly value: unknown } | undefined;
  isAsyncFunction(value: unknown): boolean;
  isGeneratorFunction(value: unknown): boolean;
  isGeneratorObject(value: unknown): boolean;
}

type Predicate = (value: unknown) => boolean;

/** Native code asks these too, and rightly gets the same answer. */
export function extendTypePredicates(kinds: KindsOfObjects): void {
  const predicates = types as unknown as Record<string, Predicate>;
  const extend = (name: string, also: Predicate): void => {
    const native = predicates[name] as Predicate;
    predicates[name] = { [name]: (value: unknown) => native(value) || also(value) }[name] as Predicate;
  };
  extend('isPromise', (value) => kinds.eventualState(value) !== undefined);
  extend('isAsyncFunction', kinds.isAsyncFunction);
  extend('isGeneratorFunction', kinds.isGeneratorFunction);
  extend('isGeneratorObject', kinds.isGeneratorObject);
}

const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
type Inspect = (value: unknown, options: InspectOptionsStylized) => string;

/** `Promise { 42 }`, as for a native promise. */
export function showEventuals(prototype: object, kinds: KindsOfObjects): void {
  Object.defineProperty(prototype, CUSTOM, {
    value(this: object, depth: number, options: InspectOptionsStylized, inspect: Inspect): string {
      const found = kinds.eventualState(this);
      // A proxy: what it stands for cannot be had, and its traps are not to notice.
      if (types.isProxy(this)) return 'Promise {}';
      const name = (this.constructor as { name?: string } | undefined)?.name ?? 'Promise';
      const prefix = name === 'Promise' ? 'Promise' : `${name} [Promise]`;
      if (found === undefined) return `${prefix} {}`;
      if (depth < 0) return options.stylize(`[${prefix}]`, 'special');
      if (found.state === 'pending') return `${prefix} { ${options.stylize('<pending>', 'special')} }`;
      const inner = inspect(found.value, {
        ...options,
        depth: options.depth === null || options.depth === undefined ? null : options.depth - 1,
      } as InspectOptionsStylized);
      const mark = found.state === 'rejected' ? `${options.stylize('<rejected>', 'special')} ` : '';
      return inner.includes('\n')
        ? `${prefix} {\n  ${mark}${inner.replaceAll('\n', '\n  ')}\n}`
        : `${prefix} { ${mark}${inner} }`;
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

/** What `inspect` writes of a function whose kind it does not see, perhaps in colour. */
// oxlint-disable-next-line no-control-regex -- the escape character of terminals
const SHOWN_FUNCTION = /^((?:\u001b\[\d+m)?)\[Function(.*?)\] (?:Async|Generator|AsyncGenerator)+Function(?: \[\w+\])?/;

/** `[AsyncFunction: f]`: the engine sees an ordinary function where the program has an asynchronous one. */
export function showFunctionsAs(kind: string, prototype: object): void {
  Object.defineProperty(prototype, CUSTOM, {
    value(this: unknown, _depth: number, options: InspectOptionsStylized, inspect: Inspect): unknown {
      if (typeof this !== 'function') return this;
      const text = inspect(this, { ...options, customInspect: false } as InspectOptionsStylized);
      return text.replace(SHOWN_FUNCTION, `$1[${kind}$2]`);
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
const compiledText = Function.prototype.toString;

/** `DataCloneError: () => {} could not be cloned.`: the engine prints the text that it compiled. */
export function showWrittenTextInCloneErrors(): void {
  const reword = (holder: object, name: string): void => {
    const native = Reflect.get(holder, name) as Method;
    const wrapper = {
      [name](this: unknown, ...args: unknown[]): unknown {
        try {
          return Reflect.apply(native, this, args);
        } catch (error) {
          const refused =
            error instanceof DOMException ? /^([^]*\/\*@[^]*) could not be cloned\.$/.exec(error.message) : null;
          const found = refused === null ? undefined : functionWithin(args[0], refused[1] as string);
          if (found === undefined) throw thrownAgain(error, 'node-do-not-add-exception-line');
          const reworded = new DOMException(`${found.toString()} could not be cloned.`, 'DataCloneError');
          throw thrownAgain(reworded, 'node-do-not-add-exception-line');
        }
      },
    }[name] as Method;
    Object.defineProperty(wrapper, 'length', { value: native.length, configurable: true });
    Object.defineProperty(holder, name, { value: wrapper });
  };
  reword(globalThis, 'structuredClone');
  reword(MessagePort.prototype, 'postMessage');
}

/** The function of that compiled text which `value` holds. */
function functionWithin(value: unknown, text: string): (() => unknown) | undefined {
  const found = new Set<unknown>([value]);
  for (const each of found) {
    if (typeof each === 'function' && Reflect.apply(compiledText, each, []) === text) return each as () => unknown;
    if (typeof each !== 'object' || each === null || types.isProxy(each)) continue;
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(each))) found.add(inner);
    if (types.isMap(each)) for (const entry of each) found.add(entry[0]).add(entry[1]);
    if (types.isSet(each)) for (const entry of each) found.add(entry);
  }
  return undefined;
}
