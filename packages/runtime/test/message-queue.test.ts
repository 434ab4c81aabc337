import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageQueue, type Recipient } from '../src/messaging/message-queue.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Actor extends Recipient {
  readonly id: number;
}

function actor(id: number): Actor {
  return { id, waiting: 0, mailbox: undefined, parked: undefined, isParked: false, isHeld: false };
}

type Delivered = [id: number, call: unknown, replyTo: unknown, args: unknown[]];

function createRecordingQueue(): { queue: MessageQueue<Actor>; delivered: Delivered[] } {
  const delivered: Delivered[] = [];
  const queue = new MessageQueue<Actor>({
    deliverTell({ id }, call, count, a, b, c) {
      delivered.push([id, Number(call), undefined, [a, b, c].slice(0, count)]);
    },
    deliver({ id }, _target, call, replyTo, _sender, count, a, b, c, many) {
      delivered.push([id, call, replyTo, count > 3 ? [...many] : [a, b, c].slice(0, count)]);
    },
  });
  return { queue, delivered };
}

function createQueue(onMessage: (to: Actor, call: unknown) => void): MessageQueue<Actor> {
  return new MessageQueue<Actor>({ deliverTell: onMessage, deliver: (to, _target, call) => onMessage(to, call) });
}

function send(queue: MessageQueue<Actor>, to: Actor, call: unknown, args: unknown[], replyTo?: unknown): void {
  if (replyTo === undefined && args.length <= 3) queue.tell(to, String(call), args.length, args[0], args[1], args[2]);
  else if (args.length > 3) queue.addMany(to, to, undefined, call, replyTo, args);
  else queue.add(to, to, undefined, call, replyTo, args.length, args[0], args[1], args[2]);
}

