// Rules of the protocol, each disabled in the real code in turn. A clean result for the complete code is evidence only
// because each of these is detected.
import { InboundDispatcher } from '../../../packages/runtime/src/messaging/receive/inbound-dispatcher.ts';
import { Link } from '../../../packages/runtime/src/messaging/link.ts';
import { WorkerLinks } from '../../../packages/runtime/src/messaging/worker-links.ts';
import { References } from '../../../packages/runtime/src/references/references.ts';
import { DeferredReferences } from '../../../packages/runtime/src/snapshot/deferred-references.ts';
import { WorkerSnapshots } from '../../../packages/runtime/src/snapshot/worker-snapshots.ts';
import { WorkerSnapshot } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { PendingActors } from '../../../packages/runtime/src/actors/pending-actors.ts';

/** Replaces a method or getter. Returns a function that restores it. */
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

/** Rules for a part that is restored beside living workers. */
export const brokenReviveRules: Readonly<Record<string, () => () => void>> = {
  'claimed references are not counted': () => replaceMember(References.prototype, 'claim', nothing),
  'references held by the lost worker are released before they are claimed': () =>
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
  'no worker announces the end of its claims': () => replaceMember(WorkerLinks.prototype, 'endClaims', nothing),
  'an actor spawned on the same worker is not restored with its creator': () =>
    replaceMember(InboundDispatcher.prototype, 'settleSpawnedHere', nothing),
};

export const brokenRules: Readonly<Record<string, () => () => void>> = {
  'an actor is not written before it changes': () => replaceMember(WorkerSnapshots.prototype, 'touch', nothing),
  'messages in flight are not written': () => replaceMember(WorkerSnapshots.prototype, 'messageInFlight', nothing),
  'messages in flight are written for the last snapshot only': () => {
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
  'a snapshot is completed without all markers': () =>
    replaceMember(WorkerSnapshot.prototype, 'isIncomplete', () => () => false),
  'no marker is sent': () => replaceMember(WorkerLinks.prototype, 'sendMarkers', nothing),
  'deferred objects are not written': () =>
    replaceMember(
      DeferredReferences.prototype,
      'takeDeferred',
      (original: DeferredReferences['takeDeferred']) =>
        function (this: DeferredReferences, actor: Parameters<DeferredReferences['takeDeferred']>[0]) {
          // Forgets them: otherwise they would be requested forever.
          Reflect.apply(original, this, [actor]);
          return undefined;
        },
    ),
  'deferred objects of actors already written are not written': () =>
    replaceMember(DeferredReferences.prototype, 'nextWrittenWithDeferred', nothing),
  'mentioned actors are not written': () => replaceMember(DeferredReferences.prototype, 'mentionActor', nothing),
  'actors born after the cut are in the snapshot': () =>
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
  'unborn actors are not expected after a restore': () => replaceMember(WorkerLinks.prototype, 'expectKnown', nothing),
  'references in flight are not held after a restore': () =>
    replaceMember(References.prototype, 'receiveExisting', nothing),
  'eventuals in flight are not awaited after a restore': () =>
    replaceMember(
      Link.prototype,
      'restoreReceived',
      (original: Link['restoreReceived']) =>
        function (this: Link, brought: Parameters<Link['restoreReceived']>[0]) {
          Reflect.apply(original, this, [{ ...brought, eventuals: [] }]);
        },
    ),
};
