// Two worlds to run the same program in: Node's own promises, ticks and async functions, and a realm's.
// `co(list)` is an async function that awaits each function's result in turn, `generate(list)` an async generator of them:
// natively written as such, over a realm as the step functions the transform would make of them.
import { createRealm } from '@turntable/core';
import type { Frame, Host, StepFunction } from '@turntable/core';

type AsyncStep = (last: unknown) => unknown;

export interface World {
  Promise: PromiseConstructor;
  queueMicrotask(callback: () => void): void;
  nextTick(callback: (...args: never[]) => void, ...args: unknown[]): void;
  co(list: AsyncStep[]): Promise<unknown>;
  generate(list: (() => unknown)[]): AsyncGenerator<unknown>;
}

export function nativeWorld(): World {
  return {
    Promise,
    queueMicrotask,
    nextTick: process.nextTick,
    co: async (list) => {
      let last: unknown;
      for (const step of list) last = await step(last);
      return last;
    },
    generate: async function* (list) {
      for (const step of list) yield await step();
    },
  };
}

export function realmWorld(host: Host): World {
  const realm = createRealm(host);

  const co: StepFunction = (frame, value, mode) => {
    const { pc } = frame;
    frame.pc = 0;
    if (pc === 1) {
      if (mode === 1) throw value;
      frame.s2 = value;
      frame.s1 = (frame.s1 as number) + 1;
    } else frame.s1 = 0;
    const list = frame.s0 as AsyncStep[];
    const step = list[frame.s1 as number];
    return step === undefined ? frame.s2 : realm.await(frame, 1, step(frame.s2));
  };

  const generate: StepFunction = (frame, value, mode) => {
    const { pc } = frame;
    frame.pc = 0;
    if (pc > 0 && mode === 1) throw value;
    if (pc === 1) return realm.await(frame, 2, value); // `yield` awaits its operand again
    if (pc === 2) return realm.yieldAsync(frame, 3, value);
    if (pc === 3 && mode === 2) return value;
    frame.s1 = pc === 0 ? 0 : (frame.s1 as number) + 1;
    const step = (frame.s0 as (() => unknown)[])[frame.s1 as number];
    return step === undefined ? undefined : realm.await(frame, 1, step());
  };

  function frameOf(step: StepFunction, list: unknown): Frame {
    const frame = new realm.Frame(step);
    frame.s0 = list;
    return frame;
  }

  return {
    Promise: realm.Promise,
    queueMicrotask: realm.ambient['queueMicrotask'] as World['queueMicrotask'],
    nextTick: realm.nextTick as World['nextTick'],
    co: (list) => realm.async(frameOf(co, list)) as unknown as Promise<unknown>,
    generate: (list) => realm.asyncGenerator(frameOf(generate, list), undefined) as AsyncGenerator<unknown>,
  };
}
