// What an error says that comes of a deadline: which messages are still to be answered, on whichever workers their actors live.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SignalListener, type Deadline } from '../src/messaging/answer/deadline.ts';
import type { FarRef } from '../src/references/far-ref.ts';
import { rewrite } from './rewriting.ts';
import { createWorld, type Here, type World } from './world.ts';

type Asked = PromiseLike<unknown>;
interface Remote {
  order(how: string): Asked;
  reserve(how: string): Asked;
  read(): Asked;
  write(): Asked;
}

class Store {
  readonly #here: Here;
  constructor(here: Here) {
    this.#here = here;
  }
  read(): string {
    return 'read';
  }
  write(): Asked {
    return new this.#here.realm.Promise(() => {});
  }
}

class Stock {
  readonly #here: Here;
  readonly #store: Remote;
  constructor(here: Here, store: Remote) {
    this.#here = here;
    this.#store = store;
  }
  reserve(how: string): Asked {
    const { scheduler, realm } = this.#here;
    const store = this.#store;
    if (how === 'after an answer') return store.read().then(() => store.write());
    if (how === 'by an eventual')
      return (scheduler.program.send(realm.Promise.resolve(store) as object) as Remote).write();
    if (how === 'in less time')
      return (scheduler.program.sendWith({ deadline: 10_000 }, store as never) as Remote).write();
    if (how === 'refused')
      try {
        void (store as unknown as { write(what: () => void): void }).write(() => {});
      } catch {
        return new realm.Promise(() => {});
      }
    if (how === 'whatever happens') return store.write().then(undefined, () => new realm.Promise(() => {}));
    return store.write();
  }
}

class Front {
  readonly #stocks: readonly Remote[];
  readonly #here: Here;
  constructor(here: Here, ...stocks: Remote[]) {
    this.#here = here;
    this.#stocks = stocks;
  }
  order(how: string): Asked {
    return this.#here.realm.Promise.all(this.#stocks.map((stock) => stock.reserve(how)) as never);
  }
}

const classes = { Store, Stock, Front } as never;

/** Whatever can be done without anything from outside. */
function settle({ workers }: World, between?: () => void): void {
  for (;;) {
    between?.();
    const alive = workers.filter(({ isAlive }) => isAlive);
    for (const { scheduler } of alive) scheduler.look();
    const busy = alive.find(({ tasks }) => tasks.length > 0);
    if (busy === undefined) return;
    busy.tasks.shift()?.();
  }
}

interface Shop {
  readonly world: World;
  /** Asks the front for something that is never answered; what is to happen meanwhile; the text of the error. */
  late(how: string, meanwhile?: () => void, between?: () => void): string;
}

/** With so many stocks, each on a worker of its own, as the front and the store are. */
function openShop(stocks = 1): Shop {
  const world = createWorld(3 + stocks, classes);
  const { scheduler, classHere, outside } = world.workers[0]!;
  const spawn = (name: string, place: number, ...args: unknown[]): FarRef =>
    scheduler.program.spawn(classHere(name), args, place, { name });
  const store = spawn('Store', 1);
  const all = Array.from({ length: stocks }, (_, i) => spawn('Stock', 3 + i, store));
  const front = spawn('Front', 2, ...all);
  return {
    world,
    late(how, meanwhile, between) {
      let text = '';
      void (scheduler.program.sendWith({ deadline: 5 }, front) as Remote)
        .order(how)
        .then(String, (error: Error) => (text = error.message));
      settle(world, between);
      meanwhile?.();
      settle(world, between);
      outside.shift()?.();
      settle(world);
      return text;
    },
  };
}

const late = (...chains: string[]): string =>
  [
    'order was not answered within 5 ms; what it waits for:',
    ...chains.map((chain) => `  the main program → Front.order → ${chain}`),
  ].join('\n');

