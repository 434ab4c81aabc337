// `AsyncResource` objects in a state, including objects of the program's subclasses. Each is written as the values of
// the async storages at its creation, and its home actor. The async id is Node's and differs in another process.
import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { internals, type ContextRunner, type Realm } from '@turntable/core';
import { inspectContext } from '@turntable/loader';
import type { ObjectAdapter } from '@turntable/heap';

const { apply, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const { prototype } = AsyncResource;
const { runInAsyncScope } = prototype;
type SymbolFields = Record<symbol, unknown>;

/** Node's symbol keys of a resource, among them the key of its context. */
const NODE_SYMBOLS = Object.getOwnPropertySymbols(new AsyncResource('turntable'));
const CONTEXT_FRAME = NODE_SYMBOLS.find((key) => key.description === 'context_frame');

const RESOURCE_OBJECT = 0;

export function createAsyncResourceAdapter(realm: Realm): ObjectAdapter {
  const { contexts } = realm.parts.host;

  /** Whether all subclasses of `AsyncResource` in the chain are the program's. Others may hold internal state. */
  function matchesPrototype(startPrototype: object | null): boolean {
    for (let current = startPrototype; current !== null && !types.isProxy(current); current = getPrototypeOf(current)) {
      if (current === prototype) return true;
      const type: unknown = getOwnPropertyDescriptor(current, 'constructor')?.value;
      if (typeof type === 'function' && !isProgramClass(type as () => unknown)) return false;
    }
    return false;
  }
  const isProgramClass = (fn: () => unknown): boolean => internals.isCapturable(fn) || realm.classOf(fn) !== undefined;

  return {
    name: 'asynchronous resources',
    appliesTo: 'objects',
    matchesPrototype,
    takeApart(value) {
      if (
        contexts === undefined ||
        CONTEXT_FRAME === undefined ||
        getOwnPropertyDescriptor(value, CONTEXT_FRAME) === undefined
      )
        return undefined;
      const runInside: ContextRunner = (fn, ...args) => apply(runInAsyncScope, value, [fn, undefined, ...args]);
      const initialProperties: Record<PropertyKey, PropertyDescriptor> = {};
      for (const key of NODE_SYMBOLS) {
        const descriptor = getOwnPropertyDescriptor(value, key);
        if (descriptor !== undefined) initialProperties[key] = descriptor;
      }
      return {
        kind: RESOURCE_OBJECT,
        header: [],
        contents: internals.operandsOfContext(contexts.readContext(runInside)),
        initialProperties,
        label: (index) => (index % 2 === 0 ? ' storage' : ' value'),
      };
    },
    allocate(_, __, prototypeBelow) {
      const resource = new AsyncResource('turntable');
      if (prototypeBelow !== undefined && prototypeBelow !== prototype)
        Reflect.setPrototypeOf(resource, prototypeBelow);
      return resource;
    },
    fill(object, _, contents) {
      if (contexts === undefined || CONTEXT_FRAME === undefined || contents.length === 0) return;
      const runInside = contexts.makeContext(internals.contextOfOperands(contents)) as ContextRunner;
      const copyFrame = (): void => {
        (object as SymbolFields)[CONTEXT_FRAME] = (new AsyncResource('turntable') as unknown as SymbolFields)[
          CONTEXT_FRAME
        ];
      };
      inspectContext(() => runInside(copyFrame, undefined, 0, undefined));
    },
  };
}
