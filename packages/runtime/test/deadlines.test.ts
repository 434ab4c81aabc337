// Errors of passed deadlines: they name the messages that are not answered yet, on all workers.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SignalListener, type Deadline } from '../src/messaging/answer/deadlines.ts';
import type { FarReference } from '../src/references/far-reference.ts';
import { rewriteState } from './rewrite-state.ts';
import { createWorld, type WorkerContext, type World } from './test-world.ts';

type Answer = PromiseLike<unknown>;
interface Remote {
  order(how: string): Answer;
  reserve(how: string): Answer;
  read(): Answer;
  write(): Answer;
}

class Store {
  readonly #context: WorkerContext;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  read(): string {
    return 'read';
  }
  write(): Answer {
    return new this.#context.realm.Promise(() => {});
  }
}

class Stock {
  readonly #context: WorkerContext;
  readonly #store: Remote;
  constructor(context: WorkerContext, store: Remote) {
    this.#context = context;
    this.#store = store;
  }
  reserve(how: string): Answer {
    const { scheduler, realm } = this.#context;
    const store = this.#store;
    if (how === 'after an answer') return store.read().then(() => store.write());
    if (how === 'by an eventual')
      return (scheduler.actorApi.send(realm.Promise.resolve(store) as object) as Remote).write();
    if (how === 'in less time')
      return (scheduler.actorApi.sendWith({ deadline: 10_000 }, store as never) as Remote).write();
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
  readonly #context: WorkerContext;
  constructor(context: WorkerContext, ...stocks: Remote[]) {
    this.#context = context;
    this.#stocks = stocks;
  }
  order(how: string): Answer {
    return this.#context.realm.Promise.all(this.#stocks.map((stock) => stock.reserve(how)) as never);
  }
}

const classes = { Store, Stock, Front } as never;

/** Runs everything that needs no input from the host. */
function runUntilIdle({ workers }: World, between?: () => void): void {
  for (;;) {
    between?.();
    const alive = workers.filter(({ isAlive }) => isAlive);
    for (const { scheduler } of alive) scheduler.wakeIfInbound();
    const busy = alive.find(({ tasks }) => tasks.length > 0);
    if (busy === undefined) return;
    busy.tasks.shift()?.();
  }
}

interface Shop {
  readonly world: World;
  /** Calls the front for an answer that never arrives, runs the steps, and returns the text of the error. */
  awaitDeadlineError(how: string, meanwhile?: () => void, between?: () => void): string;
}

/** A world with a number of stocks; the stocks, the front and the store have a worker each. */
function openShop(stocks = 1): Shop {
  const world = createWorld(3 + stocks, classes);
  const { scheduler, classFor, hostTasks } = world.workers[0]!;
  const spawn = (name: string, place: number, ...args: unknown[]): FarReference =>
    scheduler.actorApi.spawn(classFor(name), args, place, { name });
  const store = spawn('Store', 1);
  const all = Array.from({ length: stocks }, (_, i) => spawn('Stock', 3 + i, store));
  const front = spawn('Front', 2, ...all);
  return {
    world,
    awaitDeadlineError(how, meanwhile, between) {
      let text = '';
      void (scheduler.actorApi.sendWith({ deadline: 5 }, front) as Remote)
        .order(how)
        .then(String, (error: Error) => (text = error.message));
      runUntilIdle(world, between);
      meanwhile?.();
      runUntilIdle(world, between);
      hostTasks.shift()?.();
      runUntilIdle(world);
      return text;
    },
  };
}

const expectedError = (...chains: string[]): string =>
  [
    'order was not answered within 5 ms; it waits for:',
    ...chains.map((chain) => `  the main program → Front.order → ${chain}`),
  ].join('\n');

describe('deadline error', () => {
  it('names messages on all workers', () => {
    expect(openShop().awaitDeadlineError('')).toBe(expectedError('Stock#2.reserve → Store#1.write'));
  });

  it('names all branches', () => {
    expect(openShop(2).awaitDeadlineError('')).toBe(
      expectedError('Stock#2.reserve → Store#1.write', 'Stock#3.reserve → Store#1.write'),
    );
  });

  it('omits answered messages', () => {
    expect(openShop().awaitDeadlineError('after an answer')).toBe(expectedError('Stock#2.reserve → Store#1.write'));
  });

  it('follows eventuals and nested deadlines', () => {
    expect(openShop().awaitDeadlineError('by an eventual')).toBe(expectedError('Stock#2.reserve → Store#1.write'));
    expect(openShop().awaitDeadlineError('in less time')).toBe(expectedError('Stock#2.reserve → Store#1.write'));
  });

  it('omits messages that could not be sent', () => {
    expect(openShop().awaitDeadlineError('refused')).toBe(expectedError('Stock#2.reserve'));
  });

  it('ends at a lost worker, and continues at a successor', () => {
    for (const isReplaced of [true, false]) {
      const shop = openShop(2);
      const text = shop.awaitDeadlineError('whatever happens', () => {
        const hear = shop.world.kill(1, isReplaced);
        for (const hearer of [0, 2, 3, 4]) hear(hearer);
      });
      expect(text).toBe(expectedError('Stock#2.reserve', 'Stock#3.reserve'));
    }
    const shop = openShop(2);
    expect(
      shop.awaitDeadlineError('', () => {
        const hear = shop.world.kill(3);
        for (const hearer of [0, 1, 2, 4]) hear(hearer);
      }),
    ).toBe('Stock#2 is lost: worker 3 has ended: it was killed');
  });

  it('can be captured and restored at any moment', () => {
    for (const [how, what] of [
      ['', 'Stock#2.reserve → Store#1.write'],
      ['after an answer', 'Stock#2.reserve → Store#1.write'],
      ['by an eventual', 'Stock#2.reserve → Store#1.write'],
      ['in less time', 'Stock#2.reserve → Store#1.write'],
    ] as const) {
      const shop = openShop();
      const again = (): void => shop.world.workers.forEach((_, index) => rewriteState(shop.world, index));
      expect(shop.awaitDeadlineError(how, undefined, again)).toBe(expectedError(what));
    }
  });

  it('is replaced by the reason of a restored signal, which keeps a single listener', () => {
    const { world } = openShop();
    const { scheduler, classFor } = world.workers[0]!;
    const stock = scheduler.actorApi.spawn(classFor('Stock'), [scheduler.actorApi.spawn(classFor('Store'), [], 1)], 2);
    const { signal } = new AbortController();
    const reasons: unknown[] = [];
    void (scheduler.actorApi.sendWith({ signal }, stock) as Remote)
      .reserve('')
      .then(String, (reason) => reasons.push(reason));
    runUntilIdle(world);
    const [listener] = getEventListeners(signal, 'abort');
    expect(listener).toBeInstanceOf(SignalListener);
    const state = scheduler.getState();
    const [deadline] = state.deadlines.waiting as [Deadline];
    scheduler.setState({ ...state, deadlines: { lastNumber: 1, waiting: [] } });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // Another signal, as in another process.
    const controller = new AbortController();
    const again = scheduler.signalListener((listener as unknown as SignalListener).number);
    controller.signal.addEventListener('abort', again, { once: true });
    scheduler.setState({
      ...state,
      deadlines: { lastNumber: 1, waiting: [{ ...deadline, signal: controller.signal }] },
    });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([again]);
    controller.abort('not any more');
    runUntilIdle(world);
    expect(reasons).toEqual(['not any more']);
    expect(scheduler.getState().deadlines.waiting).toEqual([]);
  });

  it('leaves no trace when the target is rejected', () => {
    const { world } = openShop();
    const { scheduler, realm, hostTasks, classFor } = world.workers[0]!;
    const { signal } = new AbortController();
    const failed = realm.Promise.reject(new Error('unhandled'));
    void (scheduler.actorApi.sendWith({ signal, deadline: 5 }, failed) as Remote).read().then(undefined, () => {});
    expect(hostTasks.length).toBe(1);
    const store = scheduler.actorApi.spawn(classFor('Store'), [], 1);
    const refused: string[] = [];
    const wrong = scheduler.actorApi.sendWith({ signal, deadline: 5 }, store) as Remote;
    void wrong.order('').then(undefined, ({ message }: Error) => refused.push(message));
    runUntilIdle(world);
    expect(refused).toEqual([expect.stringContaining('has no method "order"')]);
    expect(hostTasks).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(scheduler.getState().deadlines.waiting).toEqual([]);
  });

  it('names each waiting call, however many were answered before', () => {
    const { world } = openShop();
    const { scheduler, hostTasks, classFor } = world.workers[0]!;
    const store = scheduler.actorApi.sendWith(
      { deadline: 5 },
      scheduler.actorApi.spawn(classFor('Store'), [], 0),
    ) as Remote;
    for (let i = 0; i < 1000; i++) void (i % 5 === 0 ? store.write() : store.read()).then(undefined, () => {});
    runUntilIdle(world);
    expect(scheduler.getState().trackedCalls.map(({ trail }) => trail.label)).toEqual(
      Array.from({ length: 200 }, () => expect.stringContaining('.write')),
    );
    while (hostTasks.length > 0) hostTasks.shift()?.();
    runUntilIdle(world);
    expect(scheduler.getState().trackedCalls).toEqual([]);
  });

  it('costs no message without a deadline', () => {
    const { world } = openShop();
    const sent = (): number =>
      world.workers.reduce((sum, { scheduler }) => sum + scheduler.workerLinks.traffic.sent, 0);
    runUntilIdle(world);
    const before = sent();
    const { scheduler, classFor } = world.workers[0]!;
    const stock = scheduler.actorApi.spawn(classFor('Stock'), [scheduler.actorApi.spawn(classFor('Store'), [], 1)], 2);
    void (stock as unknown as Remote).reserve('after an answer');
    runUntilIdle(world);
    // Two spawns, three calls, one answer.
    expect(sent() - before).toBe(6);
  });
});
