// Asynchronous contexts as data: the context of waiting code yields each storage's value, and a context created from
// these values gives the same values to code that runs in it.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { beforeAll, expect, it } from 'vitest';
import { createRealm, internals, type EngineState, type Realm } from '@turntable/core';
import { createAsyncContexts } from '../src/realm/async-contexts.ts';

let realm: Realm;
const contexts = createAsyncContexts();
beforeAll(() => {
  realm = createRealm({ queueMicrotask, nextTick: process.nextTick, contexts });
  contexts.attachTo(realm);
});

/** The context that a reaction waits in, registered while `runRegister` runs. */
function contextOfReaction(runRegister: (register: () => void) => void): object {
  const promise = new realm.Promise<void>(() => {});
  runRegister(() => void promise.then(() => {}));
  const reaction = internals.read(realm, promise)?.fields['waiting'] as { context: { store: object } };
  return reaction.context.store;
}

const enter = (context: object, fn: () => unknown): unknown => (context as (fn: () => unknown) => unknown)(fn);

it('a context is read as the values of its storages and recreated from them', () => {
  const [request, user, unused] = [0, 1, 2].map(() => new AsyncLocalStorage<unknown>());
  const store = { id: 7 };
  const context = contextOfReaction((register) => request?.run(store, () => user?.run('ann', register)));
  const state = internals.readEngineObject(realm, context) as EngineState;
  expect(state.kind).toBe('asyncContext');
  expect(
    new Map([
      [state.operands[0], state.operands[1]],
      [state.operands[2], state.operands[3]],
    ]),
  ).toEqual(
    new Map<unknown, unknown>([
      [request, store],
      [user, 'ann'],
    ]),
  );
  const restored = internals.allocateEngineObject(realm, state.kind, state.operands);
  expect(enter(restored, () => [request?.getStore(), user?.getStore(), unused?.getStore()])).toEqual([
    store,
    'ann',
    undefined,
  ]);
  expect(internals.readEngineObject(realm, restored)).toEqual(state);
  expect(request?.getStore()).toBeUndefined();
});

it('a context has a home, and a context without values is the initial one of its home', () => {
  const home = { id: 7, ownContext: undefined };
  const storage = new AsyncLocalStorage<unknown>();
  const actorContext = contexts.contextOf(home);
  const captured: object[] = [];
  const register = (): void => void captured.push(contextOfReaction((wait) => storage.run('inner', wait)));
  enter(actorContext, register);
  const { kind, operands } = internals.readEngineObject(realm, captured[0] as object) as EngineState;
  expect(operands).toEqual([storage, 'inner', home]);
  const restored = internals.allocateEngineObject(realm, kind, operands);
  expect(enter(restored, () => [contexts.currentHome(), storage.getStore(), realm.current.context.home])).toEqual([
    home,
    'inner',
    home,
  ]);
  expect(internals.readEngineObject(realm, actorContext)?.operands).toEqual([home]);
  expect(internals.allocateEngineObject(realm, kind, [home])).toBe(actorContext);
  expect(() => internals.allocateEngineObject(realm, kind, ['unknown'])).toThrow(TypeError);
});

it('the home of the running code is known once a home was entered', () => {
  const firstContexts = createAsyncContexts();
  const freshRealm = createRealm({ queueMicrotask, nextTick: process.nextTick, contexts: firstContexts });
  firstContexts.attachTo(freshRealm);
  const home = { id: 7, ownContext: undefined };
  new AsyncResource('turn').runInAsyncScope(() => {
    firstContexts.enterHome(home);
    expect(freshRealm.current.context.home).toBe(home);
  });
});

it('a value that was exited differs from the default value', () => {
  const storage = new AsyncLocalStorage<unknown>({ defaultValue: 'default' });
  const read = (runRegister: (register: () => void) => void): readonly unknown[] | undefined =>
    internals.readEngineObject(realm, contextOfReaction(runRegister))?.operands;
  expect(read((register) => storage.run('inner', () => storage.exit(register)))).toEqual([storage, undefined]);
  expect(read((register) => storage.run('inner', () => storage.run('default', register)))).toEqual([]);
  expect(read((register) => register())).toEqual([]);
});

it('a storage is recreated with its class, name and default value', () => {
  class Scoped extends AsyncLocalStorage<unknown> {}
  const storage = new Scoped({ name: 'scope', defaultValue: [1] });
  const state = internals.readEngineObject(realm, storage) as EngineState;
  expect(state).toEqual({ kind: 'asyncStorage', operands: ['scope', [1]], fields: {} });
  const restored = internals.allocateEngineObject(realm, state.kind, state.operands, Scoped.prototype) as Scoped;
  expect(restored).toBeInstanceOf(Scoped);
  expect([restored.name, restored.getStore(), restored.run('in', () => restored.getStore())]).toEqual([
    'scope',
    [1],
    'in',
  ]);
  expect(internals.readEngineObject(realm, new AsyncLocalStorage())?.operands).toEqual(['', undefined]);
  expect(internals.readEngineObject(realm, Object.create(AsyncLocalStorage.prototype) as object)).toBeUndefined();
});

it('functions other than contexts are not called', () => {
  const fn = (): never => {
    throw new Error('called');
  };
  expect(internals.readEngineObject(realm, fn)).toBeUndefined();
  expect(internals.readEngineObject(realm, AsyncLocalStorage.snapshot())).toBeUndefined();
});
