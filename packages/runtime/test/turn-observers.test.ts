// Turns are shown to all observers, in the async contexts of their actors.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Realm } from '@turntable/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { FULFIL, REJECT } from '../src/messaging/message-kinds.ts';
import { TurnObservers } from '../src/scheduler/turn-observers.ts';
import type { SchedulerHost } from '../src/scheduler-host.ts';
import type { TurnObserver } from '../src/turn-observer.ts';

type WatchEntries = (home: unknown) => void;

function createObservers({ hasHostCallbacks = false, isEnabled = false } = {}) {
  const log: unknown[] = [];
  let now = 0;
  let turnCount = 0;
  let enable: () => void = () => {};
  let watchEntries: WatchEntries | undefined;
  let watchHomes: WatchEntries | undefined;
  const main = new ActorCell(0, 0, 'main');
  const current = { context: main.context };
  const hostCallbacks = {
    isEnabled,
    onEnabled: (callback: () => void) => void (enable = callback),
    contextOf:
      (home: ActorCell) =>
      (run: () => void, ...args: unknown[]) => {
        log.push([`context of ${home.name}`, args]);
        run();
      },
    enter: (home: ActorCell) => void log.push(`enter ${home.name}`),
    watchEntries: (watch: WatchEntries | undefined) => void (watchEntries = watch),
  };
  const observers = new TurnObservers(
    {
      jobs: { watchHomes: (watch: WatchEntries | undefined) => void (watchHomes = watch) },
      current,
    } as unknown as Realm,
    { now: () => now, ...(hasHostCallbacks && { hostCallbacks }) } as unknown as SchedulerHost,
    main,
    () => turnCount,
  );
  return {
    observers,
    log,
    main,
    current,
    enable: () => enable(),
    watched: () => ({ entries: watchEntries, homes: watchHomes }),
    passTime: (milliseconds: number) => void (now += milliseconds),
    endTurn: () => void turnCount++,
  };
}

/** Logs all calls with their arguments; actors by their names. */
const loggingObserver = (log: unknown[], name: string): TurnObserver =>
  Object.fromEntries(
    (['touch', 'beforeHostCallback', 'turnInput', 'turnStarted', 'turnEnded', 'cut', 'messageTaken'] as const).map(
      (method) => [
        method,
        (...args: unknown[]) =>
          void log.push([name, method, ...args.map((arg) => (arg instanceof ActorCell ? arg.name : arg))]),
      ],
    ),
  );

const [cart, shop] = [new ActorCell(64, 0, 'Cart#1'), new ActorCell(128, 0, 'Shop#2')];

describe('an observer', () => {
  it('sees each turn with its number, actor, call and sender', () => {
    const { observers, log, endTurn } = createObservers();
    observers.runTurn(cart, 'add', shop, () => log.push('not observed'));
    observers.setObserver(loggingObserver(log, 'one'), 'other');
    endTurn();
    observers.runTurn(cart, 'add', shop, () => log.push('the turn'));
    expect(log).toEqual([
      'not observed',
      ['one', 'touch', 'Cart#1'],
      ['one', 'turnStarted', 2, 'Cart#1', 'add', 'Shop#2'],
      'the turn',
      ['one', 'turnEnded', 2, 'Cart#1', 'add'],
    ]);
    observers.setObserver(undefined, 'other');
    log.length = 0;
    observers.runTurn(cart, 'add', undefined, () => log.push('not observed'));
    expect([log, observers.observer]).toEqual([['not observed'], undefined]);
  });

  it('of snapshots is called before the other one, with the same arguments', () => {
    const { observers, log } = createObservers();
    observers.setObserver(loggingObserver(log, 'other'), 'other');
    observers.setObserver(loggingObserver(log, 'snapshot'), 'snapshot');
    const both = observers.observer as Required<TurnObserver>;
    const target = {};
    both.touch(cart);
    both.beforeHostCallback(cart, 1, 2);
    both.turnInput(target, ['a'], 'reply');
    both.turnStarted(1, cart, 'add', shop);
    both.turnEnded(1, cart, 'add');
    both.cut(3, true);
    both.messageTaken(4, 5);
    const expected = [
      ['touch', 'Cart#1'],
      ['beforeHostCallback', 'Cart#1', 1, 2],
      ['turnInput', target, ['a'], 'reply'],
      ['turnStarted', 1, 'Cart#1', 'add', 'Shop#2'],
      ['turnEnded', 1, 'Cart#1', 'add'],
      ['cut', 3, true],
      ['messageTaken', 4, 5],
    ];
    expect(log).toEqual(
      expected.flatMap((call) => [
        ['snapshot', ...call],
        ['other', ...call],
      ]),
    );
    log.length = 0;
    observers.setObserver({}, 'other');
    both.touch(cart);
    observers.observer?.touch?.(cart);
    expect(log.at(-1)).toEqual(['snapshot', 'touch', 'Cart#1']);
    observers.setObserver(undefined, 'snapshot');
    expect(observers.observer).toEqual({});
  });

  it('sees what runs for an actor, or else for the main program', () => {
    const { observers, log, watched } = createObservers();
    observers.setObserver(loggingObserver(log, 'one'), 'other');
    watched().homes?.(cart);
    watched().homes?.({ another: 'home' });
    expect(log).toEqual([
      ['one', 'touch', 'Cart#1'],
      ['one', 'touch', 'main'],
    ]);
    observers.setObserver({ turnEnded() {} }, 'other');
    expect(watched().homes).toBeUndefined();
  });

  it('sees the calls of the host, counted since the last turn', () => {
    const { observers, log, watched, endTurn } = createObservers({ hasHostCallbacks: true });
    observers.setObserver(loggingObserver(log, 'one'), 'other');
    const { entries } = watched();
    entries?.(cart);
    entries?.({});
    endTurn();
    entries?.(cart);
    expect(log).toEqual([
      ['one', 'beforeHostCallback', 'Cart#1', 0, 1],
      ['one', 'touch', 'Cart#1'],
      ['one', 'beforeHostCallback', 'main', 0, 2],
      ['one', 'touch', 'main'],
      ['one', 'beforeHostCallback', 'Cart#1', 1, 1],
      ['one', 'touch', 'Cart#1'],
    ]);
    for (const observer of [{ touch() {} }, { beforeHostCallback() {} }]) {
      observers.setObserver(observer, 'other');
      expect(watched().entries).toBeDefined();
    }
    for (const observer of [{ turnEnded() {} }, undefined]) {
      observers.setObserver(observer, 'other');
      expect(watched().entries).toBeUndefined();
    }
  });
});

