// `AsyncResource`s in a state, and those of classes of the program: each is the values of the asynchronous storages at the moment at which
// it was made, and whose code that was. Its number is Node's, and another one in another process.
import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { internals, type ContextRunner, type Realm } from '@turntable/core';
import { unheard } from '@turntable/loader';
import type { Adapter } from '@turntable/heap';

const { apply, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const { prototype } = AsyncResource;
const { runInAsyncScope } = prototype;
type Fields = Record<symbol, unknown>;

/** Node's own, and the one under which it keeps the context. */
const NODES = Object.getOwnPropertySymbols(new AsyncResource('turntable'));
const FRAME = NODES.find((key) => key.description === 'context_frame');

const RESOURCE = 0;

export function asyncResources(realm: Realm): Adapter {
  const { contexts } = realm.parts.host;

  /** Whether all classes between it and Node's are the program's: others may keep things inside. */
  function claims(start: object | null): boolean {
    for (let at = start; at !== null && !types.isProxy(at); at = getPrototypeOf(at)) {
      if (at === prototype) return true;
      const type: unknown = getOwnPropertyDescriptor(at, 'constructor')?.value;
      if (typeof type === 'function' && !isOfProgram(type as () => unknown)) return false;
    }
    return false;
  }
  const isOfProgram = (fn: () => unknown): boolean => internals.isOurs(fn) || realm.classOf(fn) !== undefined;

  return {
    name: 'asynchronous resources',
    asks: 'objects',
    claims,
    take(value) {
      if (contexts === undefined || FRAME === undefined || getOwnPropertyDescriptor(value, FRAME) === undefined)
        return undefined;
      const inside: ContextRunner = (fn, ...args) => apply(runInAsyncScope, value, [fn, undefined, ...args]);
      const born: Record<PropertyKey, PropertyDescriptor> = {};
      for (const key of NODES) {
        const descriptor = getOwnPropertyDescriptor(value, key);
        if (descriptor !== undefined) born[key] = descriptor;
      }
      return {
        kind: RESOURCE,
        header: [],
        contents: internals.operandsOfContext(contexts.readContext(inside)),
        born,
        label: (index) => (index % 2 === 0 ? ' storage' : ' value'),
      };
    },
    allocate(_, __, below) {
      const resource = new AsyncResource('turntable');
      if (below !== undefined && below !== prototype) Reflect.setPrototypeOf(resource, below);
      return resource;
    },
    fill(object, _, contents) {
      if (contexts === undefined || FRAME === undefined || contents.length === 0) return;
      const inside = contexts.makeContext(internals.contextOfOperands(contents)) as ContextRunner;
      const made = (): void => {
        (object as Fields)[FRAME] = (new AsyncResource('turntable') as unknown as Fields)[FRAME];
      };
      unheard(() => inside(made, undefined, 0, undefined));
    },
  };
}
