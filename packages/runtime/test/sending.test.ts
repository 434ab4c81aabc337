// All ways of sending: to unsettled eventuals, with a deadline or a signal, to released and ended targets.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import type { FarReference } from '../src/references/far-reference.ts';
import type { SendOptions } from '../src/messaging/answer/deadlines.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';

const realm = createRealm({ queueMicrotask, isNativePromise: types.isPromise, isProxy: types.isProxy });
const { Promise: OwnPromise } = realm;
const reported: unknown[] = [];
const scheduler = new Scheduler(realm, {
  types,
  queueMicrotask,
  setImmediate,
  now: () => performance.now(),
  report: (actor, reason) => void reported.push([actor, reason]),
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
const send = <T>(target: PromiseLike<T> | T): T => scheduler.actorApi.send(target as object) as T;
const tell = <T>(target: PromiseLike<T> | T): T => scheduler.actorApi.tell(target as object) as T;
const sendWith = <T>(options: SendOptions, target: PromiseLike<T> | T): T =>
  scheduler.actorApi.sendWith(options, target as object) as T;

class List {
  readonly items: unknown[] = [];
  add(item: unknown): number {
    return this.items.push(item);
  }
  all(): unknown[] {
    return this.items;
  }
}

describe('message to an eventual', () => {
  it('arrives once the eventual is a reference, in send order', async () => {
    let resolve: (list: Far<List>) => void = () => {};
    const eventual = new OwnPromise<Far<List>>((settle) => (resolve = settle));
    const answers = [send(eventual).add('one'), send(eventual).add('two')];
    void tell(eventual).add('told');
    const list = spawn(List);
    resolve(list);
    answers.push(send(eventual).add('last'));
    expect(await Promise.all(answers)).toEqual([1, 2, 4]);
    expect(await list.all()).toEqual(['one', 'two', 'told', 'last']);
  });

  it('has its arguments copied when it is sent', async () => {
    let resolve: (list: Far<List>) => void = () => {};
    const eventual = new OwnPromise<Far<List>>((settle) => (resolve = settle));
    const item = { count: 1 };
    const answer = send(eventual).add(item);
    item.count = 2;
    const list = spawn(List);
    resolve(list);
    await answer;
    expect(await list.all()).toEqual([{ count: 1 }]);
    expect(() => send(eventual).add(() => 1)).toThrow(/^args\[0\] of add: the function/);
  });

  it('fails if the eventual is rejected, or fulfilled with anything but a reference', async () => {
    await expect(send(OwnPromise.reject(new Error('lost')) as PromiseLike<Far<List>>).all()).rejects.toThrow('lost');
    await expect(send(OwnPromise.resolve({}) as unknown as PromiseLike<Far<List>>).all()).rejects.toMatchObject({
      code: 'TT_NOT_A_REFERENCE',
      message: expect.stringContaining('all() was sent to an object, which is not a far reference') as string,
    });
    await expect(send(7 as unknown as Far<List>).all()).rejects.toMatchObject({ code: 'TT_NOT_A_REFERENCE' });
    const odd = send(OwnPromise.resolve(spawn(List))) as unknown as { missing(): Promise<void> };
    await expect(odd.missing()).rejects.toMatchObject({
      code: 'TT_UNKNOWN_METHOD',
      message: expect.stringMatching(/^List#\d+ has no method "missing"/) as string,
    });
  });

  it('is not awaited with the object that sends it', async () => {
    const eventual = OwnPromise.resolve(spawn(List));
    const asking = send(eventual);
    expect(await asking).toBe(asking);
  });
});

class Slow {
  readonly #next: Far<Slow> | undefined;
  constructor(next?: Far<Slow> & FarReference) {
    this.#next = next;
  }
  wait(): Promise<unknown> {
    return new OwnPromise(() => {});
  }
  pass(): Promise<unknown> {
    return (this.#next as Far<Slow>).wait();
  }
  async passLater(): Promise<unknown> {
    await undefined;
    return (this.#next as Far<Slow>).pass();
  }
  quick(): string {
    return 'here';
  }
}

describe('deadline', () => {
  it('rejects the call and names the pending messages', async () => {
    const last = spawn(Slow);
    const middle = spawn(Slow, last);
    const waiting = sendWith({ deadline: 5 }, middle).pass();
    await expect(waiting).rejects.toMatchObject({
      code: 'TT_DEADLINE',
      message: expect.stringMatching(
        /^pass was not answered within 5 ms; it waits for:\n {2}the main program → Slow#\d+\.pass → Slow#\d+\.wait$/,
      ) as string,
    });
  });

  it('does not affect an answer in time', async () => {
    expect(await sendWith({ deadline: 10_000 }, spawn(Slow)).quick()).toBe('here');
    expect(await sendWith({ deadline: new Date(Date.now() + 10_000) }, OwnPromise.resolve(spawn(Slow))).quick()).toBe(
      'here',
    );
  });

  it('rejects the call if it has passed before', async () => {
    await expect(sendWith({ deadline: new Date(0) }, spawn(Slow)).wait()).rejects.toMatchObject({
      code: 'TT_DEADLINE',
    });
  });
});

describe('signal', () => {
  it('rejects the call with its reason', async () => {
    const controller = new AbortController();
    const waiting = sendWith({ signal: controller.signal }, spawn(Slow)).wait();
    controller.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await expect(sendWith({ signal: controller.signal }, spawn(Slow)).quick()).rejects.toThrow('changed my mind');
  });

  it('has no listener left after the answer', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const signal = Object.assign(controller.signal, {
      addEventListener: () => void listeners++,
      removeEventListener: () => void listeners--,
    });
    expect(await sendWith({ signal }, spawn(Slow)).quick()).toBe('here');
    expect(listeners).toBe(0);
  });
});

describe('reference', () => {
  it('to an object literal has the methods of the object', async () => {
    const log: unknown[] = [];
    const callbacks = scheduler.actorApi.far({ done: (value: unknown) => log.push(value), size: 3 });
    class Caller {
      call(to: { done(value: string): void }): void {
        void to.done('called');
      }
    }
    await spawn(Caller).call(callbacks as never);
    await (callbacks as unknown as Far<{ done(value: number): void }>).done(2);
    expect(log).toEqual(['called', 2]);
    expect((callbacks as unknown as { size: unknown }).size).toBe(undefined);
  });

  it('can be released by the actor that owns its object, and by no other', async () => {
    const object = { ping: () => 'pong' };
    const ref = scheduler.actorApi.far(object) as FarReference & Far<typeof object>;
    expect(await ref.ping()).toBe('pong');
    class Thief {
      take(from: FarReference): void {
        scheduler.actorApi.release(from);
      }
    }
    await expect(spawn(Thief).take(ref)).rejects.toMatchObject({ code: 'TT_NOT_OWNER' });
    scheduler.actorApi.release(ref);
    await expect(ref.ping()).rejects.toMatchObject({ code: 'TT_RELEASED' });
    const again = scheduler.actorApi.far(object) as FarReference & Far<typeof object>;
    expect(scheduler.actorApi.identityOf(again)).not.toBe(scheduler.actorApi.identityOf(ref));
    expect(await again.ping()).toBe('pong');
    expect(() => scheduler.actorApi.release(spawn(List))).toThrow(/^only List#\d+ can release/);
  });

  it('reports when it is broken', async () => {
    const list = spawn(List);
    const broken = scheduler.actorApi.whenBroken(list) as unknown as Promise<unknown>;
    scheduler.actorApi.stop(list);
    expect(await broken).toMatchObject({ code: 'TT_ACTOR_STOPPED' });
    expect(await scheduler.actorApi.whenBroken(list)).toMatchObject({ code: 'TT_ACTOR_STOPPED' });
  });
});

describe('failed message without an answer', () => {
  it('is reported with the actor in which it failed', async () => {
    const list = spawn(List);
    scheduler.actorApi.stop(list);
    void tell(list).add(1);
    await OwnPromise.resolve();
    await expect(list.add(2)).rejects.toMatchObject({ code: 'TT_ACTOR_STOPPED' });
    expect(reported).toEqual([
      [expect.stringMatching(/^List#\d+$/), expect.objectContaining({ code: 'TT_ACTOR_STOPPED' })],
    ]);
  });
});
