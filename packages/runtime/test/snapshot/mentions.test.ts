// Actors that snapshots and messages mention: each is found once, and written once.
import { createRealm, type Eventual } from '@turntable/core';
import { types } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ActorCell, ENDED_EPOCH, ORDINALS_PER_EPOCH } from '../../src/actors/actor-cell.ts';
import { FarReference, type FarReferenceClass } from '../../src/references/far-reference.ts';
import { DeferredReferences } from '../../src/snapshot/deferred-references.ts';
import { ExpectedActors } from '../../src/snapshot/expected-actors.ts';
import { createEndedActor, MentionedActors } from '../../src/snapshot/mentioned-actors.ts';
import { SnapshotTrigger, triggerSnapshots, type SnapshotInterval } from '../../src/snapshot/snapshot-trigger.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';

const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
const scheduler = new Scheduler(realm, { types, queueMicrotask() {}, setImmediate() {}, now: () => 0 });
/** The class of references to `Cart`s. */
const type = (() => {
  class Cart {}
  const ref = scheduler.actorApi.spawn(Cart as never, [], 0);
  return Object.getPrototypeOf(ref).constructor as FarReferenceClass;
})();
const createActor = (id: number, worker = 1): ActorCell => new ActorCell(id, worker, `Cart#${id}`);
const refTo = (actor: ActorCell, exportId = 0): FarReference => new type(actor, exportId, undefined);

describe('a mentioned actor', () => {
  const create = ({
    epoch = 0,
    knownActors = [] as readonly ActorCell[],
    ended = [] as readonly number[],
  } = {}): MentionedActors =>
    new MentionedActors({
      worker: 1,
      epoch,
      knownActors,
      isEnded: (id, ofEpoch) => ended.includes(id) && ofEpoch === 0,
    });

  it('is the known one, or a new one with the name of its class', () => {
    const known = createActor(64);
    const actors = create({ knownActors: [known] });
    expect(actors.actor(64, 1, 0)).toBe(known);
    const other = actors.actor(3 * 64 + 2, 2, 5, 'Cart');
    expect(other).toMatchObject({ id: 194, worker: 2, epoch: 5, name: 'Cart#3@2' });
    expect(actors.actor(194, 2, 5)).toBe(other);
    expect(actors.actor(194, 2, 4)).toBe(other);
    expect(actors.actor(128, 1, 0).name).toBe('actor#2');
    expect(actors.ownActors.map(({ id }) => id)).toEqual([64, 128]);
  });

  it('of a later epoch replaces one of an earlier epoch', () => {
    const actors = create();
    const earlier = actors.actor(130, 2, 1);
    const later = actors.actor(130, 2, 2);
    expect(later).not.toBe(earlier);
    expect(actors.actor(130, 2, 2)).toBe(later);
  });

  it('of an epoch that has ended stands for its worker', () => {
    const actors = create({ ended: [130] });
    const ended = actors.actor(130, 2, 0, 'Cart');
    expect(ended).toMatchObject({ id: 130, worker: 2, epoch: ENDED_EPOCH, name: 'worker 2' });
    expect(ended).toEqual(createEndedActor(130, 2));
    expect(actors.actor(130, 2, 1, 'Cart').name).toBe('Cart#2@2');
  });

  it('of this worker has its root reference', () => {
    const actors = create();
    const [root, lent, foreign] = [
      actors.reference(type, 64, 1, 0, 0),
      actors.reference(type, 64, 1, 0, 5),
      actors.reference(type, 130, 2, 0, 0),
    ];
    const actor = FarReference.actorOf(root);
    expect(actor).toBe(actors.actor(64, 1, 0));
    expect(actors.rootReferenceOf(actor)).toBe(root);
    expect([FarReference.actorOf(lent), FarReference.exportIdOf(lent)]).toEqual([actor, 5]);
    expect(actors.rootReferenceOf(FarReference.actorOf(foreign))).toBeUndefined();
    expect(actor.failure).toBeUndefined();
  });

  it('no longer has what it lent in an earlier epoch', () => {
    const actors = create({ epoch: 2 });
    const failureOf = (worker: number, exportId: number): string | undefined =>
      FarReference.actorOf(actors.reference(type, 64 + worker, worker, 0, exportId)).failure?.message;
    const last = 2 * ORDINALS_PER_EPOCH;
    expect(failureOf(1, last)).toBe(
      'this object, a Cart, belonged to an earlier epoch of actor 1@1: its worker has ended since',
    );
    expect(failureOf(1, 1)).toContain('belonged to an earlier epoch');
    expect([failureOf(1, last + 1), failureOf(1, 0), failureOf(2, 1)]).toEqual([undefined, undefined, undefined]);
  });
});

