// The rules of the protocol, each left out of the real code in turn: that nothing is found in the code as it is says something only because
// each of these is found.
import { InboundDispatcher } from '../../../packages/runtime/src/messaging/receive/inbound-dispatcher.ts';
import { Link } from '../../../packages/runtime/src/messaging/link.ts';
import { WorkerLinks } from '../../../packages/runtime/src/messaging/worker-links.ts';
import { References } from '../../../packages/runtime/src/references/references.ts';
import { DeferredReferences } from '../../../packages/runtime/src/snapshot/deferred-references.ts';
import { WorkerSnapshots } from '../../../packages/runtime/src/snapshot/worker-snapshots.ts';
import { WorkerSnapshot } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { PendingActors } from '../../../packages/runtime/src/actors/pending-actors.ts';

/** Puts something else in the place of a method or getter; answers how to put it back. */
function replaceMember<T extends object>(
  prototype: T,
  name: keyof T,
  replace: (original: never) => unknown,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
  const changed =
    descriptor.get === undefined
      ? { ...descriptor, value: replace(descriptor.value as never) }
      : { ...descriptor, get: replace(descriptor.get as never) as () => unknown };
  Object.defineProperty(prototype, name, changed);
  return () => void Object.defineProperty(prototype, name, descriptor);
}

const nothing = () => () => undefined;

/** Of a part that is restored beside others. */
export const brokenReviveRules: Readonly<Record<string, () => () => void>> = {
  'what is claimed is not counted': () => replaceMember(References.prototype, 'claim', nothing),
  'what the lost one had is let go of before it is claimed': () =>
    replaceMember(
      References.prototype,
      'removeWorker',
      (original: References['removeWorker']) =>
        function (
          this: References,
          worker: number,
          others: readonly number[],
          claim: Parameters<References['removeWorker']>[2],
        ) {
          const known = others.filter((other) => other !== worker);
          return Reflect.apply(original, this, [worker, known, claim]);
        },
    ),
  'nobody says that all is claimed': () => replaceMember(WorkerLinks.prototype, 'endClaims', nothing),
  'who was spawned beside another one is not restored with it': () =>
    replaceMember(InboundDispatcher.prototype, 'settleSpawnedHere', nothing),
};

export const brokenRules: Readonly<Record<string, () => () => void>> = {
  'an actor is not written before it changes': () => replaceMember(WorkerSnapshots.prototype, 'touch', nothing),
  'what was under way is not written': () => replaceMember(WorkerSnapshots.prototype, 'messageInFlight', nothing),
  'what was under way is written for the last snapshot alone': () => {
    const phases = new WeakMap<WorkerSnapshots, number>();
    const ends = [
      replaceMember(
        WorkerSnapshots.prototype,
        'cut',
        (original: WorkerSnapshots['cut']) =>
          function (this: WorkerSnapshots, phase: number) {
            phases.set(this, phase);
            return Reflect.apply(original, this, [phase]);
          },
      ),
      replaceMember(
        WorkerSnapshots.prototype,
        'messageInFlight',
        (original: WorkerSnapshots['messageInFlight']) =>
          function (this: WorkerSnapshots, sentIn: number, message: Parameters<WorkerSnapshots['messageInFlight']>[1]) {
            const last = (phases.get(this) ?? 0) - 1;
            return Reflect.apply(original, this, [Math.max(sentIn, last), message]);
          },
      ),
    ];
    return () => ends.forEach((end) => end());
  },
  'a snapshot ends without all markers': () =>
    replaceMember(WorkerSnapshot.prototype, 'isIncomplete', () => () => false),
  'no marker is sent': () => replaceMember(WorkerLinks.prototype, 'sendMarkers', nothing),
  'debts are not paid': () =>
    replaceMember(
      DeferredReferences.prototype,
      'takeDeferred',
      (original: DeferredReferences['takeDeferred']) =>
        function (this: DeferredReferences, actor: Parameters<DeferredReferences['takeDeferred']>[0]) {
          // They are forgotten: otherwise they would be asked for again and again.
          Reflect.apply(original, this, [actor]);
          return undefined;
        },
    ),
  'debts of who is written already are not paid': () =>
    replaceMember(DeferredReferences.prototype, 'nextWrittenWithDeferred', nothing),
  'who is mentioned is not written': () => replaceMember(DeferredReferences.prototype, 'mentionActor', nothing),
  'who is born after the cut is in the snapshot': () =>
    replaceMember(
      PendingActors.prototype,
      'announce',
      (original: PendingActors['announce']) =>
        function (this: PendingActors, ...args: Parameters<PendingActors['announce']>) {
          const actor = Reflect.apply(original, this, args);
          actor.writtenPhase = 0;
          return actor;
        },
    ),
  'the unborn are not expected again': () => replaceMember(WorkerLinks.prototype, 'expectKnown', nothing),
  'references under way are not held again': () => replaceMember(References.prototype, 'receiveExisting', nothing),
  'eventuals under way are not awaited again': () =>
    replaceMember(
      Link.prototype,
      'restoreReceived',
      (original: Link['restoreReceived']) =>
        function (this: Link, brought: Parameters<Link['restoreReceived']>[0]) {
          Reflect.apply(original, this, [{ ...brought, eventuals: [] }]);
        },
    ),
};
