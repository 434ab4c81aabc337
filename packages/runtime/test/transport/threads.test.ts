// Real threads and messages, without fixed delays.

import { once } from 'node:events';
import { isDeepStrictEqual, types } from 'node:util';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/transport/inbox.ts';
import { Outbox } from '../../src/transport/outbox.ts';
import { createRing } from '../../src/transport/ring.ts';
import { Bell, createBell, Sleeper } from '../../src/transport/bell.ts';
import { testDeps } from './pair.ts';

const FILE = new URL('./fixtures/peer.mts', import.meta.url);

interface PeerOptions {
  readonly role: 'exchange' | 'echo' | 'flood';
  readonly out: SharedArrayBuffer;
  readonly inward: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly mine: SharedArrayBuffer;
  readonly theirs: SharedArrayBuffer;
  readonly count: number;
  readonly seed: number;
  readonly otherSeed: number;
}

function startPeer(options: PeerOptions): Worker {
  return new Worker(FILE, { workerData: options, transferList: [options.port], execArgv: ['-C', 'turntable-source'] });
}

describe('between two threads', () => {
  it('messages arrive unchanged and in order in both directions, through rings that are too small', async () => {
    const count = 100_000;
    const [one, two] = [createRing(2 ** 15), createRing(2 ** 17)];
    const [bellOne, bellTwo] = [createBell(), createBell()];
    const { port1, port2 } = new MessageChannel();
    const shared = { role: 'exchange', count } as const;
    const ends = [
      startPeer({
        ...shared,
        out: one,
        inward: two,
        port: port1,
        mine: bellOne,
        theirs: bellTwo,
        seed: 3,
        otherSeed: 9,
      }),
      startPeer({
        ...shared,
        out: two,
        inward: one,
        port: port2,
        mine: bellTwo,
        theirs: bellOne,
        seed: 9,
        otherSeed: 3,
      }),
    ];
    const results = await Promise.all(ends.map((each) => once(each, 'message')));
    expect(results).toEqual([0, 1].map(() => [{ received: count, sent: count, taken: count }]));
    await Promise.all(ends.map((each) => each.terminate()));
  });

  it('a waiting worker is always woken, parked, asleep or in between', async () => {
    const count = 20_000;
    const [there, back] = [createRing(2 ** 14), createRing(2 ** 14)];
    const [here, other] = [createBell(), createBell()];
    const { port1, port2 } = new MessageChannel();
    const worker = startPeer({
      role: 'echo',
      out: back,
      inward: there,
      port: port2,
      mine: other,
      theirs: here,
      count,
      seed: 5,
      otherSeed: 0,
    });
    const outbox = new Outbox(there, port1, { ...testDeps, types }, new Bell(other));
    const sleeper = new Sleeper(here);
    await new Promise<void>((resolve, reject) => {
      let answers = 0;
      worker.once('error', reject);
      const send = (): void => {
        outbox.add(1, 0, 0, 0, 0, undefined, 1, answers, 0, 0, [], String);
        if (outbox.publish()) outbox.wakeReceiver();
      };
      const take = (answer: unknown): void => {
        if (answer !== answers++) reject(new Error(`${String(answer)} is not the answer`));
      };
      const inbox = new Inbox(
        back,
        port1,
        testDeps,
        (_k, _s, _a, _t, _e, _c, _n, a) => take(a),
        () => run(),
      );
      const isEmpty = (): boolean => inbox.isEmpty();
      const run = (): void => {
        sleeper.markAwake();
        for (;;) {
          if (inbox.drain(1) === 1) {
            if (answers === count) break;
            send();
          }
          if (answers % 4 === 0 ? sleeper.sleep(isEmpty) : !sleeper.waitForWork(isEmpty, answers % 8 > 4)) return;
        }
        resolve();
      };
      send();
      run();
    });
    port1.close();
    await worker.terminate();
  });

  it('the published messages of a killed worker are intact, and there are no others', async () => {
    for (let round = 0; round < 6; round++) {
      const ring = createRing(2 ** 16);
      const [mine, theirs] = [createBell(), createBell()];
      const { port1, port2 } = new MessageChannel();
      const parts = { out: ring, inward: createRing(256), port: port2, mine, theirs, count: 0, seed: 1, otherSeed: 0 };
      const worker = startPeer({ role: 'flood', ...parts });
      let expected = 0;
      const inbox = new Inbox(ring, port1, testDeps, (_k, turn, n, _t, _e, _c, _n, value) => {
        const right = { turn: expected - (expected % 10), n: expected % 10, text: 'x'.repeat((expected % 10) * 30) };
        if (turn !== right.turn || n !== right.n || !isDeepStrictEqual(value, right)) expect(value).toEqual(right);
        expected++;
      });
      while (inbox.taken < 2000 + round * 37) {
        if (inbox.drain(100) === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      const ended = worker.terminate();
      while (inbox.drain(7) > 0);
      await ended;
      while (inbox.drain(7) > 0);
      // While there is room, turns are published as a whole.
      expect(inbox.isEmpty()).toBe(true);
      expect(inbox.taken).toBe(expected);
      port1.close();
    }
  });
});
