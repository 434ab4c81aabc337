import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { FarReference } from '../src/references/far-reference.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';

const realm = createRealm({ queueMicrotask, isNativePromise: types.isPromise, isProxy: types.isProxy });
const scheduler = new Scheduler(realm, {
  types,
  queueMicrotask,
  setImmediate,
  now: () => performance.now(),
});

type Far<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

function spawn<T extends object, A extends unknown[]>(
  type: new (...args: A) => T,
  ...args: NoInfer<A>
): Far<T> & FarReference {
  return scheduler.actorApi.spawn(type, args) as unknown as Far<T> & FarReference;
}

class Counter {
  #count: number;
  constructor(from = 0) {
    this.#count = from;
  }
  add(n: number): number {
    return (this.#count += n);
  }
  addLater(n: number): Promise<number> {
    return Promise.resolve().then(() => this.add(n));
  }
  fail(error: Error): never {
    throw error;
  }
  self(): this {
    return this;
  }
  echo<T>(value: T): T {
    return value;
  }
  many(...values: number[]): number {
    return values.length;
  }
}

describe('a paused scheduler', () => {
  it('runs no turn until it is resumed', async () => {
    const counter = spawn(Counter, 5);
    await counter.add(0);
    let isOver = false;
    const outcome = counter.add(1).then((sum) => ((isOver = true), sum));
    scheduler.pause();
    // As many rounds of Node's loop as a turn could need.
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
    expect(isOver).toBe(false);
    scheduler.resume();
    expect(await outcome).toBe(6);
  });
});

describe('a message', () => {
  it('is handled in a separate turn, after the code that sends it', async () => {
    const counter = spawn(Counter, 5);
    const outcome = counter.add(1);
    expect(FarReference.has(counter)).toBe(true);
    expect(await Promise.race([outcome, 'pending'])).toBe('pending');
    expect(await outcome).toBe(6);
  });

  it('is answered with the value or the error of the method, now or later', async () => {
    const counter = spawn(Counter);
    expect(await counter.add(2)).toBe(2);
    expect(await counter.addLater(3)).toBe(5);
    expect(await counter.many(1, 2, 3, 4, 5)).toBe(5);
    expect(await counter.many()).toBe(0);
    const error = new RangeError('no');
    await expect(counter.fail(error)).rejects.toThrow(new RangeError('no'));
    await expect(counter.fail(error)).rejects.not.toBe(error);
  });

  it('arrives in send order between two actors', async () => {
    const counter = spawn(Counter);
    const answers = Array.from({ length: 3000 }, () => counter.add(1));
    expect(await Promise.all(answers)).toEqual(answers.map((_, i) => i + 1));
  });

  it('carries copies, and references to actors and to objects passed to far', async () => {
    const counter = spawn(Counter);
    const value = { list: [1, { a: 1 }], self: counter };
    const echoed = (await counter.echo(value)) as typeof value;
    expect(echoed).toEqual(value);
    expect(echoed).not.toBe(value);
    expect(echoed.self).toBe(counter);
    expect(await (counter.self() as unknown as Promise<unknown>)).toBe(counter);
  });

  it('carries eventuals, which are settled later on both sides', async () => {
    const counter = spawn(Counter);
    const settled: string[] = [];
    const { promise, resolve } = realm.Promise.withResolvers<number>();
    class Waiter {
      async wait(value: { eventual: Promise<number> }): Promise<number> {
        return (await value.eventual) + 1;
      }
    }
    const waiter = spawn(Waiter);
    const outcome = waiter.wait({ eventual: promise }).then((n) => settled.push(`got ${n}`));
    await counter.add(1);
    settled.push('resolves');
    resolve(41);
    await outcome;
    expect(settled).toEqual(['resolves', 'got 42']);
    await expect(waiter.wait({ eventual: realm.Promise.reject(new Error('lost')) })).rejects.toThrow('lost');
  });

  it('sent by tell is not answered', async () => {
    const reported: unknown[] = [];
    const ask = createRealm({ queueMicrotask, unhandledRejection: (_, reason) => void reported.push(reason) });
    const tells = new Scheduler(ask, { types, queueMicrotask, setImmediate, now: () => performance.now() });
    const counter = tells.actorApi.spawn(Counter, []);
    const teller = tells.actorApi.tell(counter) as unknown as Far<Counter>;
    expect([teller.add(2), teller.many(1, 2, 3, 4), teller.fail(new Error('told'))]).toEqual(Array(3).fill(undefined));
    expect(await (counter as unknown as Far<Counter>).add(1)).toBe(3);
    expect(reported).toEqual([new Error('told')]);
    expect(tells.actorApi.tell(counter)).toBe(teller);
  });

  it('runs in a separate turn with its jobs, whatever other actors do', async () => {
    const log: string[] = [];
    class Worker {
      work(name: string): void {
        log.push(`${name} begins`);
        void realm.Promise.resolve()
          .then(() => log.push(`${name} continues`))
          .then(() => log.push(`${name} ends`));
      }
    }
    const [a, b] = [spawn(Worker), spawn(Worker)];
    await Promise.all([a.work('a'), b.work('b'), a.work('c')]);
    expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} continues`, `${name} ends`]));
  });

  it("does not delay Node's timers", async () => {
    class Endless {
      left = true;
      readonly self: Far<Endless>;
      constructor() {
        this.self = scheduler.actorApi.far(this) as unknown as Far<Endless>;
      }
      run(): void {
        if (this.left) void this.self.run();
      }
      stop(): void {
        this.left = false;
      }
    }
    const endless = spawn(Endless);
    void endless.run();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await endless.stop();
  });
});

describe('a reference', () => {
  it('has only the methods of its class and of the classes it extends', () => {
    class Special extends Counter {
      get size(): number {
        return 1;
      }
      special(): void {}
      then(): void {}
    }
    const ref = spawn(Special) as unknown as Record<string, unknown>;
    expect(['special', 'add', 'addLater', 'self'].map((key) => typeof ref[key])).toEqual(Array(4).fill('function'));
    expect(['size', 'then', 'toString2', 'constructor2'].map((key) => ref[key])).toEqual(Array(4).fill(undefined));
    expect(Object.isFrozen(ref)).toBe(true);
    expect(Reflect.ownKeys(ref)).toEqual([]);
  });

  it('has the methods of its own class if one class expression creates several', async () => {
    const counted = <T extends new () => object>(type: T): T => class extends (type as new () => object) {} as T;
    const one = spawn(
      counted(
        class {
          ping(): string {
            return 'one';
          }
        },
      ),
    );
    const other = spawn(
      counted(
        class {
          pong(): string {
            return 'other';
          }
        },
      ),
    );
    expect([await one.ping(), await other.pong()]).toEqual(['one', 'other']);
  });

  it('has an identity that is equal in all actors', async () => {
    class Shop {
      readonly cart = new Counter();
      open(): FarReference {
        return scheduler.actorApi.far(this.cart);
      }
      owns(ref: FarReference): boolean {
        return scheduler.actorApi.near(ref) === this.cart;
      }
    }
    const shop = spawn(Shop);
    const [one, other] = [await shop.open(), await shop.open()];
    expect(one).toBe(other);
    expect(scheduler.actorApi.identityOf(one)).toMatch(/^\d+\.1$/);
    expect(scheduler.actorApi.near(one)).toBe(undefined);
    expect(await shop.owns(one)).toBe(true);
    expect(await (one as unknown as Far<Counter>).add(4)).toBe(4);
  });
});

describe('an actor', () => {
  it('whose constructor throws rejects messages with the reason', async () => {
    class Broken {
      constructor() {
        throw new Error('no disk');
      }
      work(): void {}
    }
    const broken = spawn(Broken);
    await expect(broken.work()).rejects.toMatchObject({
      code: 'TT_ACTOR_FAILED',
      message: expect.stringMatching(/^Broken#\d+ could not be created: no disk$/) as string,
      cause: { message: 'no disk' },
    });
  });

  it('that is stopped handles earlier messages and rejects later ones', async () => {
    const counter = spawn(Counter);
    const before = counter.add(1);
    scheduler.actorApi.stop(counter);
    const after = counter.add(1);
    expect(await before).toBe(1);
    await expect(after).rejects.toMatchObject({ code: 'TT_ACTOR_STOPPED' });
    await expect(counter.add(1)).rejects.toMatchObject({
      message: expect.stringMatching(/^Counter#\d+ has been stopped; it takes no more messages$/) as string,
    });
  });

  it('gets the path of an argument or a result that cannot be passed', async () => {
    const counter = spawn(Counter);
    expect(() => counter.echo({ on: () => 1 })).toThrow(
      /^on in args\[0\] of Counter#\d+\.echo: the function "on" cannot leave its actor/,
    );
    class Leaky {
      leak(): object {
        return { inner: [new Counter()] };
      }
    }
    await expect(spawn(Leaky).leak()).rejects.toThrow(
      /^inner\[0\] in the result of Leaky#\d+\.leak: an instance of Counter is not plain data/,
    );
  });
});

describe('an unhandled rejection', () => {
  it('of an actor is reported before the next round, although the loop has not run for long', async () => {
    const reports: string[] = [];
    const ownRealm = createRealm({
      queueMicrotask,
      isNativePromise: types.isPromise,
      isProxy: types.isProxy,
      unhandledRejection: () => {},
    });
    const host = {
      types,
      queueMicrotask,
      setImmediate,
      now: () => 0,
      report: (_: string, reason: unknown) => void reports.push((reason as Error).message),
    };
    const ownScheduler = new Scheduler(ownRealm, host, 0, { turnsPerRound: 1, messagesPerBatch: 1 });
    class Rejecting {
      reject(): void {
        void ownRealm.Promise.reject(new Error('not handled'));
      }
      reports(): string[] {
        return [...reports];
      }
    }
    const actor = ownScheduler.actorApi.spawn(Rejecting, []) as unknown as Far<Rejecting>;
    void actor.reject();
    expect(await actor.reports()).toEqual(['not handled']);
  });
});
