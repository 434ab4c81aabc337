import { describe, expect, it } from 'vitest';
import { Cell, init } from '../../src/cell.ts';
import { namespaceOf } from '../../src/modules/export-resolution.ts';
import { createNamespace } from '../../src/modules/namespace.ts';
import { createGraph, ensureModule, runNow, type Source } from './module-graphs.ts';

function namespaceWith(names: Record<string, unknown>, uninitialised: readonly string[] = []): Record<string, unknown> {
  const bindings = new Map<string, Cell>();
  for (const [name, value] of Object.entries(names)) {
    const cell = new Cell(name);
    init(cell, value);
    bindings.set(name, cell);
  }
  for (const name of uninitialised) bindings.set(name, new Cell(name));
  return createNamespace(bindings) as Record<string, unknown>;
}

describe('a module namespace', () => {
  it('lists its names in code unit order, then its tag', () => {
    const namespace = namespaceWith({ b: 1, '10': 1, a: 1, '9': 1, B: 1, default: 1 });
    expect(Reflect.ownKeys(namespace)).toEqual(['10', '9', 'B', 'a', 'b', 'default', Symbol.toStringTag]);
  });

  it('has no prototype, is named Module, and cannot be extended', () => {
    const namespace = namespaceWith({ a: 1 });
    expect(Object.getPrototypeOf(namespace)).toBe(null);
    expect(Object.prototype.toString.call(namespace)).toBe('[object Module]');
    expect(Object.isExtensible(namespace)).toBe(false);
    expect(Reflect.setPrototypeOf(namespace, null)).toBe(true);
    expect(Reflect.setPrototypeOf(namespace, {})).toBe(false);
    expect(Reflect.preventExtensions(namespace)).toBe(true);
  });

  it('shows live values as writable data properties that reject writes', () => {
    const cell = new Cell('a');
    init(cell, 1);
    const namespace = createNamespace(new Map([['a', cell]])) as Record<string, unknown>;
    cell.v = 2;
    expect(namespace['a']).toBe(2);
    expect(Object.getOwnPropertyDescriptor(namespace, 'a')).toEqual({
      value: 2,
      writable: true,
      enumerable: true,
      configurable: false,
    });
    expect(() => {
      namespace['a'] = 3;
    }).toThrow(TypeError);
    expect(Reflect.deleteProperty(namespace, 'a')).toBe(false);
    expect(Reflect.deleteProperty(namespace, 'nothing')).toBe(true);
    expect(() => Object.freeze(namespace)).toThrow(TypeError);
  });

  it('accepts only definitions without a change', () => {
    const namespace = namespaceWith({ a: 1 });
    expect(
      Reflect.defineProperty(namespace, 'a', { value: 1, writable: true, enumerable: true, configurable: false }),
    ).toBe(true);
    expect(Reflect.defineProperty(namespace, 'a', {})).toBe(true);
    expect(Reflect.defineProperty(namespace, 'a', { value: 2 })).toBe(false);
    expect(Reflect.defineProperty(namespace, 'a', { get: () => 1 })).toBe(false);
    expect(Reflect.defineProperty(namespace, 'a', { writable: false })).toBe(false);
    expect(Reflect.defineProperty(namespace, 'b', { value: 2 })).toBe(false);
    expect(Reflect.defineProperty(namespace, Symbol.toStringTag, { value: 'Module' })).toBe(true);
  });

  it('throws when an uninitialised export is read, but lists its name', () => {
    const namespace = namespaceWith({}, ['later']);
    expect('later' in namespace).toBe(true);
    expect(() => namespace['later']).toThrow(ReferenceError);
    expect(() => Object.keys(namespace)).toThrow(ReferenceError);
    expect(() => Object.hasOwn(namespace, 'later')).toThrow(ReferenceError);
    expect(Reflect.ownKeys(namespace)).toEqual(['later', Symbol.toStringTag]);
  });

  it('can contain itself', () => {
    const sources: Record<string, Source> = {
      a: { requests: ['a'], exports: [{ exported: 'self', request: 0, name: '*' }] },
    };
    const graph = createGraph(sources);
    runNow(ensureModule(graph, sources, 'a'));
    const namespace = namespaceOf(ensureModule(graph, sources, 'a')) as { self: unknown };
    expect(namespace.self).toBe(namespace);
  });
});
