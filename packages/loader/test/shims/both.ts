// Runs a scenario with Node's functions and with the shims. Both must have the same results.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import events from 'node:events';
import timersPromises from 'node:timers/promises';
import util from 'node:util';
import { expect } from 'vitest';
import { completeNatives } from '../../src/node-shims.ts';
import { addAbortListener } from '../../src/node-shims/abort-listener.ts';
import { timeout } from '../../src/node-shims/abort-timeout.ts';
import { fromAsync } from '../../src/node-shims/array-from-async.ts';
import {
  bindToContext,
  bindToNewResource,
  bindToResource,
  snapshotOfContext,
} from '../../src/node-shims/async-resource.ts';
import { callbackify } from '../../src/node-shims/callbackify.ts';
import { debuglog } from '../../src/node-shims/debuglog.ts';
import { deprecate } from '../../src/node-shims/deprecate.ts';
import { useNatives, type Natives } from '../../src/node-shims/natives.ts';
import { on } from '../../src/node-shims/on.ts';
import { once } from '../../src/node-shims/once.ts';
import { promisify } from '../../src/node-shims/promisify.ts';
import * as timers from '../../src/node-shims/timers-promises.ts';

/** A function of Node or a shim, with whatever a scenario passes to it. */
// oxlint-disable-next-line typescript/no-explicit-any -- invalid arguments are part of the scenarios
export type Loose = (this: any, ...args: any[]) => any;

type Name =
  | 'promisify'
  | 'callbackify'
  | 'deprecate'
  | 'debuglog'
  | 'once'
  | 'on'
  | 'addAbortListener'
  | 'timeout'
  | 'fromAsync'
  | 'bindToResource'
  | 'bindToNewResource'
  | 'bindToContext'
  | 'snapshotOfContext'
  | 'setTimeout'
  | 'setImmediate'
  | 'setInterval';

export type Functions = Readonly<Record<Name, Loose>>;

export const NODE: Functions = {
  promisify: util.promisify,
  callbackify: util.callbackify,
  deprecate: util.deprecate,
  debuglog: util.debuglog,
  once: events.once,
  on: events.on,
  addAbortListener: events.addAbortListener,
  timeout: AbortSignal.timeout,
  fromAsync: (Array as unknown as Record<'fromAsync', Loose>).fromAsync,
  bindToResource: AsyncResource.prototype.bind,
  bindToNewResource: AsyncResource.bind,
  bindToContext: AsyncLocalStorage.bind,
  snapshotOfContext: AsyncLocalStorage.snapshot,
  setTimeout: timersPromises.setTimeout,
  setImmediate: timersPromises.setImmediate,
  setInterval: timersPromises.setInterval,
};

export const SHIMS = {
  promisify,
  callbackify,
  deprecate,
  debuglog,
  once,
  on,
  addAbortListener,
  timeout,
  fromAsync,
  bindToResource,
  bindToNewResource,
  bindToContext,
  snapshotOfContext,
  setTimeout: timers.setTimeout,
  setImmediate: timers.setImmediate,
  setInterval: timers.setInterval,
} as Functions;

/** Names of Node's functions that the shims have called. */
export const nativeCalls: string[] = [];
/** Functions and promises that `promisify` has noted. */
export const notedPromises: (readonly [fn: unknown, promise: object])[] = [];

const noting = (name: Name): Loose =>
  function (this: unknown, ...args: unknown[]) {
    nativeCalls.push(name);
    return Reflect.apply(NODE[name], this ?? AbortSignal, args);
  };

export const NATIVES = {
  ...Object.fromEntries(
    (
      ['promisify', 'callbackify', 'deprecate', 'once', 'on', 'addAbortListener', 'timeout', 'bindToResource'] as const
    ).map((name) => [name, noting(name)]),
  ),
  debuglog: util.debuglog,
  fromAsync: NODE.fromAsync,
  noteHostPromise: (fn: unknown, promise: object) => void notedPromises.push([fn, promise]),
  resistStopPropagation: completeNatives({})['resistStopPropagation'],
  timers: { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate },
  refusalFor: (name: string, ...args: unknown[]) => {
    nativeCalls.push(name);
    return Object.assign(new TypeError('refused'), { code: 'ERR_INVALID_ARG_TYPE', args });
  },
} as unknown as Natives;
useNatives(NATIVES);

export interface Log {
  (...entry: unknown[]): void;
}

/** A value that can be compared: errors by what programs look at. */
export function comparable(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, code, cause } = value as Error & { code?: unknown };
  return { name, code, cause: comparable(cause), message: code === 'ABORT_ERR' ? value.message : '' };
}

/** What `run` returns, resolves to or throws. */
export async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return { value: comparable(await run()) };
  } catch (error) {
    return { error: comparable(error) };
  }
}

export type Scenario = (functions: Functions, log: Log) => unknown;

/** Runs the scenario twice and compares what it logs, and returns. Returns what the shims have logged. */
export async function compare(scenario: Scenario): Promise<readonly unknown[]> {
  const [expected, found] = [await logOf(scenario, NODE), await logOf(scenario, SHIMS)];
  expect(found).toEqual(expected);
  return found;
}

async function logOf(scenario: Scenario, functions: Functions): Promise<unknown[]> {
  const log: unknown[] = [];
  log.push(await outcomeOf(() => scenario(functions, (...entry) => log.push(entry.map(comparable)))));
  return log;
}

/** Compares, and checks that the shim is used for all, and Node's function for nothing. */
export async function compareValid(scenario: Scenario): Promise<void> {
  nativeCalls.length = 0;
  await compare(scenario);
  expect(nativeCalls).toEqual([]);
}

/** Compares, and checks that both refuse: the last logged entry has an error with a code. */
export async function compareRefused(scenario: Scenario): Promise<void> {
  const outcome = (await compare(scenario)).at(-1) as { error?: { code?: unknown } };
  expect(outcome.error?.code).toMatch(/^ERR_/);
}

/** All microtasks and ticks that are pending, and those that they cause. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
