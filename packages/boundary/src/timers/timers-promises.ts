// The program's view of `timers/promises` and of promisified timers. Its functions load Turntable's module
// (`node-shims/timers-promises.ts`) on the first call. Native code keeps Node's functions, whose promises no capture
// can read.
import timersModule from 'node:timers';
import {
  nodeShim,
  nodeShimUrl,
  inspectEntriesSafely,
  showBuiltinAs,
  replaceFunction,
  replaceFunctions,
} from '@turntable/loader';
import type { EsmProgramHost } from '@turntable/loader';
import { ambientTimers, exchange, setPromisesView } from './timer-functions.ts';
import type { ModuleRecord } from '@turntable/core';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
type Exports = Record<string, unknown>;

const SHIM_FILE = 'timers-promises';
const SHIMMED_NAMES = ['setTimeout', 'setImmediate', 'setInterval'] as const;
type ShimmedName = (typeof SHIMMED_NAMES)[number];

export function installTimersPromises(esm: EsmProgramHost, natives: Exports): void {
  let cachedView: Exports | undefined;
  const view = (): Exports => (cachedView ??= createView(esm, natives));
  const { setTimeout, setInterval, setImmediate, clearImmediate } = ambientTimers;
  natives['timers'] = { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate };
  natives['refusalFor'] = refusalFor;
  setPromisesView(view);
  showBuiltinAs('timers/promises', view);
}

/** Returns the error that Node's function reports for invalid arguments, and marks its promise as handled. */
function refusalFor(name: ShimmedName, ...args: unknown[]): unknown {
  const promise = Reflect.apply(
    (timersModule.promises as unknown as Record<string, AnyFunction>)[name] as AnyFunction,
    undefined,
    args,
  );
  (promise as Promise<unknown>).catch(() => {});
  return inspectEntriesSafely(promise as object, 1).values[0];
}

function createView(esm: EsmProgramHost, natives: Exports): Exports {
  const nativeExports = timersModule.promises as unknown as Exports;
  const url = nodeShimUrl(SHIM_FILE);
  let record: ModuleRecord | undefined;
  const shims = {} as Record<ShimmedName, AnyFunction>;

  function loadShims(): void {
    for (const name of SHIMMED_NAMES) shims[name] = nodeShim(esm, natives, SHIM_FILE, name) as AnyFunction;
    record = esm.graph.records.get(url);
  }

  function callShim(name: ShimmedName, args: unknown): unknown {
    if (record === undefined || esm.graph.records.get(url) !== record) loadShims();
    return Reflect.apply(shims[name], undefined, args as unknown[]);
  }

  function setTimeout(_after?: unknown, _value?: unknown): unknown {
    return callShim('setTimeout', arguments);
  }

  function setImmediate(_value?: unknown): unknown {
    return callShim('setImmediate', arguments);
  }

  function setInterval(_after?: unknown, _value?: unknown): unknown {
    return callShim('setInterval', arguments);
  }
  Object.setPrototypeOf(setInterval, Reflect.getPrototypeOf(nativeExports['setInterval'] as AnyFunction));

  const functions: Readonly<Record<ShimmedName, AnyFunction>> = { setTimeout, setImmediate, setInterval };
  for (const name of SHIMMED_NAMES) {
    replaceFunction({ ...nativeExports }, name, functions[name]);
    exchange.put(nativeExports[name], functions[name]);
  }
  exchange.put(
    nativeExports['scheduler'],
    createScheduler(nativeExports['scheduler'] as object, setTimeout, setImmediate),
  );
  const view = exchange.view(nativeExports);
  exchange.put(nativeExports, view);
  return view;
}

function createScheduler(nativeScheduler: object, setTimeout: AnyFunction, setImmediate: AnyFunction): object {
  const nativePrototype = Reflect.getPrototypeOf(nativeScheduler) as { wait: AnyFunction; yield: AnyFunction };
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
  replaceFunctions(prototype, methods);
  const scheduler = Object.create(prototype, Object.getOwnPropertyDescriptors(nativeScheduler)) as object;
  return scheduler;
}