describe('what a message waits for', () => {
  it('is known through all workers', () => {
    expect(openShop().late('')).toBe(late('Stock#2.reserve → Store#1.write'));
  });

  it('is known of every way it took', () => {
    expect(openShop(2).late('')).toBe(late('Stock#2.reserve → Store#1.write', 'Stock#3.reserve → Store#1.write'));
  });

  it('does not contain what has been answered', () => {
    expect(openShop().late('after an answer')).toBe(late('Stock#2.reserve → Store#1.write'));
  });

  it('goes through eventuals, and other deadlines', () => {
    expect(openShop().late('by an eventual')).toBe(late('Stock#2.reserve → Store#1.write'));
    expect(openShop().late('in less time')).toBe(late('Stock#2.reserve → Store#1.write'));
  });

  it('does not contain what could not be sent', () => {
    expect(openShop().late('refused')).toBe(late('Stock#2.reserve'));
  });

  it('ends where a worker was lost, and goes on where another one has its place', () => {
    for (const isReplaced of [true, false]) {
      const shop = openShop(2);
      const text = shop.late('whatever happens', () => {
        const hear = shop.world.kill(1, isReplaced);
        for (const hearer of [0, 2, 3, 4]) hear(hearer);
      });
      expect(text).toBe(late('Stock#2.reserve', 'Stock#3.reserve'));
    }
    const shop = openShop(2);
    expect(
      shop.late('', () => {
        const hear = shop.world.kill(3);
        for (const hearer of [0, 1, 2, 4]) hear(hearer);
      }),
    ).toBe('Stock#2 is lost: worker 3 has ended: it was killed');
  });

  it('is data that can be written down and read again at any moment', () => {
    for (const [how, what] of [
      ['', 'Stock#2.reserve → Store#1.write'],
      ['after an answer', 'Stock#2.reserve → Store#1.write'],
      ['by an eventual', 'Stock#2.reserve → Store#1.write'],
      ['in less time', 'Stock#2.reserve → Store#1.write'],
    ] as const) {
      const shop = openShop();
      const again = (): void => shop.world.workers.forEach((_, index) => rewrite(shop.world, index));
      expect(shop.late(how, undefined, again)).toBe(late(what));
    }
  });

  it('is ended by a signal that was read again before, of whose listeners one is made for it', () => {
    const { world } = openShop();
    const { scheduler, classHere } = world.workers[0]!;
    const stock = scheduler.program.spawn(classHere('Stock'), [scheduler.program.spawn(classHere('Store'), [], 1)], 2);
    const { signal } = new AbortController();
    const reasons: unknown[] = [];
    void (scheduler.program.sendWith({ signal }, stock) as Remote)
      .reserve('')
      .then(String, (reason) => reasons.push(reason));
    settle(world);
    const [listener] = getEventListeners(signal, 'abort');
    expect(listener).toBeInstanceOf(SignalListener);
    const state = scheduler.read();
    const [deadline] = state.deadlines.waiting as [Deadline];
    scheduler.write({ ...state, deadlines: { numbers: 1, waiting: [] } });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // Another signal in another process.
    const controller = new AbortController();
    const again = scheduler.signalListener((listener as unknown as SignalListener).number);
    controller.signal.addEventListener('abort', again, { once: true });
    scheduler.write({ ...state, deadlines: { numbers: 1, waiting: [{ ...deadline, signal: controller.signal }] } });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([again]);
    controller.abort('not any more');
    settle(world);
    expect(reasons).toEqual(['not any more']);
    expect(scheduler.read().deadlines.waiting).toEqual([]);
  });

  it('leaves nothing behind when there is nobody to ask', () => {
    const { world } = openShop();
    const { scheduler, realm, outside, classHere } = world.workers[0]!;
    const { signal } = new AbortController();
    const nobody = realm.Promise.reject(new Error('nobody'));
    void (scheduler.program.sendWith({ signal, deadline: 5 }, nobody) as Remote).read().then(undefined, () => {});
    expect(outside.length).toBe(1);
    const store = scheduler.program.spawn(classHere('Store'), [], 1);
    const refused: string[] = [];
    const wrong = scheduler.program.sendWith({ signal, deadline: 5 }, store) as Remote;
    void wrong.order('').then(undefined, ({ message }: Error) => refused.push(message));
    settle(world);
    expect(refused).toEqual([expect.stringContaining('has no method "order"')]);
    expect(outside).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(scheduler.read().deadlines.waiting).toEqual([]);
  });

  it('is known of each that waits, however many have been answered meanwhile', () => {
    const { world } = openShop();
    const { scheduler, outside, classHere } = world.workers[0]!;
    const store = scheduler.program.sendWith(
      { deadline: 5 },
      scheduler.program.spawn(classHere('Store'), [], 0),
    ) as Remote;
    for (let i = 0; i < 1000; i++) void (i % 5 === 0 ? store.write() : store.read()).then(undefined, () => {});
    settle(world);
    expect(scheduler.read().tracked.map(({ trail }) => trail.what)).toEqual(
      Array.from({ length: 200 }, () => expect.stringContaining('.write')),
    );
    while (outside.length > 0) outside.shift()?.();
    settle(world);
    expect(scheduler.read().tracked).toEqual([]);
  });

  it('costs nothing if nobody wants to know', () => {
    const { world } = openShop();
    const sent = (): number => world.workers.reduce((sum, { scheduler }) => sum + scheduler.neighbours.traffic.sent, 0);
    settle(world);
    const before = sent();
    const { scheduler, classHere } = world.workers[0]!;
    const stock = scheduler.program.spawn(classHere('Stock'), [scheduler.program.spawn(classHere('Store'), [], 1)], 2);
    void (stock as unknown as Remote).reserve('after an answer');
    settle(world);
    // Two actors, three questions, one answer.
    expect(sent() - before).toBe(6);
  });
});