describe('an expected actor', () => {
  const [a, b, c] = [64, 128, 192].map((id) => createActor(id)) as [ActorCell, ActorCell, ActorCell];
  const create = (...actors: readonly ActorCell[]): ExpectedActors =>
    new ExpectedActors(actors.map((actor) => ({ actor })) as never);
  const idsOf = (expected: ExpectedActors, id: number, args: unknown): number[] =>
    expected.mentionedBy({ id, args: args as never }).map(({ actor }) => actor.id);

  it('is in the first message that mentions it: in its arguments, or as its recipient', () => {
    const expected = create(a, b, c);
    expect(idsOf(expected, a.id, [refTo(b), refTo(a)])).toEqual([b.id, a.id]);
    expect(idsOf(expected, a.id, [refTo(b), refTo(a)])).toEqual([]);
    expect(idsOf(expected, 7, [])).toEqual([]);
    expect(idsOf(expected, c.id, [])).toEqual([c.id]);
    expect(idsOf(expected, c.id, [refTo(c)])).toEqual([]);
  });

  it('is found in objects, maps and sets, through cycles, and without calling getters', () => {
    const cycle: Record<string, unknown> = { bytes: new Uint8Array(9), text: 'x', none: null };
    cycle['self'] = cycle;
    Object.defineProperty(cycle, 'getter', {
      get: () => {
        throw new Error('called');
      },
    });
    cycle['deep'] = {
      list: [
        new Map<unknown, unknown>([
          [refTo(a), 1],
          [2, { value: refTo(b) }],
        ]),
      ],
      set: new Set([refTo(c)]),
    };
    expect(idsOf(create(a, b, c), 7, [cycle])).toEqual([a.id, b.id, c.id]);
    expect(idsOf(create(a), 7, [{ [Symbol('key')]: refTo(a) }])).toEqual([a.id]);
    expect(idsOf(create(a), 7, [Object.assign(new Map(), { extra: refTo(a) })])).toEqual([a.id]);
    expect(idsOf(create(a), 7, [Object.assign(new Uint8Array(1), { extra: refTo(a) })])).toEqual([]);
  });
});