describe('message queue', () => {
  it('delivers outcomes and signals in order and shows them to an observer', () => {
    const { queue, delivered } = createRecordingQueue();
    const seen: [number, number | undefined][] = [];
    queue.observe((recipient, sender) => seen.push([recipient.id, sender?.id]));
    const [one, two] = [actor(1), actor(2)];
    queue.add(one, two, undefined, 'call', 'question', 1, 'argument', undefined, undefined);
    queue.addOutcome(two, one, 'fulfil', 'question', 'answer');
    queue.addSignal(one, two, undefined, 'stop');
    expect([one.waiting, two.waiting]).toEqual([1, 2]);
    queue.run(10);
    expect(delivered).toEqual([
      [2, 'call', 'question', ['argument']],
      [1, 'fulfil', 'question', ['answer']],
      [2, 'stop', undefined, []],
    ]);
    expect(seen).toEqual([
      [2, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  it('reports exactly the messages that waited when it was sealed, each before it is taken', () => {
    const step = fc.record({
      to: fc.nat(3),
      times: fc.oneof(
        { weight: 6, arbitrary: fc.nat(200) },
        { weight: 1, arbitrary: fc.integer({ min: 1000, max: 3000 }) },
      ),
      args: fc.nat(5),
      run: fc.nat(1500),
      hold: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 2, maxLength: 12 }),
        fc.nat(11),
        fc.nat(8),
        (steps, sealedAt, leisure) => {
          const tells: number[] = [];
          const waited = new Set<number>();
          const early: number[] = [];
          const taken = (call: unknown): void => {
            if (waited.has(Number(call)) && !tells.includes(Number(call))) early.push(Number(call));
          };
          const queue = createQueue((_, call) => taken(call));
          const actors = Array.from({ length: 4 }, (_, id) => actor(id));
          const places: string[] = [];
          let sent = 0;
          steps.forEach(({ to, times, args, run, hold }, i) => {
            const actor = actors[to] as Actor;
            const list = Array.from({ length: args }, () => 0);
            for (let n = 0; n < times; n++) send(queue, actor, sent++, list, args > 2 ? n : undefined);
            if (hold) queue.hold(actor);
            else queue.release(actor);
            let sealed: { advance(): boolean } | undefined;
            if (i === sealedAt % steps.length) {
              const { shared, perRecipient } = queue.getState();
              const everywhere = [
                shared,
                ...perRecipient.flatMap(({ mailbox = [], parked = [] }) => [mailbox, parked]),
              ].flat();
              for (const entry of everywhere)
                if (entry.kind === 'tell' || entry.kind === 'send') waited.add(Number(entry.call));
              sealed = queue.seal((entries, where, recipient) => {
                places.push(`${where} ${recipient?.id}`);
                for (const entry of entries)
                  if (entry.kind === 'tell' || entry.kind === 'send') tells.push(Number(entry.call));
              });
              for (let n = 0; n < leisure; n++) sealed.advance();
            }
            queue.run(run);
          });
          for (const each of actors) queue.release(each);
          queue.run(Infinity);
          expect(early).toEqual([]);
          expect(tells.toSorted((a, b) => a - b)).toEqual([...waited].toSorted((a, b) => a - b));
          expect(places).toContain('shared undefined');
        },
      ),
      { numRuns: 100 },
    );
  });

  it('delivers each message once and unchanged, in send order for each actor', () => {
    const message = fc.record({
      to: fc.nat(4),
      args: fc.array(fc.oneof(fc.integer(), fc.constant(undefined)), { maxLength: 9 }),
      asks: fc.boolean(),
      times: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 900, max: 2500 }) },
      ),
      run: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3000 })),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
        const { queue, delivered } = createRecordingQueue();
        const actors = Array.from({ length: 5 }, (_, id) => actor(id));
        const sent: Delivered[] = [];
        for (const { to, args, asks, times, run } of messages) {
          for (let i = 0; i < times; i++) {
            const replyTo = asks ? i : undefined;
            send(queue, actors[to] as Actor, sent.length, args, replyTo);
            sent.push([to, sent.length, replyTo, args]);
          }
          if (run > 0) queue.run(run);
          // The state can be restored.
          if (asks) queue.setState(queue.getState());
          expect(queue.size).toBe(sent.length - delivered.length);
        }
        expect(queue.run(Infinity)).toBe(false);
        expect(delivered.length).toBe(sent.length);
        for (const { id, waiting, mailbox } of actors) {
          expect(delivered.filter(([to]) => to === id)).toEqual(sent.filter(([to]) => to === id));
          expect([waiting, mailbox]).toEqual([0, undefined]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('delivers in the order of all sends while no actor is crowded', () => {
    const { queue, delivered } = createRecordingQueue();
    const [a, b] = [actor(1), actor(2)];
    for (let i = 0; i < 1000; i++) send(queue, i % 3 === 0 ? a : b, i, [i]);
    queue.run(Infinity);
    expect(delivered.map(([, call]) => call)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });

  it('does not delay other actors when one is flooded', () => {
    const { queue, delivered } = createRecordingQueue();
    const [flooded, other] = [actor(1), actor(2)];
    for (let i = 0; i < 100_000; i++) send(queue, flooded, i, []);
    send(queue, other, 'hello', []);
    while (!delivered.some(([id]) => id === 2)) queue.run(1);
    expect(delivered.length).toBeLessThan(2000);
    queue.run(Infinity);
    expect(delivered.filter(([id]) => id === 1).map(([, call]) => call)).toEqual(
      Array.from({ length: 100_000 }, (_, i) => i),
    );
  });

  it('accepts messages while one is delivered, also for a crowded actor', () => {
    const seen: number[] = [];
    const one = actor(1);
    const queue = createQueue((to, call) => {
      const n = call as number;
      seen.push(n);
      if (n < 5000)
        for (const next of [2 * n + 1, 2 * n + 2])
          queue.add(to, to, undefined, next, undefined, 0, undefined, undefined, undefined);
    });
    queue.add(one, one, undefined, 0, undefined, 0, undefined, undefined, undefined);
    while (queue.run(7));
    expect(seen).toEqual(Array.from({ length: 10_001 }, (_, i) => i));
  });

  it('keeps the other messages when a delivery throws', () => {
    const seen: unknown[] = [];
    const queue = createQueue((_to, call) => {
      seen.push(call);
      if (call === 'b') throw new Error('no');
    });
    const one = actor(1);
    for (const call of ['a', 'b', 'c']) send(queue, one, call, []);
    expect(() => queue.run(Infinity)).toThrow('no');
    expect([queue.size, one.waiting]).toEqual([1, 1]);
    queue.run(Infinity);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('does not retain delivered messages', async () => {
    const { queue, delivered } = createRecordingQueue();
    const refs: WeakRef<object>[] = [];
    const made = (): object => {
      const object = {};
      refs.push(new WeakRef(object));
      return object;
    };
    const sendMany = (count: number, asks: boolean): void =>
      send(queue, actor(count), asks ? made() : 1, Array.from({ length: count }, made), asks ? made() : undefined);
    for (const count of [0, 1, 2, 3, 5, 600, 1]) {
      sendMany(count, true);
      sendMany(count, false);
    }
    queue.run(Infinity);
    delivered.length = 0;
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBe(0);
    expect(queue.size).toBe(0);
  });
});

describe('held actor', () => {
  const operation = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        what: fc.constant('send' as const),
        to: fc.nat(2),
        times: fc.constantFrom(1, 2, 70, 1200),
        asks: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constant('run' as const),
        to: fc.constant(0),
        times: fc.constantFrom(1, 5, 64, 500),
        asks: fc.constant(false),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constantFrom('hold' as const, 'letGo' as const),
        to: fc.nat(2),
        times: fc.constant(1),
        asks: fc.constant(false),
      }),
    },
  );

  it('can be held and released during a delivery, and receives the rest in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(70, 1200, 3), { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom('', 'hold', 'hold and release', 'release'), { minLength: 1, maxLength: 30 }),
        (times, within) => {
          const delivered: unknown[] = [];
          const one = actor(0);
          const other = actor(1);
          const deliver = (to: Actor, call: unknown): void => {
            if (to !== one) return queue.release(one);
            const what = within[delivered.length % within.length] as string;
            delivered.push(Number(call));
            if (what.startsWith('hold')) queue.hold(one);
            if (what.endsWith('release')) queue.release(one);
            return undefined;
          };
          const queue = new MessageQueue<Actor>({
            deliverTell: (to, call) => deliver(to, call),
            deliver: (to, _target, call) => deliver(to, call),
          });
          let sent = 0;
          for (const each of times) {
            for (let i = 0; i < each; i++) send(queue, one, sent++, []);
            send(queue, other, 'release', []);
            queue.run(50);
          }
          while (delivered.length < sent) {
            queue.release(one);
            while (queue.run(100));
          }
          expect(delivered).toEqual(Array.from({ length: sent }, (_, i) => i));
          expect(queue.size).toBe(0);
          expect(queue.run(1)).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('receives nothing until it is released, then everything in send order, and delays no other actor', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const { queue, delivered } = createRecordingQueue();
        const actors = [0, 1, 2].map(actor);
        const sent: number[] = [0, 0, 0];
        for (const { what, to, times, asks } of operations) {
          const recipient = actors[to] as Actor;
          if (times === 2) queue.setState(queue.getState());
          if (what === 'hold') queue.hold(recipient);
          else if (what === 'letGo') queue.release(recipient);
          else if (what === 'send') {
            for (let i = 0; i < times; i++) send(queue, recipient, (sent[to] as number)++, [], asks ? true : undefined);
          } else {
            const before = delivered.length;
            queue.run(times);
            expect(delivered.slice(before).filter(([id]) => actors[id]?.isHeld)).toEqual([]);
          }
        }
        while (queue.run(100));
        expect(actors.filter(({ isHeld, waiting }) => !isHeld && waiting > 0)).toEqual([]);
        for (const each of actors) queue.release(each);
        while (queue.run(100));
        expect(queue.size).toBe(0);
        for (const { id } of actors) {
          const numbers = delivered.filter(([to]) => to === id).map(([, call]) => call);
          expect(numbers).toEqual(Array.from({ length: sent[id] as number }, (_, i) => i));
        }
      }),
      { numRuns: 300 },
    );
  });
});
