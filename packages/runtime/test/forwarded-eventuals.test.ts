// A call that is suppressed in a re-execution forwards the eventuals in its values as the recorded call did.
import { types } from 'node:util';
import { createRealm, Eventual } from '@turntable/core';
import { expect, it } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { destinationOf } from '../src/messaging/answer/awaited-answers.ts';
import {
  PASSED_EVENTUAL,
  PipelinedCall,
  ReplyForward,
  WorkerForward,
} from '../src/messaging/answer/forward-targets.ts';
import { ForwardedEventuals } from '../src/messaging/send/forwarded-eventuals.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';

const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
const scheduler = new Scheduler(realm, { types, queueMicrotask() {}, setImmediate() {}, now: () => 0 });
const createEventual = (): Eventual => {
  const eventual = scheduler.settledEventual() as unknown as Eventual;
  expect(Eventual.is(eventual)).toBe(true);
  return eventual;
};

/** The forwards of a call with these values, as the runtime would do them. */
function reapplied(
  recordedValues: readonly unknown[],
  forwards: readonly (readonly [object, object])[],
  values: readonly unknown[],
): unknown[] {
  const calls: unknown[] = [];
  const eventuals = { forward: (eventual: object, target: object) => void calls.push([eventual, target]) };
  const deps = { realm: { parts: { eventuals, brands: realm.parts.brands } }, types } as never;
  const recorded = new ForwardedEventuals(deps, recordedValues);
  for (const forward of forwards) recorded.addForward(...forward);
  const { effect } = recorded;
  if (effect === undefined) return ['no effect'];
  new ForwardedEventuals(deps, values).reapply(effect);
  return calls;
}

const target = new WorkerForward({ peer: new ActorCell(2, 2, 'worker 2'), isOpen: true }, 7);

it('an eventual is found again at its place in the values', () => {
  const [a, b, x, y] = [createEventual(), createEventual(), createEventual(), createEventual()];
  const places: readonly ((first: unknown, second: unknown) => readonly unknown[])[] = [
    (first, second) => [first, second],
    (first, second) => [{ deep: [first] }, second],
    (first, second) => [new Map([[first, { second }]])],
    (first, second) => [new Set([1, first, second])],
    (first, second) => [Object.assign(new Error('x'), { first, second })],
    (first, second) => [{ __proto__: null, first, second }],
    (first, second) => [new PipelinedCall('get', [first, second], undefined, undefined)],
  ];
  for (const valuesOf of places) {
    expect(reapplied(valuesOf(a, b), [[a, target]], valuesOf(x, y))).toEqual([[x, target]]);
    expect(reapplied(valuesOf(a, b), [[b, target]], valuesOf(x, y))).toEqual([[y, target]]);
  }
  expect(reapplied([a], [], [x])).toEqual(['no effect']);
  expect(reapplied([a], [[b, target]], [x])).toEqual([]);
  expect(reapplied([a, b], [[b, target]], [x])).toEqual([]);
});

it('an eventual is not looked for in objects that messages do not copy', () => {
  const [a, x] = [createEventual(), createEventual()];
  class Own {
    field = a;
  }
  const getter = Object.defineProperty({}, 'value', {
    enumerable: true,
    get: () => {
      throw new Error('called');
    },
  });
  for (const hidden of [new Own(), new Proxy({ a }, {}), getter, () => a])
    expect(reapplied([hidden], [[a, target]], [x])).toEqual([]);
  const cycle: unknown[] = [];
  cycle.push(cycle, a);
  expect(reapplied([cycle], [[a, target]], [[[], x]])).toEqual([[x, target]]);
});

it('a message to an eventual gets the current eventuals in its arguments', () => {
  const [a, b, x, y] = [createEventual(), createEventual(), createEventual(), createEventual()];
  const message = new PipelinedCall('add', [b, { list: [a, 5] }], undefined, undefined);
  const [[eventual, copy] = []] = reapplied(
    [a, message],
    [[a, message]],
    [x, new PipelinedCall('add', [y, { list: [x, 5] }], undefined, undefined)],
  ) as [Eventual, PipelinedCall][];
  expect(eventual).toBe(x);
  expect(copy).toBeInstanceOf(PipelinedCall);
  expect(copy?.call).toBe('add');
  expect(copy?.args[0]).toBe(y);
  const { list } = (copy as PipelinedCall).args[1] as { readonly list: readonly unknown[] };
  expect([list[0] === x, list[1]]).toEqual([true, 5]);
});

it('the destination of an outcome is an actor, a worker or a message', () => {
  const [owner, asker] = [new ActorCell(64, 0, 'Cart#1'), new ActorCell(128, 0, 'Shop#2')];
  expect(destinationOf(new ReplyForward(owner, asker, 7, 'get'))).toEqual({
    to: 'asker',
    asker,
    owner,
    call: 'get',
    replyTo: 7,
  });
  expect(destinationOf(new ReplyForward(owner, asker, undefined, PASSED_EVENTUAL))).toMatchObject({
    call: undefined,
    replyTo: undefined,
  });
  expect(destinationOf(target)).toEqual({ to: 'worker', worker: 2 });
  expect(destinationOf(new PipelinedCall('add', [], undefined, undefined))).toEqual({
    to: 'message',
    call: 'add',
    replyTo: undefined,
  });
  expect(destinationOf({})).toBeUndefined();
});
