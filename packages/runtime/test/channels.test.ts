import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from 'vitest';
import { observed, publishSend, publishSettle, publishSpawn, publishTurn } from '../src/channels.ts';
import { CONSTRUCT, FULFIL, REJECT, STOP } from '../src/messaging/message-kinds.ts';
import { createWorld, type WorldWorker } from './test-world.ts';

class Cart {}
const cart = { id: 65, name: 'Cart#1', worker: 2, root: new Cart() };
const main = { id: 0, name: 'the main program', worker: 0, root: undefined };
const cartLabel = { actor: 65, name: 'Cart#1', worker: 2 };
const mainLabel = { actor: 0, name: 'the main program', worker: 0 };

const subscriptions: [name: string, subscriber: (event: unknown) => void][] = [];

function listen(name: string, subscriber: (event: unknown) => void): void {
  subscribe(name, subscriber);
  subscriptions.push([name, subscriber]);
}

/** All events in the order of publication. */
function recordEvents(): unknown[] {
  const events: unknown[] = [];
  for (const name of ['spawn', 'send', 'turn', 'settle'])
    listen(`turntable.${name}`, (event) => events.push([name, event]));
  return events;
}

afterEach(() => {
  for (const [name, subscriber] of subscriptions.splice(0)) unsubscribe(name, subscriber);
});

describe('the channels of a worker', () => {
  it('are observed from the first subscription to the last unsubscription, by any method', () => {
    const unobserved = { spawns: false, sends: false, turns: false, hasObservers: false };
    const everything = { spawns: true, sends: true, turns: true, hasObservers: true };
    expect(observed).toEqual(unobserved);
    recordEvents();
    expect(observed).toEqual(everything);
    for (const [name, subscriber] of subscriptions.splice(1)) unsubscribe(name, subscriber);
    expect(observed).toEqual({ ...unobserved, spawns: true });
    for (const [name, subscriber] of subscriptions.splice(0)) unsubscribe(name, subscriber);
    expect(observed).toEqual(unobserved);
    const subscriber = (): void => {};
    channel('turntable.settle').subscribe(subscriber);
    expect(observed).toEqual({ ...unobserved, turns: true, hasObservers: true });
    expect(channel('turntable.settle').unsubscribe(subscriber)).toBe(true);
    const store = new AsyncLocalStorage();
    channel('turntable.send').bindStore(store);
    expect(observed).toEqual({ ...unobserved, sends: true });
    channel('turntable.send').unbindStore(store);
    expect(observed).toEqual(unobserved);
    expect(channel('turntable.turn').unsubscribe(subscriber)).toBe(false);
  });

  it('report the sender of spawns, calls and answers, as plain data without the actors themselves', () => {
    const events = recordEvents();
    publishSpawn(cart, Cart, main);
    publishSend(cart, 'add', true, main);
    publishSettle(main, false, cart);
    expect(events).toEqual([
      ['spawn', { ...cartLabel, class: 'Cart', from: mainLabel }],
      ['send', { ...cartLabel, method: 'add', asks: true, from: mainLabel }],
      ['settle', { ...mainLabel, rejected: false, from: cartLabel }],
    ]);
    expect(structuredClone(events)).toEqual(events);
  });

  it('report the subject of a turn for every kind of message', () => {
    const events = recordEvents();
    const called = ['add', { name: 'add', trail: {} }, CONSTRUCT, FULFIL, REJECT, STOP] as const;
    for (const [i, each] of called.entries()) publishTurn('start', i, cart, each, main);
    publishTurn('end', 0, cart, 'add', main);
    const event = (at: string, turn: number, kind: string, method?: string): unknown => [
      'turn',
      { at, turn, ...cartLabel, kind, method, from: mainLabel },
    ];
    expect(events).toEqual([
      event('start', 0, 'call', 'add'),
      event('start', 1, 'call', 'add'),
      event('start', 2, 'construct'),
      event('start', 3, 'fulfil'),
      event('start', 4, 'reject'),
      event('start', 5, 'stop'),
      event('end', 0, 'call', 'add'),
    ]);
  });

  it('report the sender of a message if the channel had subscribers when it was sent', () => {
    class Basket {
      add(): void {}
    }
    const [worker] = createWorld(1, { Basket }).workers;
    const { scheduler, tasks, classFor } = worker as WorldWorker;
    const run = (): void => {
      while (tasks.length > 0) tasks.shift()?.();
    };
    const basket = scheduler.actorApi.tell(scheduler.actorApi.spawn(classFor('Basket'), [])) as { add(): void };
    run();
    basket.add();
    const events: unknown[] = [];
    listen('turntable.turn', (event) => events.push(event));
    run();
    basket.add();
    run();
    const about = { actor: 64, name: 'Basket#1', worker: 0, kind: 'call', method: 'add' };
    const turn = (at: string, number: number, from: unknown): unknown => ({ at, turn: number, ...about, from });
    expect(events).toEqual([
      turn('start', 2, undefined),
      turn('end', 2, undefined),
      turn('start', 3, mainLabel),
      turn('end', 3, mainLabel),
    ]);
  });

  it('publish no event that a subscriber causes', () => {
    const seen: unknown[] = [];
    listen('turntable.send', (event) => {
      seen.push(event);
      publishSend(cart, 'again', false, main);
      publishTurn('start', 1, cart, 'again', main);
    });
    listen('turntable.turn', (event) => seen.push(event));
    publishSend(cart, 'add', true, main);
    expect(seen).toEqual([{ ...cartLabel, method: 'add', asks: true, from: mainLabel }]);
    publishTurn('start', 1, cart, 'add', main);
    expect(seen).toHaveLength(2);
  });

  it('keep working when a subscriber throws, which is an uncaught exception', async () => {
    const events = recordEvents();
    const reported = new Promise((resolve) => {
      const listeners = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of listeners) process.on('uncaughtException', listener);
        resolve(error);
      });
    });
    const error = new Error('a subscriber');
    const fail = (): void => {
      throw error;
    };
    subscribe('turntable.send', fail);
    publishSend(cart, 'add', true, main);
    unsubscribe('turntable.send', fail);
    publishSend(cart, 'add', true, main);
    expect(events).toHaveLength(2);
    expect(await reported).toBe(error);
  });
});
