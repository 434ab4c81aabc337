// The chain of tasks in an undo log: its length and size, tasks outside of it, listeners, and reasons against undoing.
import { types } from 'node:util';
import { runInThisContext } from 'node:vm';
import { createRealm, StatementClock, UndoLog } from '@turntable/core';
import { afterEach, describe, expect, it, test } from 'vitest';
import { createEngineView } from '../../loader/src/realm/engine-view.ts';
import { manualHost } from './manual-host.ts';

interface Barriers {
  set(object: object, key: unknown, value: unknown): void;
  setLate(object: object, key: () => unknown, value: () => unknown): void;
  setAtPath(object: object, path: readonly unknown[], value: unknown): void;
  note(object: unknown, ...path: readonly unknown[]): void;
  setGlobal(name: string, value: unknown): void;
  remove(object: object, key: unknown): boolean;
}

const runScript = (text: string): unknown => runInThisContext(text);
const clock = new StatementClock(runScript);
const log = new UndoLog(clock, runScript);
const host = manualHost();
const realm = createRealm({ ...host, isProxy: types.isProxy, engine: createEngineView() });
const { set, setLate, setAtPath, note, setGlobal, remove } = runScript(`({
  set(o, k, v) { (tt$w && tt$o(o, k), o)[k] = v; },
  setLate(o, k, v) { tt$i(o)[tt$k(k())] = v(); },
  setAtPath(o, path, v) { tt$w && tt$f(o, ...path); path.slice(0, -1).reduce((at, k) => at[k], o)[path.at(-1)] = v; },
  note(o, ...path) { tt$w && tt$f(o, ...path); },
  setGlobal(n, v) { tt$w && tt$g(null, n); globalThis[n] = v; },
  remove(o, k) { return delete (tt$w && tt$d(o), o)[k]; },
})`) as Barriers;

function runTask(body: () => void): void {
  log.startTask(realm);
  body();
  log.pause();
}

afterEach(() => {
  log.setListener(undefined);
  log.forgetOldest(log.depth);
});

describe('the chain', () => {
  it('undoes the last task first, and forgets the oldest', () => {
    const object = { n: 0 };
    for (let n = 1; n <= 4; n++) runTask(() => set(object, 'n', n));
    log.forgetOldest(2);
    expect(log.depth).toBe(2);
    log.undo();
    expect(object.n).toBe(3);
    log.undo();
    expect([object.n, log.depth]).toEqual([2, 0]);
    expect(() => log.undo()).toThrow('no task is left');
  });

  it('forgets no more tasks than there are', () => {
    runTask(() => {});
    log.forgetOldest(5);
    expect(log.depth).toBe(0);
    const object = { n: 0 };
    runTask(() => set(object, 'n', 1));
    log.undo();
    expect(object.n).toBe(0);
  });

  it('is trimmed to a size, but keeps the last task', () => {
    const lists = Array.from({ length: 4 }, () => Array.from({ length: 500 }, (_, i) => i));
    const sizes = lists.map((list) => {
      const before = log.sizeBytes;
      runTask(() => void list.reverse());
      return log.sizeBytes - before;
    });
    const total = sizes.reduce((a, b) => a + b);
    expect(log.sizeBytes).toBe(total);
    expect(Math.min(...sizes)).toBeGreaterThan(500 * 8 - 1);
    expect(Math.max(...sizes)).toBeLessThan(500 * 8 + 2000);
    log.trimTo(total);
    expect(log.depth).toBe(4);
    log.trimTo(total - 1);
    expect(log.depth).toBe(3);
    log.trimTo((sizes[2] as number) + (sizes[3] as number));
    expect(log.depth).toBe(2);
    log.trimTo(0);
    expect([log.depth, log.sizeBytes]).toEqual([1, sizes[3]]);
    log.undo();
    expect(lists.map(([first]) => first)).toEqual([499, 499, 499, 0]);
  });

  const numbers = Array.from({ length: 800 }, (_, i) => i);
  it.each<[string, () => () => void, number]>([
    [
      'elements',
      () =>
        (
          (list) => () =>
            void list.reverse()
        )([...numbers]),
      800 * 8,
    ],
    [
      'bytes',
      () =>
        (
          (bytes) => () =>
            void bytes.fill(1)
        )(new Uint8Array(2 * 4096 + 100)),
      2 * 4096 + 100,
    ],
    [
      'entries',
      () =>
        (
          (map) => () =>
            map.clear()
        )(new Map(numbers.map((i) => [i, i]))),
      1600 * 8,
    ],
    [
      'members',
      () =>
        (
          (set) => () =>
            set.clear()
        )(new Set(numbers)),
      800 * 8,
    ],
    [
      'properties',
      () =>
        (
          (object) => () =>
            void Object.freeze(object)
        )({ ...numbers }),
      1600 * 40,
    ],
  ])('has the size of the %s that it copies, once for several writes', (_, make, bytes) => {
    const write = make();
    runTask(() => {
      write();
      write();
    });
    expect(log.sizeBytes).toBeGreaterThanOrEqual(bytes);
    expect(log.sizeBytes).toBeLessThan(bytes + 300);
  });

  it('finds the age of the last task that may have written a part', () => {
    class Purse {
      a = 1;
      b = 1;
    }
    const purse = new Purse();
    const list = Array.from({ length: 500 }, () => 0);
    runTask(() => set(purse, 'a', 2));
    runTask(() => set(list, 3, 1));
    runTask(() => set(purse, 'a', 3));
    runTask(() => remove(purse, 'b'));
    expect(log.tasksSinceWrite(purse, 'a')).toBe(1);
    expect(log.tasksSinceWrite(purse, 'a', 2)).toBe(2);
    expect(log.tasksSinceWrite(purse, 'a', 3)).toBe(4);
    expect(log.tasksSinceWrite(purse, 'a', 5)).toBe(undefined);
    expect(log.tasksSinceWrite(list, 3)).toBe(3);
    expect(log.tasksSinceWrite(list, '3')).toBe(3);
    expect(log.tasksSinceWrite(list, 4)).toBe(undefined);
    expect(log.tasksSinceWrite({}, 'a')).toBe(undefined);
    log.startAside(realm);
    set(list, 4, 1);
    expect(log.tasksSinceWrite(list, 4)).toBe(undefined);
    expect(log.tasksSinceWrite(list, 3)).toBe(3);
    log.undo();
  });
});