describe('deferred parts', () => {
  const create = (...written: ActorCell[]): { deferred: DeferredReferences; written: Set<ActorCell> } => {
    const set = new Set(written);
    return { deferred: new DeferredReferences(1, (actor) => set.has(actor)), written: set };
  };
  const eventual = (): Eventual => ({}) as Eventual;
  const [a, b, foreign] = [createActor(64), createActor(128), createActor(130, 2)];

  it('are actors of this worker that are mentioned and not written', () => {
    const { deferred, written } = create(b);
    for (const actor of [a, a, b, foreign]) deferred.mentionActor(actor);
    expect([deferred.nextUnwritten(), deferred.nextUnwritten()]).toEqual([a, undefined]);
    deferred.mentionActor(a);
    expect(deferred.nextUnwritten()).toBeUndefined();
    const later = createActor(192);
    deferred.mentionActor(later);
    written.add(later);
    expect(deferred.nextUnwritten()).toBeUndefined();
  });

  it('are references to what an actor of this worker has lent, each once', () => {
    const { deferred } = create();
    const [lent, other] = [refTo(a, 3), refTo(a, 4)];
    for (const ref of [refTo(a), lent, lent, other, refTo(foreign, 5)]) deferred.mentionReference(ref);
    expect(deferred.nextUnwritten()).toBe(a);
    expect(deferred.takeDeferred(a)).toEqual({ lent: [lent, other], eventuals: [] });
    expect([deferred.takeDeferred(a), deferred.takeDeferred(foreign)]).toEqual([undefined, undefined]);
    deferred.mentionReference(lent);
    expect(deferred.takeDeferred(a)).toBeUndefined();
  });

  it('are eventuals with their tickets, each once', () => {
    const { deferred } = create();
    const [first, second] = [eventual(), eventual()];
    expect([deferred.ticketOf(first, a), deferred.ticketOf(second, b), deferred.ticketOf(first, a)]).toEqual([1, 2, 1]);
    expect(deferred.takeDeferred(a)).toEqual({ lent: [], eventuals: [1, first] });
    expect(deferred.takeDeferred(b)).toEqual({ lent: [], eventuals: [2, second] });
    expect([deferred.nextUnwritten(), deferred.nextUnwritten()]).toEqual([b, a]);
  });

  it('of a written actor must be written again', () => {
    const { deferred, written } = create(a);
    expect(deferred.nextWrittenWithDeferred()).toBeUndefined();
    deferred.mentionReference(refTo(a, 3));
    deferred.ticketOf(eventual(), b);
    expect([deferred.nextWrittenWithDeferred(), deferred.nextWrittenWithDeferred()]).toEqual([a, a]);
    deferred.takeDeferred(a);
    expect(deferred.nextWrittenWithDeferred()).toBeUndefined();
    written.add(b);
    deferred.ticketOf(eventual(), b);
    expect(deferred.nextWrittenWithDeferred()).toBe(b);
    expect(deferred.takeDeferred(b)?.eventuals).toHaveLength(4);
  });
});

describe('a snapshot', () => {
  const createTrigger = (interval: SnapshotInterval) => {
    let turns = 10;
    let due = 0;
    const trigger = new SnapshotTrigger(
      interval,
      () => turns,
      () => due++,
    );
    return {
      trigger,
      handle(count: number): number {
        turns += count;
        trigger.check();
        return due;
      },
      request(count: number): number {
        for (let i = 0; i < count; i++) trigger.onRequest();
        return due;
      },
    };
  };

  it('is due after a number of turns, once until it begins', () => {
    const { trigger, handle, request } = createTrigger({ turns: 5 });
    expect([handle(4), handle(1), handle(100), request(100)]).toEqual([0, 1, 1, 1]);
    trigger.reset();
    expect([handle(4), handle(1)]).toEqual([1, 2]);
  });

  it('is due after a number of requests, once until it begins', () => {
    const { trigger, handle, request } = createTrigger({ requests: 3 });
    expect([request(2), handle(100), request(1), request(9)]).toEqual([0, 0, 1, 1]);
    trigger.reset();
    expect([request(2), request(1)]).toEqual([1, 2]);
  });

  it('is due after either, whichever is first', () => {
    const { trigger, handle, request } = createTrigger({ turns: 5, requests: 3 });
    expect([request(2), handle(5), request(1)]).toEqual([0, 1, 1]);
    trigger.reset();
    expect([handle(4), request(3), handle(9)]).toEqual([1, 2, 2]);
  });

  it('counts requests only if they matter, and none without snapshots', () => {
    const subscribed = (interval: SnapshotInterval, hasSnapshots = true): unknown[] => {
      const calls: unknown[] = [];
      const onRequest = (): void => undefined;
      const callback = (): void => undefined;
      const snapshots = {
        onDue: (...args: unknown[]) => (calls.push(args[0] === interval && args[1] === callback), onRequest),
      };
      triggerSnapshots(
        { snapshots: hasSnapshots ? snapshots : undefined },
        { onRequest: (listener) => void calls.push(listener === onRequest ? 'requests' : 'another') },
        interval,
        callback,
      );
      return calls;
    };
    expect(subscribed({ turns: 1 })).toEqual([true]);
    expect(subscribed({ requests: 1 })).toEqual([true, 'requests']);
    expect(subscribed({ requests: 1 }, false)).toEqual([]);
  });
});
