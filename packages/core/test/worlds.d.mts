import type { Host, Realm } from '@turntable/core';

export interface World {
  Promise: PromiseConstructor;
  queueMicrotask(callback: () => void): void;
  nextTick(callback: (...args: never[]) => void, ...args: unknown[]): void;
  co(list: ((last: unknown) => unknown)[]): Promise<unknown>;
  generate(list: (() => unknown)[]): AsyncGenerator<unknown>;
}

export function nativeWorld(): World;
export function realmWorld(host: Host): World & { realm: Realm };
