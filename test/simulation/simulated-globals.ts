// Replaces the globals and modules of Node that depend on the thread, on time or on other threads. Must be imported
// before any module of Turntable. Outside of a run they are Node's own.
import { registerHooks } from 'node:module';
import {
  activeProcess,
  type SimulatedProcess,
  type SimulatedThread,
  type SimulatedTimer,
} from './simulated-process.ts';

type Callback = (...args: unknown[]) => void;

const REPLACED_MODULES: Readonly<Record<string, { readonly by: string; readonly in: RegExp }>> = {
  'node:worker_threads': { by: 'simulated-worker-threads.ts', in: /\/packages\/(?:runtime|recording)\// },
  'node:timers': { by: 'simulated-timers.ts', in: /\/packages\/runtime\// },
  'node:fs': { by: 'simulated-fs.ts', in: /\/packages\/recording\/src\/file-operations\.ts/ },
};

registerHooks({
  resolve(specifier, context, nextResolve) {
    const replaced = REPLACED_MODULES[specifier];
    if (replaced === undefined || !replaced.in.test(context.parentURL ?? '')) return nextResolve(specifier, context);
    return { url: new URL(replaced.by, import.meta.url).href, shortCircuit: true };
  },
});

function inProcess<T>(simulated: (process: SimulatedProcess) => T, real: () => T): T {
  const process = activeProcess();
  return process === undefined ? real() : simulated(process);
}

class TimerHandle {
  readonly timer: SimulatedTimer;
  readonly #thread: SimulatedThread;
  constructor(timer: SimulatedTimer, thread: SimulatedThread) {
    this.timer = timer;
    this.#thread = thread;
  }
  unref(): this {
    this.timer.isRef = false;
    return this;
  }
  ref(): this {
    this.timer.isRef = true;
    return this;
  }
  clear(): void {
    this.#thread.timers.delete(this.timer);
  }
}

const real = { ...globalThis, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, queueMicrotask };
const realNow = performance.now.bind(performance);

const timerFunction =
  (isRepeated: boolean) =>
  (callback: Callback, delayMs = 1, ...args: unknown[]): unknown =>
    inProcess<unknown>(
      (process) =>
        new TimerHandle(
          process.setTimer(() => callback(...args), delayMs, isRepeated),
          process.thread,
        ),
      () => (isRepeated ? real.setInterval : real.setTimeout)(callback, delayMs, ...args),
    );
const clear = (handle: unknown): void => {
  if (handle instanceof TimerHandle) handle.clear();
  else real.clearTimeout(handle as NodeJS.Timeout);
};

Object.assign(globalThis, {
  setTimeout: timerFunction(false),
  setInterval: timerFunction(true),
  clearTimeout: clear,
  clearInterval: clear,
  setImmediate: (callback: Callback, ...args: unknown[]): unknown =>
    inProcess<unknown>(
      ({ thread }) => void thread.immediates.push(() => callback(...args)),
      () => real.setImmediate(callback, ...args),
    ),
  queueMicrotask: (callback: () => void): void =>
    inProcess(
      ({ thread }) => void thread.microtasks.push(callback),
      () => real.queueMicrotask(callback),
    ),
});

Object.defineProperty(performance, 'now', {
  value: () => inProcess((process) => process.readClock(), realNow),
});
Math.random = (
  (realRandom) => () =>
    inProcess((process) => process.random(), realRandom)
)(Math.random);

const PROCESS_EVENTS = new Set(['beforeExit', 'exit', 'uncaughtException', 'unhandledRejection', 'warning']);
const realProcess = process;
const processMembers: Readonly<Record<string, (...args: never[]) => unknown>> = {
  on: (name: string, listener: Callback) => listen('on', name, listener),
  once: (name: string, listener: Callback) => listen('once', name, listener),
  exit: (code = 0) =>
    inProcess(
      (process) => process.exit(code),
      () => realProcess.exit(code),
    ),
  nextTick: (callback: Callback, ...args: unknown[]) =>
    inProcess(
      ({ thread }) => void thread.ticks.push(() => callback(...args)),
      () => realProcess.nextTick(callback, ...args),
    ),
  emitWarning: (warning: Error) =>
    inProcess(
      ({ warnings }) => void warnings.push(warning),
      () => realProcess.emitWarning(warning),
    ),
};

function listen(method: 'on' | 'once', name: string, listener: Callback): unknown {
  return inProcess<unknown>(
    ({ thread }) => (PROCESS_EVENTS.has(name) ? thread.processEvents[method](name, listener) : undefined),
    () => realProcess[method](name, listener),
  );
}

Object.defineProperty(globalThis, 'process', {
  configurable: true,
  value: new Proxy(realProcess, {
    get(target, name) {
      const member = typeof name === 'string' && Object.hasOwn(processMembers, name) ? processMembers[name] : undefined;
      const value: unknown = member ?? Reflect.get(target, name, target);
      return value;
    },
  }),
});

/** Threads that wait for a notification. */
const waiters: { readonly words: Int32Array; readonly index: number; wake(): void }[] = [];

function areSameWords(one: Int32Array, other: Int32Array): boolean {
  return one.buffer === other.buffer && one.byteOffset === other.byteOffset;
}

const realAtomics = Object.fromEntries(
  Object.getOwnPropertyNames(Atomics).map((name) => [name, Reflect.get(Atomics, name) as unknown]),
) as unknown as typeof Atomics;

for (const name of ['load', 'store', 'exchange', 'compareExchange', 'add', 'sub', 'and', 'or'] as const) {
  const operation = realAtomics[name] as (...args: unknown[]) => unknown;
  Atomics[name] = ((...args: unknown[]) => {
    const process = activeProcess();
    if (process !== undefined) process.operation();
    return operation(...args);
  }) as never;
}

function removeWaiter(waiter: (typeof waiters)[number]): void {
  const at = waiters.indexOf(waiter);
  if (at >= 0) waiters.splice(at, 1);
}

Atomics.wait = ((words: Int32Array, index: number, value: number, timeoutMs = Infinity) => {
  const process = activeProcess();
  if (process === undefined) return realAtomics.wait(words, index, value, timeoutMs);
  process.operation();
  if (words[index] !== value) return 'not-equal';
  let isNotified = false;
  const waiter = { words, index, wake: () => void (isNotified = true) };
  waiters.push(waiter);
  const isDone = process.block(() => isNotified, timeoutMs);
  removeWaiter(waiter);
  return isDone ? 'ok' : 'timed-out';
}) as typeof Atomics.wait;

Atomics.waitAsync = ((words: Int32Array, index: number, value: number) => {
  const process = activeProcess();
  if (process === undefined) return realAtomics.waitAsync(words, index, value);
  process.operation();
  if (words[index] !== value) return { async: false, value: 'not-equal' };
  const { thread } = process;
  const { promise, resolve } = Promise.withResolvers<'ok'>();
  waiters.push({ words, index, wake: () => void thread.hostEvents.push(() => resolve('ok')) });
  return { async: true, value: promise };
}) as typeof Atomics.waitAsync;

Atomics.notify = ((words: Int32Array, index: number, count = Infinity) => {
  const process = activeProcess();
  if (process === undefined) return realAtomics.notify(words, index, count);
  process.operation();
  const woken = waiters.filter((waiter) => waiter.index === index && areSameWords(waiter.words, words)).slice(0, count);
  for (const waiter of woken) {
    removeWaiter(waiter);
    waiter.wake();
  }
  return woken.length;
}) as typeof Atomics.notify;

/** Forgets the waits of a process that has ended. */
export function forgetWaits(): void {
  waiters.length = 0;
}
