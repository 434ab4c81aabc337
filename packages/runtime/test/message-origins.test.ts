// The origin of each message is known when its turn begins, however many wait.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import type { EarlyMessage } from '../src/actors/pending-actors.ts';
import type { Link } from '../src/messaging/link.ts';
import type { MessageQueue } from '../src/messaging/message-queue.ts';
import { MessageOrigins, type MessageOrigin } from '../src/trace/message-origins.ts';

const UNKNOWN: MessageOrigin = { worker: -1, epoch: 0, number: 0 };

function createOrigins(): {
  readonly origins: MessageOrigins;
  readonly links: { worker: number; epoch: number; inbox: { taken: number }; outbox: { sent: number } }[];
  /** Sets the running task. */
  runTask(number: number | undefined): void;
  queue(recipient: ActorCell, sender?: ActorCell): void;
} {
  let task: MessageOrigin | undefined;
  let onQueued: (recipient: ActorCell, sender: ActorCell | undefined) => void = () => {};
  const links = [1, 2].map((worker) => ({ worker, epoch: worker * 10, inbox: { taken: 0 }, outbox: { sent: 0 } }));
  const messageQueue = { observe: (listener: typeof onQueued) => void (onQueued = listener) };
  const origins = new MessageOrigins(
    messageQueue as unknown as MessageQueue<ActorCell>,
    () => links as unknown as readonly Link[],
    () => task,
  );
  return {
    origins,
    links,
    runTask: (number) => void (task = number === undefined ? undefined : { worker: 0, epoch: 3, number }),
    queue(recipient, sender) {
      onQueued(recipient, sender);
      recipient.waiting++;
    },
  };
}

const takeNext = (origins: MessageOrigins, actor: ActorCell): MessageOrigin => {
  actor.waiting--;
  return origins.originOfNext(actor);
};
const createActor = (id: number): ActorCell => new ActorCell(id, 0, `Cart#${id}`);

describe('the origin of a message', () => {
  it('is the task that sent it, or its number among those of another worker', () => {
    const { origins, links, runTask, queue } = createOrigins();
    const [actor, sender] = [createActor(64), createActor(128)];
    runTask(5);
    queue(actor, sender);
    runTask(undefined);
    queue(actor);
    origins.beginMessage(2);
    links[1]!.inbox.taken = 7;
    queue(actor, sender);
    origins.endMessage();
    runTask(6);
    queue(actor, createActor(-1));
    expect(origins.sent).toBe(2);
    const expected = [
      { worker: 0, epoch: 3, number: 5 },
      UNKNOWN,
      { worker: 2, epoch: 20, number: 7 },
      { worker: 0, epoch: 3, number: 6 },
    ];
    expect(origins.waitingFor(actor)).toEqual(expected);
    expect(expected.map(() => takeNext(origins, actor))).toEqual(expected);
    expect([origins.originOfNext(actor), origins.waitingFor(actor)]).toEqual([UNKNOWN, []]);
  });

  it('is unknown for messages that waited before', () => {
    const { origins, runTask, queue } = createOrigins();
    const actor = createActor(64);
    actor.waiting = 2;
    runTask(5);
    queue(actor);
    const known = { worker: 0, epoch: 3, number: 5 };
    expect(origins.waitingFor(actor)).toEqual([UNKNOWN, UNKNOWN, known]);
    expect(takeNext(origins, actor)).toEqual(UNKNOWN);
    expect(origins.waitingFor(actor)).toEqual([UNKNOWN, known]);
    expect([takeNext(origins, actor), takeNext(origins, actor)]).toEqual([UNKNOWN, known]);
    expect(origins.waitingFor(createActor(64))).toEqual([]);
  });

  it('is kept for messages whose recipient does not exist yet', () => {
    const { origins, runTask, queue } = createOrigins();
    const actor = createActor(64);
    const [early, other] = [{}, {}] as EarlyMessage[];
    runTask(5);
    origins.holdEarly(early!);
    runTask(6);
    origins.resume(early, () => {
      queue(actor);
      origins.resume(other, () => queue(actor));
      origins.resume(undefined, () => queue(actor));
      queue(actor);
    });
    queue(actor);
    const held = { worker: 0, epoch: 3, number: 5 };
    expect(origins.waitingFor(actor)).toEqual([held, UNKNOWN, UNKNOWN, held, { ...held, number: 6 }]);
    expect(() =>
      origins.resume(early, () => {
        throw new RangeError('x');
      }),
    ).toThrow('x');
    queue(actor);
    expect(origins.waitingFor(actor).at(-1)).toEqual({ ...held, number: 6 });
  });

  it('is that of a queue for each actor, for any order of messages and turns', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1), fc.integer({ min: -400, max: 400 })), { maxLength: 12 }), (moves) => {
        const { origins, runTask, queue } = createOrigins();
        const actors = [createActor(64), createActor(128)];
        const model: number[][] = [[], []];
        let number = 0;
        for (const [index, change] of moves)
          for (let i = 0; i < Math.abs(change); i++) {
            const actor = actors[index]!;
            if (change > 0) {
              runTask(++number);
              model[index]!.push(number);
              queue(actor);
            } else if (model[index]!.length > 0) {
              expect(takeNext(origins, actor).number).toBe(model[index]!.shift());
            }
          }
        for (const [index, actor] of actors.entries())
          expect(origins.waitingFor(actor).map((each) => each.number)).toEqual(model[index]);
      }),
      { numRuns: 60 },
    );
  });
});

it('counts the messages of each link', () => {
  const { origins, links } = createOrigins();
  links[0]!.outbox.sent = 3;
  links[1]!.inbox.taken = 4;
  expect(origins.messageCounts()).toEqual([
    { worker: 1, epoch: 10, sent: 3, taken: 0 },
    { worker: 2, epoch: 20, sent: 0, taken: 4 },
  ]);
});