describe('redo', () => {
  it('is possible until another task starts', () => {
    const object = { n: 0 };
    runTask(() => set(object, 'n', 1));
    log.undo(true);
    expect(log.undoneCount).toBe(1);
    runTask(() => set(object, 'n', 2));
    expect(log.undoneCount).toBe(0);
    expect(() => log.redo()).toThrow('no task has been undone');
  });

  it('is not possible after an undo that keeps nothing', () => {
    const object = { n: 0 };
    for (let n = 1; n <= 2; n++) runTask(() => set(object, 'n', n));
    log.undo(true);
    log.undo();
    expect([object.n, log.undoneCount]).toEqual([0, 0]);
  });

  it('is still possible after a task outside of the chain', () => {
    const object = { n: 0 };
    runTask(() => set(object, 'n', 1));
    log.undo(true);
    log.startAside(realm);
    set(object, 'n', 5);
    expect(log.undo()).toEqual([]);
    expect([object.n, log.undoneCount, log.depth]).toEqual([0, 1, 0]);
    log.redo();
    expect(object.n).toBe(1);
  });

  it('is replaced by a re-execution, which is undone again with the old notes', () => {
    const object = { n: 0 };
    runTask(() => set(object, 'n', 1));
    log.undo(true);
    set(object, 'n', 1);
    expect(log.undoAgain()).toEqual([]);
    expect([object.n, log.undoneCount]).toEqual([0, 1]);
    set(object, 'n', 1);
    log.undoAgain();
    expect(object.n).toBe(0);
    log.redo();
    expect(object.n).toBe(1);
  });

  it('has nothing to undo again if nothing was undone', () => {
    expect(log.undoAgain()).toEqual([]);
  });
});

