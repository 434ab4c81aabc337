// Iterators that can be part of a captured state are kept in a readable form. Those that cannot outlive their
// expression are the engine's own.
import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { createRealm, internals, type EngineView, type Realm } from '@turntable/core';
import { transform } from '@turntable/transform';

const view = { entriesLeft: (iterator: object) => entriesLeft.get(iterator) ?? 1 } as EngineView;
/** Number of entries the engine would report as left. */
const entriesLeft = new Map<object, number>();

function load(source: string): { realm: Realm; exports: Record<string, (...args: unknown[]) => unknown> } {
  const realm = createRealm({ queueMicrotask, nextTick: process.nextTick, engine: view });
  const { code } = transform(source, { path: 'program.cjs', kind: 'commonjs' });
  const module = { exports: {} };
  const factory = new Script(code, { filename: 'program.cjs' }).runInThisContext() as (...args: unknown[]) => void;
  const record = { scope: () => undefined };
  Reflect.apply(factory, module.exports, [record, realm, module.exports, undefined, module, 'program.cjs', '.']);
  return { realm, exports: module.exports };
}

const wrapper =
  'class Wrapper { list = ["a", "b", "c"]; *[Symbol.iterator]() { yield* this.list.keys(); } values() { return this.list.values(); } get all() { return { [Symbol.iterator]: () => this.list[Symbol.iterator]() }; } }';

const suspended: Record<string, [head: string, kind: string, source: unknown]> = {
  'entries of an array': ['["a", "b", "c"].entries()', 'keptIterator', ['a', 'b', 'c']],
  'values of a local array': ['list.values()', 'keptIterator', ['a', 'b', 'c']],
  'an iterator returned by a method of a class': ['new Wrapper().values()', 'keptIterator', ['a', 'b', 'c']],
  'an iterator returned by an iterable of the program': ['new Wrapper().all', 'keptIterator', ['a', 'b', 'c']],
  matches: ['"a b c".matchAll(/\\w/g)', 'keptIterator', 'a b c'],
};

it.each(Object.keys(suspended))('a loop with a suspending body has a readable iterator: %s', (name) => {
  const [head, kind, source] = suspended[name] as [string, string, unknown];
  const { realm, exports } = load(`${wrapper}
    exports.run = async (gate, seen) => {
      const list = ['a', 'b', 'c'];
      for (const item of ${head}) { seen.push(item); await gate; }
    };`);
  const gate = new realm.Promise(() => {});
  exports['run']?.(gate, []);
  const frame = internals.read(realm, gate)?.fields['waiting'] as Record<string, unknown>;
  const loop = Object.values(frame).find((slot) => internals.read(realm, slot)?.kind === 'forOf') as object;
  const iterator = internals.read(realm, loop)?.fields['source'] as object;
  const state = internals.readEngineObject(realm, iterator);
  expect(state?.kind).toBe(kind);
  expect(state?.operands[1]).toEqual(source);
  if (name !== 'matches') expect(state?.fields['position']).toBe(1);
});

it('stored iterators are readable, and immediately consumed ones are native', () => {
  const { realm, exports } = load(`
    const map = new Map([['a', 1], ['b', 2]]);
    const shared = map.keys();
    exports.shared = () => shared;
    exports.property = () => ({ of: map.entries() }).of;
    exports.assigned = (target) => { target.it = map.values(); return target.it; };
    exports.captured = () => { const it = map.values(); return { it: () => it }.it(); };
    exports.local = () => { const it = map.values(); return it; };
    exports.passed = () => map.values();
    exports.argument = (f) => f(map.values());
    exports.first = () => map.keys().next().value;
    exports.all = () => [...map.values(), ...new Map(map.entries()).keys()];
  `);
  const isKept = (value: unknown): boolean =>
    internals.readEngineObject(realm, value as object)?.kind === 'keptIterator';
  for (const name of ['shared', 'property', 'captured']) expect(isKept(exports[name]?.()), name).toBe(true);
  expect(isKept(exports['assigned']?.({}))).toBe(true);
  for (const name of ['local', 'passed']) expect(isKept(exports[name]?.()), name).toBe(false);
  expect(isKept(exports['argument']?.((value: unknown) => value))).toBe(false);
  expect([exports['first']?.(), exports['all']?.()]).toEqual(['a', [1, 2, 'a', 'b']]);
  realm.keeping.on = true;
  for (const name of ['local', 'passed']) expect(isKept(exports[name]?.()), name).toBe(true);
  realm.keeping.on = false;
});

it('a restored Map iterator continues at its position', () => {
  const { realm, exports } = load(`
    exports.make = (map) => ({ it: map.entries() }).it;
  `);
  const map = new Map([1, 2, 3].map((n) => [n, n * 10]));
  const iterator = exports['make']?.(map) as Iterator<unknown>;
  iterator.next();
  entriesLeft.set(iterator, 3);
  const state = internals.readEngineObject(realm, iterator);
  expect(state).toMatchObject({ kind: 'keptIterator', fields: { position: 1 } });
  if (state === undefined) return;
  const copy = internals.allocateEngineObject(realm, state.kind, state.operands);
  internals.fillEngineObject(realm, copy, state);
  expect([...(copy as Iterable<unknown>)]).toEqual([
    [2, 20],
    [3, 30],
  ]);
});
