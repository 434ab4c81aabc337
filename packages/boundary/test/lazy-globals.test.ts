// Tests that globals that are expensive to load are known by name, and not read before they are loaded or replaced.
import { expect, it } from 'vitest';
import { LAZY_NAMES, LazyGlobals } from '../src/realm/lazy-globals.ts';

it('a lazy global is touched once it is replaced or loaded', () => {
  const globals = new LazyGlobals();
  expect([globals.isLoaded, globals.isTouched]).toEqual([false, false]);
  expect(globals.is(globalThis, 'Headers')).toBe(true);
  expect(globals.is({}, 'Headers')).toBe(false);
  expect(globals.is(globalThis, 'URL')).toBe(false);

  globals.noteReplaced('URL');
  expect([globals.isTouched, globals.isReplaced('URL')]).toEqual([false, false]);
  globals.noteReplaced('Headers');
  expect([globals.isTouched, globals.isReplaced('Headers'), globals.isReplaced('Request')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([globals.is(globalThis, 'Headers'), globals.is(globalThis, 'Request')]).toEqual([false, true]);

  // Node loads them at the first use of one.
  expect(new LazyGlobals().isLoaded).toBe(false);
  expect(typeof Request).toBe('function');
  const others = new LazyGlobals();
  expect([globals.isLoaded, others.isLoaded, others.isTouched]).toEqual([true, true, true]);
  expect(others.is(globalThis, 'Request')).toBe(false);
});

it('their entries are the functions that Node defines, except replaced ones', () => {
  const globals = new LazyGlobals();
  const namesOf = (): string[] => globals.entries().map(([name]) => name);
  const defined = [...LAZY_NAMES].map(String).filter((name) => typeof Reflect.get(globalThis, name) === 'function');
  expect(defined).toContain('Headers');
  expect(namesOf().toSorted()).toEqual(defined.toSorted());
  for (const [name, type] of globals.entries()) expect(type).toBe(Reflect.get(globalThis, name));
  globals.noteReplaced('Headers');
  expect(namesOf().toSorted()).toEqual(defined.filter((name) => name !== 'Headers').toSorted());
});

it('names in states that belong to them are known', () => {
  const globals = new LazyGlobals();
  const lazy = [
    'Headers',
    'Headers.prototype',
    'get Response.prototype.ok',
    'set WebSocket.prototype.onopen',
    'key FormData',
  ];
  const others = ['HeadersOf', 'MyHeaders', 'fs.Headers', 'got Headers', 'get size', ''];
  expect(lazy.map((name) => globals.isLazyPath(name))).toEqual(lazy.map(() => true));
  expect(others.map((name) => globals.isLazyPath(name))).toEqual(others.map(() => false));
});

it('symbols that Node adds when it loads them are known', () => {
  const { isAddedOnLoad } = new LazyGlobals();
  expect(isAddedOnLoad(Symbol.for('undici.globalDispatcher.1'))).toBe(true);
  expect(isAddedOnLoad(Symbol.for('undici.other'))).toBe(false);
  expect(isAddedOnLoad(Symbol.for('my.undici.global'))).toBe(false);
  expect(isAddedOnLoad(Symbol('undici.globalDispatcher.1'))).toBe(false);
  expect(isAddedOnLoad('undici.globalDispatcher.1')).toBe(false);
});
