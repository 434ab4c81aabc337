// One method, one payload, one direction, in its own process: this thread sends and a worker receives. A sample ends
// when the last message, or the last answer, has arrived. `lateness` measures the worker's timers meanwhile instead.

import { once } from 'node:events';
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { createRing } from '../../packages/runtime/src/transport/ring.ts';
import { createBell } from '../../packages/runtime/src/transport/bell.ts';
import { serveSamples } from '../harness/sample-server.ts';
import { BenchError } from '../harness/session.ts';
import { TransportEnd, type EndChannels, type WakePolicy } from './loop.ts';
import { PAYLOADS } from './payloads.ts';
import { POLICIES } from './policies.ts';

export interface TransportOrder {
  readonly method: 'postMessage' | 'arrays of 100' | 'ring';
  readonly work: 'one-way' | 'round trip' | 'lateness';
  readonly payload: string;
  readonly policy: string;
  /** Fraction of the usual number of messages. */
  readonly part: number;
}

interface WorkerOptions extends TransportOrder {
  readonly channels: EndChannels;
}

/** Messages sent per turn. */
const MESSAGES_PER_TURN = 10;
/** Turns between two polls for messages. */
const TURNS_PER_POLL = 8;
/** Limit of the bytes that wait for room in the ring. */
const MAX_SPILLED_BYTES = 2 ** 20;
const DONE = 'done';

/** Collects how late a timer of 1 ms is, each time. */
function startLateness(): number[] {
  const late: number[] = [];
  let dueAt = performance.now() + 1;
  const tick = (): void => {
    late.push(performance.now() - dueAt);
    dueAt = performance.now() + 1;
    setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  return late;
}

function receiveMessages({ method, work, policy, channels, payload, part }: WorkerOptions): void {
  const isRoundTrip = work === 'round trip';
  const expected = countOf(payload, work, part);
  const late = work === 'lateness' ? startLateness() : [];
  const { port } = channels;
  let left = expected;
  const finished = (): unknown => {
    left = expected;
    return { [DONE]: late.splice(0) };
  };
  if (method === 'ring') {
    const end: TransportEnd = new TransportEnd(
      channels,
      (kind, _s, _a, _t, _e, call, count, a) => {
        if (kind !== 1 || call !== 'add' || count === 0) throw new BenchError('TT_BENCH_RESULT', 'unexpected message');
        if (isRoundTrip) end.outbox.add(2, 0, 0, 0, 0, undefined, 1, a, 0, 0, [], String);
        else if (--left === 0) end.outbox.add(3, 0, 0, 0, 0, undefined, 1, finished(), 0, 0, [], String);
      },
      POLICIES[policy] as WakePolicy,
    );
    end.run();
    return;
  }
  const receiveOne = (message: readonly unknown[]): void => {
    if (message[0] !== 'add') throw new BenchError('TT_BENCH_RESULT', 'unexpected message');
    if (isRoundTrip) port.postMessage(message);
    else if (--left === 0) port.postMessage(finished());
  };
  port.on('message', method === 'postMessage' ? receiveOne : (list: unknown[][]) => list.forEach(receiveOne));
}

function countOf(payload: string, work: TransportOrder['work'], part: number): number {
  const { count, roundTrips } = PAYLOADS[payload]!;
  return Math.max(1, Math.round((work === 'round trip' ? roundTrips : count) * part));
}

interface Lateness {
  readonly [DONE]: readonly number[];
}

function createSender(order: TransportOrder): { run: () => Promise<Lateness | undefined>; port: MessagePort } {
  const { method, work, payload, policy, part } = order;
  const { port1, port2 } = new MessageChannel();
  const [requestRing, replyRing, ownBell, peerBell] = [createRing(), createRing(), createBell(), createBell()];
  const workerChannels = { outRing: replyRing, inRing: requestRing, port: port2, ownBell: peerBell, peerBell: ownBell };
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { ...order, channels: workerChannels } satisfies WorkerOptions,
    transferList: [port2],
    execArgv: ['-C', 'turntable-source'],
  });
  worker.on('error', (error) => {
    throw error;
  });
  const { argsOf } = PAYLOADS[payload]!;
  const count = countOf(payload, work, part);
  let finishRun: (lateness: Lateness | undefined) => void = () => {};
  let sent = count;

  if (method === 'ring') {
    const add = (i: number): void => {
      const args = argsOf(i);
      end.outbox.add(1, 1, 2, 0, 0, 'add', args.length, args[0], args[1], args[2], args, String);
    };
    const end: TransportEnd = new TransportEnd(
      { outRing: requestRing, inRing: replyRing, port: port1, ownBell, peerBell },
      (kind, _s, _a, _t, _e, _c, _n, a) => {
        if (kind === 3) finishRun(a as Lateness);
        else if (++sent < count) add(sent);
        else finishRun(undefined);
      },
      POLICIES[policy] as WakePolicy,
    );
    // A sender under back-pressure has no turns while too much waits for room.
    if (work !== 'round trip') {
      end.hasWork = () => sent < count && end.outbox.spilled < MAX_SPILLED_BYTES;
      end.work = () => {
        const before = sent;
        while (sent < before + TURNS_PER_POLL * MESSAGES_PER_TURN && end.hasWork()) {
          for (let n = 0; n < MESSAGES_PER_TURN && sent < count; n++) add(sent++);
          end.publish();
        }
        return sent > before;
      };
    }
    const run = (): Promise<Lateness | undefined> =>
      new Promise((resolve) => {
        finishRun = resolve;
        sent = 0;
        if (work === 'round trip') {
          add(0);
          end.publish();
        }
        end.run();
      });
    return { run, port: port1 };
  }

  port1.on('message', (message: Lateness) => {
    if (work !== 'round trip') finishRun(message);
    else if (++sent < count) port1.postMessage(['add', ...argsOf(sent)]);
    else finishRun(undefined);
  });
  const run = (): Promise<Lateness | undefined> =>
    new Promise((resolve) => {
      finishRun = resolve;
      sent = 0;
      if (work === 'round trip') port1.postMessage(['add', ...argsOf(0)]);
      else if (method === 'postMessage') for (let i = 0; i < count; i++) port1.postMessage(['add', ...argsOf(i)]);
      else
        for (let i = 0; i < count; i += 100) {
          const list = Array.from({ length: Math.min(100, count - i) }, (_, n) => ['add', ...argsOf(i + n)]);
          port1.postMessage(list);
        }
    });
  return { run, port: port1 };
}

if (isMainThread) {
  const order = JSON.parse(process.argv[2] ?? '') as TransportOrder;
  if (order.work === 'lateness') {
    const { run } = createSender(order);
    const late: number[] = [];
    await run();
    const deadline = performance.now() + 3000;
    while (performance.now() < deadline) late.push(...((await run()) as Lateness)[DONE]);
    late.sort((a, b) => a - b);
    process.send?.({ p99: late[Math.floor(late.length * 0.99)], ticks: late.length }, () => process.exit());
    await once(process, 'exit');
  } else {
    await serveSamples(async () => createSender(order).run);
  }
} else receiveMessages(workerData as WorkerOptions);
