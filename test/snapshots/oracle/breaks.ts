// The rules of the protocol, each left out of the real code in turn: that nothing is found in the code as it is says something only because
// each of these is found.
import { Arrivals } from '../../../packages/runtime/src/messaging/receive/arrivals.ts';
import { Link } from '../../../packages/runtime/src/messaging/link.ts';
import { Neighbours } from '../../../packages/runtime/src/messaging/neighbours.ts';
import { References } from '../../../packages/runtime/src/references/references.ts';
import { Debts } from '../../../packages/runtime/src/snapshot/debts.ts';
import { Snapshots } from '../../../packages/runtime/src/snapshot/snapshots.ts';
import { WorkerSnapshot } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { Unborn } from '../../../packages/runtime/src/actors/unborn.ts';

/** Puts something else in the place of a method or getter; answers how to put it back. */
function instead<T extends object>(prototype: T, name: keyof T, make: (own: never) => unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
  const changed =
    descriptor.get === undefined
      ? { ...descriptor, value: make(descriptor.value as never) }
      : { ...descriptor, get: make(descriptor.get as never) as () => unknown };
  Object.defineProperty(prototype, name, changed);
  return () => void Object.defineProperty(prototype, name, descriptor);
}

const nothing = () => () => undefined;

/** Of a part that is restored beside others. */
export const breaksOfParts: Readonly<Record<string, () => () => void>> = {
  'what is claimed is not counted': () => instead(References.prototype, 'claim', nothing),
  'what the lost one had is let go of before it is claimed': () =>
    instead(
      References.prototype,
      'lost',
      (own: References['lost']) =>
        function (
          this: References,
          worker: number,
          others: readonly number[],
          claim: Parameters<References['lost']>[2],
        ) {
          const known = others.filter((other) => other !== worker);
          return Reflect.apply(own, this, [worker, known, claim]);
        },
    ),
  'nobody says that all is claimed': () => instead(Neighbours.prototype, 'claimNoMore', nothing),
  'who was spawned beside another one is not restored with it': () =>
    instead(Arrivals.prototype, 'settleChildren', nothing),
};

export const breaks: Readonly<Record<string, () => () => void>> = {
  'an actor is not written before it changes': () => instead(Snapshots.prototype, 'touch', nothing),
  'what was under way is not written': () => instead(Snapshots.prototype, 'underWay', nothing),
  'what was under way is written for the last snapshot alone': () => {
    const phases = new WeakMap<Snapshots, number>();
    const ends = [
      instead(
        Snapshots.prototype,
        'cut',
        (own: Snapshots['cut']) =>
          function (this: Snapshots, phase: number) {
            phases.set(this, phase);
            return Reflect.apply(own, this, [phase]);
          },
      ),
      instead(
        Snapshots.prototype,
        'underWay',
        (own: Snapshots['underWay']) =>
          function (this: Snapshots, sentIn: number, message: Parameters<Snapshots['underWay']>[1]) {
            const last = (phases.get(this) ?? 0) - 1;
            return Reflect.apply(own, this, [Math.max(sentIn, last), message]);
          },
      ),
    ];
    return () => ends.forEach((end) => end());
  },
  'a snapshot ends without all markers': () => instead(WorkerSnapshot.prototype, 'isMissing', () => () => false),
  'no marker is sent': () => instead(Neighbours.prototype, 'mark', nothing),
  'debts are not paid': () =>
    instead(
      Debts.prototype,
      'settle',
      (own: Debts['settle']) =>
        function (this: Debts, actor: Parameters<Debts['settle']>[0]) {
          // They are forgotten: otherwise they would be asked for again and again.
          Reflect.apply(own, this, [actor]);
          return undefined;
        },
    ),
  'debts of who is written already are not paid': () => instead(Debts.prototype, 'nextLate', nothing),
  'who is mentioned is not written': () => instead(Debts.prototype, 'meet', nothing),
  'who is born after the cut is in the snapshot': () =>
    instead(
      Unborn.prototype,
      'announced',
      (own: Unborn['announced']) =>
        function (this: Unborn, ...args: Parameters<Unborn['announced']>) {
          const actor = Reflect.apply(own, this, args);
          actor.writtenIn = 0;
          return actor;
        },
    ),
  'the unborn are not expected again': () => instead(Neighbours.prototype, 'expectAgain', nothing),
  'references under way are not held again': () => instead(References.prototype, 'takeAgain', nothing),
  'eventuals under way are not awaited again': () =>
    instead(
      Link.prototype,
      'bringAgain',
      (own: Link['bringAgain']) =>
        function (this: Link, brought: Parameters<Link['bringAgain']>[0]) {
          Reflect.apply(own, this, [{ ...brought, eventuals: [] }]);
        },
    ),
};
