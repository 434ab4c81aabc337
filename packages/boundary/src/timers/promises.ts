// `timers/promises` and what `util.promisify` makes of timers, as the program has them: functions that load the module of ours behind
// them (`node-shims/timers-promises.ts`) when they are first called. Native code keeps Node's, whose promises no capture can read.
import timersModule from 'node:timers';
import {
  nodeShim,
  nodeShimUrl,
  lookSafelyInto,
  type EsmProgramHost,
  showBuiltinAs,
  standIn,
  standInAll,
} from '@turntable/loader';
import { ambientTimers, exchange, showPromisesAs } from './functions.ts';
import type { ModuleRecord } from '@turntable/core';

type Fn = (this: unknown, ...args: unknown[]) => unknown;
type Exports = Record<string, unknown>;

const FILE = 'timers-promises';
const NAMES = ['setTimeout', 'setImmediate', 'setInterval'] as const;
type Names = (typeof NAMES)[number];

/** Gives the modules of ours what they need of timers. */
export function showTimersPromises(esm: EsmProgramHost, natives: Exports): void {
  let shown: Exports | undefined;
  const view = (): Exports => (shown ??= viewOf(esm, natives));
  const { setTimeout, setInterval, setImmediate, clearImmediate } = ambientTimers;
  natives['timers'] = { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate };
  natives['refusalOf'] = refusalOf;
  showPromisesAs(view);
  showBuiltinAs('timers/promises', view);
}

/** What Node's function says against its arguments. Nothing waits for the promise, and nothing is to be done about it. */
function refusalOf(name: Names, ...args: unknown[]): unknown {
  const promise = Reflect.apply((timersModule.promises as unknown as Record<string, Fn>)[name] as Fn, undefined, args);
  (promise as Promise<unknown>).catch(() => {});
  return lookSafelyInto(promise as object, 1).values[0];
}

function viewOf(esm: EsmProgramHost, natives: Exports): Exports {
  const native = timersModule.promises as unknown as Exports;
  const url = nodeShimUrl(FILE);
  let record: ModuleRecord | undefined;
  const shims = {} as Record<Names, Fn>;

  function load(): void {
    for (const name of NAMES) shims[name] = nodeShim(esm, natives, FILE, name) as Fn;
    record = esm.graph.records.get(url);
  }

  function call(name: Names, args: unknown): unknown {
    if (record === undefined || esm.graph.records.get(url) !== record) load();
    return Reflect.apply(shims[name], undefined, args as unknown[]);
  }

  function setTimeout(_after?: unknown, _value?: unknown): unknown {
    return call('setTimeout', arguments);
  }

  function setImmediate(_value?: unknown): unknown {
    return call('setImmediate', arguments);
  }

  function setInterval(_after?: unknown, _value?: unknown): unknown {
    return call('setInterval', arguments);
  }
  Object.setPrototypeOf(setInterval, Reflect.getPrototypeOf(native['setInterval'] as Fn));

  const functions: Readonly<Record<Names, Fn>> = { setTimeout, setImmediate, setInterval };
  for (const name of NAMES) {
    standIn({ ...native }, name, functions[name]);
    exchange.put(native[name], functions[name]);
  }
  exchange.put(native['scheduler'], schedulerOf(native['scheduler'] as object, setTimeout, setImmediate));
  const view = exchange.view(native);
  exchange.put(native, view);
  return view;
}

function schedulerOf(native: object, setTimeout: Fn, setImmediate: Fn): object {
  const nativePrototype = Reflect.getPrototypeOf(native) as { wait: Fn; yield: Fn };
  const prototype = Object.create(
    Reflect.getPrototypeOf(nativePrototype),
    Object.getOwnPropertyDescriptors(nativePrototype),
  ) as object;
  const methods = {
    wait(this: object, delay: unknown, options: unknown): unknown {
      if (this !== scheduler) return Reflect.apply(nativePrototype.wait, this, [delay, options]);
      return Reflect.apply(setTimeout, undefined, [delay, undefined, options]);
    },
    yield(this: object): unknown {
      if (this !== scheduler) return Reflect.apply(nativePrototype.yield, this, []);
      return Reflect.apply(setImmediate, undefined, []);
    },
  };
  standInAll(prototype, methods);
  const scheduler = Object.create(prototype, Object.getOwnPropertyDescriptors(native)) as object;
  return scheduler;
}