describe('notes', () => {
  it('are taken only during a task', () => {
    const object = { n: 0 };
    set(object, 'n', 1);
    log.startTask(realm);
    set(object, 'n', 2);
    log.pause();
    set(object, 'n', 3);
    log.resume();
    set(object, 'n', 4);
    log.undo();
    expect(object.n).toBe(1);
    log.resume();
  });

  it('are not taken of code that runs apart', () => {
    const list = [1];
    log.startTask(realm);
    expect(log.runApart(() => list.push(2))).toBe(2);
    expect(() => log.runApart(() => { throw new Error('mine'); })).toThrow('mine'); // prettier-ignore
    list.push(3);
    log.undo();
    expect(list).toEqual([1, 2]);
  });

  it('of a task that was started during another one are undone first', () => {
    const object = { n: 0 };
    log.startTask(realm);
    set(object, 'n', 1);
    log.startAside(realm);
    set(object, 'n', 2);
    expect(log.depth).toBe(2);
    log.undo();
    expect(object.n).toBe(1);
    log.resume();
    set(object, 'n', 3);
    log.undo();
    expect(object.n).toBe(0);
  });

  it('give each computed key to the object that was evaluated last', () => {
    const [outer, inner] = [{ a: 1 } as Record<string, unknown>, { a: 1 } as Record<string, unknown>];
    runTask(() =>
      setLate(
        outer,
        () => {
          setLate(inner, () => 'b', () => 2); // prettier-ignore
          return 'a';
        },
        () => 3,
      ),
    );
    expect([outer, inner]).toEqual([{ a: 3 }, { a: 1, b: 2 }]);
    log.undo();
    expect([outer, inner]).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('of a key that is an object cover all properties, since its text is not known yet', () => {
    const key = { toString: () => 'b' };
    const objects: Record<string, unknown>[] = [{ a: 1, b: 1 }, Object.assign([1, 2], { b: 1 }) as never];
    for (const object of objects) {
      runTask(() => set(object, key, 2));
      expect(object['b']).toBe(2);
      log.undo();
      expect(object['b']).toBe(1);
    }
    const bytes = new Uint8Array([1, 2]);
    runTask(() => set(bytes, { toString: () => '1' }, 9));
    expect([...bytes]).toEqual([1, 9]);
    log.undo();
    expect([...bytes]).toEqual([1, 2]);
  });

  it('of undeclared variables are those of the global object', () => {
    runTask(() => setGlobal('undeclared', 1));
    expect(Reflect.get(globalThis, 'undeclared')).toBe(1);
    log.undo();
    expect('undeclared' in globalThis).toBe(false);
  });

  it('of a proxy are those of its target', () => {
    const target = { n: 0 } as Record<string, unknown>;
    const inner = new Proxy(target, {});
    const outer = new Proxy(inner, { set: () => { throw new Error('not called'); } }); // prettier-ignore
    runTask(() => set(new Proxy(inner, {}), 'n', 1));
    expect(target['n']).toBe(1);
    log.undo();
    expect(target['n']).toBe(0);
    runTask(() => {
      remove(inner, 'n');
      note(outer, 'n');
    });
    expect(target).toEqual({});
    log.undo();
    expect(target).toEqual({ n: 0 });
    runTask(() => void Reflect.set(target, 'n', 1, inner));
    log.undo();
    expect(target).toEqual({ n: 0 });
    runTask(() => void Object.assign(target, new Proxy({ m: 1 }, {})));
    expect(target).toEqual({ n: 0, m: 1 });
    log.undo();
    expect(target).toEqual({ n: 0 });
  });

  it('at a path are those of the last object', () => {
    const root = { a: { b: { c: 1 } }, list: [{ n: 1 }] };
    runTask(() => {
      setAtPath(root, ['a', 'b', 'c'], 2);
      setAtPath(root, ['list', 0, 'n'], 2);
      setAtPath(Object.create(root) as object, ['a', 'b', 'd'], 3);
    });
    expect(root).toEqual({ a: { b: { c: 2, d: 3 } }, list: [{ n: 2 }] });
    expect(log.obstacle).toBe(undefined);
    log.undo();
    expect(root).toEqual({ a: { b: { c: 1 } }, list: [{ n: 1 }] });
    runTask(() => {
      note(root, 'a', 'b', null);
      note(root, 'none', 'x');
      Reflect.deleteProperty(root.a.b, 'c');
    });
    expect(log.obstacle).toBe(undefined);
    log.undo();
    expect(root.a.b).toEqual({ c: 1 });
  });
});

describe('an obstacle', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  const view = new Uint8Array(4);
  const withGetter = { get a() { return { b: 1 }; } }; // prettier-ignore
  it.each<[string, () => void, string]>([
    ['a resized buffer', () => new ArrayBuffer(4, { maxByteLength: 8 }).resize(8), 'resized or transferred'],
    ['a transferred buffer', () => void new ArrayBuffer(4).transfer(), 'resized or transferred'],
    ['shared memory', () => void shared.fill(1), 'memory that threads share'],
    ['an element of shared memory', () => set(shared, 1, 2), 'memory that threads share'],
    ['a recompiled expression', () => void /a/.compile('b'), 'recompiled'],
    ['a deleted property of bytes', () => void Reflect.deleteProperty(view, 'x'), 'typed array or Buffer'],
    ['a path through a getter', () => setAtPath(withGetter, ['a', 'b'], 1), 'from a getter or a proxy'],
    ['a path through a proxy', () => setAtPath(new Proxy({ a: {} }, {}), ['a', 'b'], 1), 'from a getter or a proxy'],
    ['a deletion in an optional chain', () => note(null), 'an optional chain'],
  ])('is %s', (_, write, reason) => {
    runTask(write);
    expect(log.obstacle).toContain(reason);
    expect(() => log.undo()).toThrow(reason);
    expect(log.depth).toBe(1);
    runTask(() => {});
    expect(log.obstacle).toBe(undefined);
  });

  it('is the first of several', () => {
    runTask(() => {
      void /a/.compile('b');
      note(null);
    });
    expect(log.obstacle).toContain('recompiled');
  });

  test.each<[string, () => void]>([
    ['a property of bytes', () => set(view, 'x', 1)],
    ['an element of bytes', () => set(view, 1, 1)],
    ['a read of a buffer', () => void new ArrayBuffer(4).slice(1)],
    [
      'methods of wrong receivers',
      () => {
        for (const call of [
          () => Map.prototype.set.call([] as never, 1, 2),
          () => Map.prototype.set.call(Map.prototype, 1, 2),
          () => Set.prototype.add.call(new Map() as never, 1),
          () => Date.prototype.setTime.call({} as never, 1),
          () => WeakMap.prototype.set.call(new WeakMap(), 1 as never, 2),
          () => new WeakSet().add(Symbol.for('registered') as never),
        ])
          expect(call).toThrow(TypeError);
      },
    ],
  ])('is not %s', (_, write) => {
    runTask(write);
    expect(log.obstacle).toBe(undefined);
    log.undo();
  });
});

describe('objects that cannot be restored', () => {
  it.each<[string, (object: Record<string, unknown>) => void]>([
    ['frozen', (object) => void Object.freeze(object)],
    ['sealed', (object) => void Object.seal(object)],
    ['no longer extensible', (object) => void Reflect.preventExtensions(object)],
  ])('are reported: %s', (_, freeze) => {
    const object: Record<string, unknown> = { a: 1 };
    runTask(() => {
      set(object, 'b', 1);
      freeze(object);
    });
    expect(log.isReversible).toBe(false);
    expect(log.undo()).toContain(object);
  });

  it('are not those that were frozen before', () => {
    const object = Object.seal({ a: 1 } as Record<string, unknown>);
    const list = Object.seal([1, 2]);
    runTask(() => {
      set(object, 'a', 2);
      Reflect.deleteProperty(object, 'a');
      set(list, 0, 3);
    });
    expect(log.isReversible).toBe(true);
    expect(log.undo()).toEqual([]);
    expect([object, list]).toEqual([{ a: 1 }, [1, 2]]);
  });
});

describe('a listener of writes', () => {
  /** Names of the reports during `body`, in their order. */
  function reportsOf(body: () => void, options?: { includesTasks: boolean }): string {
    const names: string[] = [];
    const report = (name: PropertyKey): unknown =>
      name === 'isProxy' ? types.isProxy : () => void (names[names.length] = String(name));
    log.setListener(new Proxy({}, { get: (_, name) => report(name) }) as never, options);
    body();
    log.setListener(undefined);
    return names.join(' ');
  }

  const list = [1];
  const writes: Readonly<Record<string, () => void>> = {
    noteProperty: () => set({}, 'a', 1),
    'noteObject noteKey': () => setLate({}, () => 'a', () => 1), // prettier-ignore
    notePath: () => setAtPath({ a: {} }, ['a', 'b'], 1),
    noteAllProperties: () => void remove({}, 'a'),
    noteVariables: () => setGlobal('undeclared', 1),
    noteArrayEnd: () => void list.push(1),
    noteElements: () => void list.reverse(),
    noteBytes: () => void new Uint8Array(1).fill(1),
    noteDate: () => void new Date().setTime(1),
    noteEntry: () => void new Map().set(1, 2),
    noteEntries: () => void new Map().delete(1),
    noteMember: () => void new Set().add(1),
    noteMembers: () => new Set().clear(),
    noteWeakEntry: () => void new WeakMap().set({}, 1),
    noteWeakMember: () => void new WeakSet().add({}),
    noteObstacle: () => void /a/.compile('b'),
  };

  it.each(Object.keys(writes))('receives %s', (names) => {
    const write = writes[names] as () => void;
    expect(reportsOf(write)).toBe(names);
    expect(reportsOf(() => runTask(write))).toBe('');
    expect(reportsOf(() => runTask(write), { includesTasks: true })).toBe(names);
    expect(reportsOf(write, { includesTasks: true })).toBe(names);
    expect(reportsOf(() => log.runApart(write))).toBe('');
    expect(reportsOf(() => runTask(() => log.runApart(write)), { includesTasks: true })).toBe('');
    Reflect.deleteProperty(globalThis, 'undeclared');
  });

  it.each(Object.keys(writes).filter((name) => name !== 'noteObstacle'))(
    'leaves the notes of a task complete: %s',
    (names) => {
      const { length } = list;
      reportsOf(() => runTask(writes[names] as () => void), { includesTasks: true });
      expect(log.obstacle).toBe(undefined);
      expect(log.undo()).toEqual([]);
      expect(list.length).toBe(length);
      expect('undeclared' in globalThis).toBe(false);
    },
  );
});
