// What belongs to a turn, and what happens before and after it.
import { describe, expect, it } from 'vitest';
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { createWorker, runAlone, type WorkerContext } from './test-world.ts';

class Clerk {
  readonly #context: WorkerContext;
  readonly #log: string[];
  constructor(context: WorkerContext, log: string[]) {
    this.#context = context;
    this.#log = log;
  }

  work(name: string): void {
    const { realm } = this.#context;
    const { nextTick, Promise: OwnPromise } = realm;
    this.#log.push(name);
    void OwnPromise.resolve().then(() => {
      this.#log.push(`${name}, job`);
      nextTick(() => this.#log.push(`${name}, tick of a job`));
    });
    nextTick(() => {
      this.#log.push(`${name}, tick`);
      nextTick(() => this.#log.push(`${name}, tick of a tick`));
    });
  }
}

describe('a turn', () => {
  it("ends when none of its ticks and jobs are left, in Node's order", () => {
    const log: string[] = [];
    const worker = createWorker(0, { Clerk: Clerk as never });
    const type = worker.classFor('Clerk');
    // A reference cannot carry shared objects: the log is a separate root.
    const shared = {
      Clerk: class extends (type as new (log: string[]) => Clerk) {
        constructor() {
          super(log);
        }
      },
    }.Clerk;
    const clerk = worker.scheduler.actorApi.spawn(shared, []) as unknown as Clerk;
    clerk.work('first');
    clerk.work('second');
    runAlone(worker);
    expect(log).toEqual(
      ['first', 'second'].flatMap((name) => [
        name,
        `${name}, tick`,
        `${name}, tick of a tick`,
        `${name}, job`,
        `${name}, tick of a job`,
      ]),
    );
  });
});

describe('long turns', () => {
  it('let Node run after each turn, not after a round of many', () => {
    let clock = 0;
    const tasks: (() => void)[] = [];
    const later = (callback: () => void): void => void tasks.push(callback);
    const realm = createRealm({ queueMicrotask: later, isNativePromise: types.isPromise, isProxy: types.isProxy });
    const scheduler = new Scheduler(realm, { types, queueMicrotask: later, setImmediate: later, now: () => clock });
    const slow = scheduler.actorApi.spawn(
      class Slow {
        work(): void {
          clock += 2;
        }
      },
      [],
    ) as unknown as { work(): void };
    for (let i = 0; i < 200; i++) (scheduler.actorApi.tell(slow) as typeof slow).work();
    const turns: number[] = [];
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const before = scheduler.turns;
      task();
      turns.push(scheduler.turns - before);
    }
    // The loop adapts in the first rounds.
    expect(turns.slice(0, 3)).toEqual([64, 16, 4]);
    expect(Math.max(...turns.slice(3))).toBe(1);
  });
});
