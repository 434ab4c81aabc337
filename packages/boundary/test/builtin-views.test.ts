// Tests that builtins that look at the engine type of an object treat the program's promises and functions as native.
import { inspect, types } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  extendTypePredicates,
  installCloneErrorSources,
  installEventualInspection,
  installFunctionInspection,
  type ObjectKinds,
} from '../src/realm/builtin-views.ts';

class Eventual {
  readonly state: 'pending' | 'fulfilled' | 'rejected' | undefined;
  readonly value: unknown;

  constructor(state: Eventual['state'], value?: unknown) {
    this.state = state;
    this.value = value;
  }
}
class Named extends Eventual {}

const marked = (mark: string) => Object.assign(() => undefined, { mark });
const hasMark = (mark: string) => (value: unknown) => (value as { mark?: string } | null)?.mark === mark;
const kinds: ObjectKinds = {
  eventualState(value) {
    if (!(value instanceof Eventual) || value.state === undefined) return undefined;
    const { state, value: inner } = value;
    return { state, value: inner };
  },
  isAsyncFunction: hasMark('async'),
  isGeneratorFunction: hasMark('generator'),
  isGeneratorObject: hasMark('object'),
};

describe('a promise of the program', () => {
  Object.defineProperty(Eventual.prototype, 'constructor', { value: Promise, configurable: true });
  installEventualInspection(Eventual.prototype, kinds);
  const shown = (eventual: Eventual, options: object = {}): string => inspect(eventual, options);

  it('is printed as a native one is', async () => {
    const cases = [
      [new Eventual('fulfilled', 42), Promise.resolve(42)],
      [new Eventual('fulfilled', 'text'), Promise.resolve('text')],
      [new Eventual('pending'), new Promise(() => undefined)],
    ] as const;
    for (const [eventual, native] of cases) {
      expect(shown(eventual)).toBe(inspect(native));
      expect(shown(eventual, { colors: true })).toBe(inspect(native, { colors: true }));
    }
    const rejected = Promise.reject(new Error('no'));
    rejected.catch(() => undefined);
    const reason = await rejected.catch((error: unknown) => error);
    for (const colors of [false, true])
      expect(shown(new Eventual('rejected', reason), { colors })).toBe(inspect(rejected, { colors }));
  });

  it('is printed on several lines if its value is', () => {
    const value = { first: 'a'.repeat(40), second: 'b'.repeat(40) };
    expect(shown(new Eventual('fulfilled', value))).toBe(
      `Promise {\n  {\n    first: '${'a'.repeat(40)}',\n    second: '${'b'.repeat(40)}'\n  }\n}`,
    );
    expect(shown(new Eventual('rejected', value))).toMatch(/^Promise \{\n {2}<rejected> \{\n {4}first: /);
  });

  it('is printed to the depth of the options', () => {
    const deep = new Eventual('fulfilled', { a: { b: { c: {} } } });
    expect(shown(deep, { depth: 0 })).toBe('Promise { [Object] }');
    expect(shown(deep, { depth: 1 })).toBe('Promise { { a: [Object] } }');
    for (const depth of [null, Infinity]) expect(shown(deep, { depth }).replaceAll(/\s+/g, ' ')).toContain('c: {}');
    expect(inspect({ inner: { deep } }, { depth: 1 })).toBe('{ inner: { deep: [Promise] } }');
    expect(inspect({ deep: new Eventual('fulfilled', 1) }, { depth: 0 })).toBe('{ deep: [Promise] }');
  });

  it('is printed without its state if it has none, and with the name of its class', () => {
    expect(shown(new Eventual(undefined))).toBe('Promise {}');
    expect(shown(new Proxy(new Eventual('fulfilled', 1), {}), { showProxy: false })).toBe('Promise {}');
    expect(shown(new Named('fulfilled', 1))).toBe('Named [Promise] { 1 }');
    const bare = Object.defineProperty(new Eventual('fulfilled', 1), 'constructor', { value: undefined });
    expect(shown(bare)).toBe('Promise { 1 }');
  });
});

it('functions of the program are printed with their kind', () => {
  class Base extends Function {}
  installFunctionInspection('AsyncFunction', Base.prototype);
  const transformed = Object.setPrototypeOf(function load() {}, Base.prototype) as object;
  // The constructor of an async function has this name.
  Object.defineProperty(Base, 'name', { value: 'AsyncFunction' });
  Object.defineProperty(Base.prototype, Symbol.toStringTag, { value: 'AsyncFunction', configurable: true });
  expect(inspect(transformed)).toBe('[AsyncFunction: load]');
  expect(inspect(transformed, { colors: true })).toBe(inspect(async function load() {}, { colors: true }));
  expect(inspect(Object.create(Base.prototype) as object, { depth: 0 })).not.toContain('[AsyncFunction');
});

it('predicates of util.types know objects of the program, and still the native ones', () => {
  extendTypePredicates(kinds);
  const found = (value: unknown): boolean[] => [
    types.isPromise(value),
    types.isAsyncFunction(value),
    types.isGeneratorFunction(value),
    types.isGeneratorObject(value),
  ];
  expect(found(new Eventual('pending'))).toEqual([true, false, false, false]);
  expect(found(marked('async'))).toEqual([false, true, false, false]);
  expect(found(marked('generator'))).toEqual([false, false, true, false]);
  expect(found(marked('object'))).toEqual([false, false, false, true]);
  expect(found(Promise.resolve())).toEqual([true, false, false, false]);
  expect(found(async () => undefined)).toEqual([false, true, false, false]);
  expect(found(function* () {})).toEqual([false, false, true, false]);
  expect(found((function* () {})())).toEqual([false, false, false, true]);
  expect(found({})).toEqual([false, false, false, false]);
  expect(types.isPromise.name).toBe('isPromise');
});

describe('a value that cannot be cloned', () => {
  const { length } = structuredClone;
  installCloneErrorSources();
  /** A function with another text for users than for the engine. */
  const compiled = (text: string): object =>
    // oxlint-disable-next-line no-eval -- the comment marks compiled text
    Object.assign((0, eval)(`(() => { /*@ ${text} */ })`) as object, { toString: () => text });
  const refusalOf = (value: unknown, clone: (value: unknown) => unknown = structuredClone): unknown => {
    try {
      return clone(value);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each<[string, (fn: object) => unknown]>([
    ['itself', (fn) => fn],
    ['in an object', (fn) => ({ other: 1, none: null, inner: { fn } })],
    ['in a list', (fn) => [1, [fn]]],
    ['in a map', (fn) => new Map([['a', fn]])],
    ['a key of a map', (fn) => new Map([[fn, 'a']])],
    ['in a set', (fn) => new Set([1, fn])],
    ['after another function', (fn) => Object.defineProperty({ fn }, 'hidden', { value: compiled('other') })],
  ])('is named by its source: %s', (_, valueOf) => {
    expect(refusalOf(valueOf(compiled('() => mine')))).toBe('() => mine could not be cloned.');
  });

  it('is named as Node does otherwise', () => {
    expect(refusalOf(() => 1)).toBe('() => 1 could not be cloned.');
    expect(refusalOf(Symbol('a'))).toBe('Symbol(a) could not be cloned.');
    expect(
      refusalOf({
        get a() {
          throw new TypeError('a getter');
        },
      }),
    ).toBe('a getter');
    expect(refusalOf({ a: [1] })).toEqual({ a: [1] });
    expect(structuredClone.length).toBe(length);
    // The function is behind a getter, so no value of the object is it.
    const behind = compiled('() => 2');
    expect(
      refusalOf({
        get fn() {
          return behind;
        },
      }),
    ).toMatch(/\/\*@/);
    const { port1 } = new MessageChannel();
    expect(refusalOf({ fn: behind }, (value) => port1.postMessage(value))).toBe('() => 2 could not be cloned.');
    port1.close();
  });
});
