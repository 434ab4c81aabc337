// Functions and classes for tests, without the transform: a table describes each one. A closure is a function over one
// array of captured variables, so that it can be created before their values are known.
import type { ObjectAdapter, ObjectParts } from '@turntable/heap';

type Body = (captures: unknown[], ...args: unknown[]) => unknown;
type AnyClass = abstract new (...args: never[]) => object;

export interface TestCode {
  readonly adapters: readonly ObjectAdapter[];
  /** Registers a function body. Each call creates a closure of it. */
  closure(body: Body): (...captures: unknown[]) => (...args: unknown[]) => unknown;
  class<T extends AnyClass>(type: T): T;
}

export function testCode(): TestCode {
  const bodies: Body[] = [];
  const closures = new WeakMap<object, { ordinal: number; captures: unknown[] }>();
  const classes: AnyClass[] = [];

  function make(ordinal: number, captures: unknown[]): (...args: unknown[]) => unknown {
    const body = bodies[ordinal]!;
    const fn = (...args: unknown[]): unknown => body(captures, ...args);
    closures.set(fn, { ordinal, captures });
    return fn;
  }

  const functions: ObjectAdapter = {
    name: 'test functions',
    appliesTo: 'functions',
    takeApart(value): ObjectParts | undefined {
      const index = classes.indexOf(value as never);
      if (index >= 0)
        return { kind: 0, header: [index], contents: [], initialProperties: Object.getOwnPropertyDescriptors(value) };
      const closure = closures.get(value);
      if (closure === undefined) return undefined;
      return {
        kind: 1 + closure.ordinal,
        header: [],
        contents: closure.captures,
        initialProperties: Object.getOwnPropertyDescriptors(make(closure.ordinal, [])),
        label: (index) => ` captured ${index}`,
      };
    },
    allocate: (kind, header) => (kind === 0 ? classes[header[0] as number]! : make(kind - 1, [])),
    fill(object, kind, contents) {
      if (kind > 0) contents.forEach((value, i) => (closures.get(object)!.captures[i] = value));
    },
  };

  const prototypes: ObjectAdapter = {
    name: 'test prototypes',
    appliesTo: 'objects',
    matchesPrototype: (prototype) =>
      prototype === Object.prototype ||
      classes.some(({ prototype: own }) => own === prototype || Object.getPrototypeOf(own) === prototype),
    takeApart(value) {
      const type = classes.find(({ prototype }) => prototype === value);
      if (type === undefined) return undefined;
      return { kind: 0, header: [type], contents: [], initialProperties: Object.getOwnPropertyDescriptors(value) };
    },
    allocate: (_, header) => (header[0] as AnyClass).prototype as object,
    fill: () => undefined,
  };

  return {
    adapters: [functions, prototypes],
    closure(body) {
      const ordinal = bodies.push(body) - 1;
      return (...captures) => make(ordinal, captures);
    },
    class(type) {
      classes.push(type);
      return type;
    },
  };
}