describe('a turn', () => {
  it('runs in the async context of its actor, once the host calls back and there are actors', () => {
    for (const order of [['actors', 'host'], ['host', 'actors'], ['enabled before']] as const) {
      const isEnabled = order[0] === 'enabled before';
      const { observers, log, enable, current } = createObservers({ hasHostCallbacks: true, isEnabled });
      const actor = new ActorCell(64, 0, 'Cart#1');
      current.context = actor.context;
      observers.runTurn(actor, 'add', undefined, () => log.push('plain'));
      expect(log.splice(0)).toEqual(['plain']);
      if (order[0] === 'actors') {
        observers.enableHostCallbacks();
        observers.runTurn(actor, 'add', undefined, () => log.push('plain'));
        expect(log.splice(0)).toEqual(['plain']);
        enable();
      } else if (isEnabled) observers.enableHostCallbacks();
      else {
        enable();
        expect(log).toEqual([]);
      }
      if (order[0] === 'host') continue;
      expect(log.splice(0)).toEqual(['enter Cart#1']);
      enable();
      observers.enableHostCallbacks();
      expect(log).toEqual([]);
      for (let i = 0; i < 2; i++) observers.runTurn(actor, 'add', undefined, () => log.push('in context'));
      const runner = ['context of Cart#1', [undefined, 0, undefined]];
      expect(log).toEqual([runner, 'in context', runner, 'in context']);
      expect(actor.context.store).toBeDefined();
      expect(actor.context.home).toBe(actor);
    }
  });

  it('publishes its start and end, and the settlement that it handles', () => {
    const { observers } = createObservers();
    const published: unknown[] = [];
    const names = ['turntable.turn', 'turntable.settle'] as const;
    const listener = (message: unknown, name: string | symbol): void => void published.push([name, message]);
    for (const name of names) subscribe(name, listener);
    onTestFinished(() => names.forEach((name) => void unsubscribe(name, listener)));
    for (const [call, sender] of [
      [FULFIL, shop],
      [REJECT, shop],
      [FULFIL, undefined],
      ['add', shop],
    ] as const)
      observers.runTurn(cart, call, sender, () => published.push('the turn'));
    const settlements = published.filter((each) => Array.isArray(each) && each[0] === 'turntable.settle');
    const turns = published.filter((each) => Array.isArray(each) && each[0] === 'turntable.turn');
    expect(published.filter((each) => each === 'the turn')).toHaveLength(4);
    expect(settlements).toHaveLength(2);
    expect(JSON.stringify(settlements[0])).not.toBe(JSON.stringify(settlements[1]));
    expect(turns).toHaveLength(8);
  });
});

describe('busy time', () => {
  it('is that of rounds, and that of the last actor', () => {
    const { observers, passTime, current } = createObservers();
    current.context = cart.context;
    const before = cart.busy;
    passTime(5);
    expect(observers.roundEnded(2, 1000)).toBe(5);
    expect([observers.busy, cart.busy - before]).toEqual([3, 3]);
    expect(observers.roundEnded(4, 0)).toBe(5);
    expect([observers.busy, cart.busy - before]).toEqual([4, 3]);
  });

  it('is that of each turn while turns are long', () => {
    const { observers, passTime, current } = createObservers();
    const actor = new ActorCell(64, 0, 'Cart#1');
    current.context = shop.context;
    const ofShop = shop.busy;
    passTime(10);
    observers.roundEnded(0, 1);
    expect(shop.busy - ofShop).toBe(10);
    observers.runTurn(actor, 'add', undefined, () => passTime(7));
    expect(actor.busy).toBe(7);
    observers.roundEnded(10, 2);
    expect(shop.busy - ofShop).toBe(10);
    observers.roundEnded(16.99, 1);
    observers.runTurn(actor, 'add', undefined, () => passTime(7));
    expect(actor.busy).toBe(7);
  });
});
