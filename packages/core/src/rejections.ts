// Rejections nobody handled. An eventual rejected without a reaction is a candidate; when the job queue has run empty, those
// still unhandled are reported to the host, and a later reaction is reported too. What happens then (an event, a warning, the
// end of the process) is the host's affair.

import { Eventual } from './eventual.ts';
import { apply, copyOf } from './intrinsics.ts';
import type { Home } from './frame.ts';
import type { Host } from './host.ts';
import type { Jobs } from './jobs.ts';

export interface Rejections {
  rejected(eventual: Eventual): void;
  handled(eventual: Eventual): void;
  /** The job queue is empty: report. */
  drained(): void;
  /** Both still to be told of: rejected and perhaps unhandled, and handled after they were reported. */
  read(): { candidates: Eventual[]; handledLate: Eventual[] };
  /** Whether there is any of which the program is still to be told, or may be. */
  isAnyUntold(): boolean;
  isReported(eventual: Eventual): boolean;
  restore(candidates: Eventual[], handledLate: Eventual[]): void;
  /** Who may take a rejection before the host is told of it; what it takes, nobody else hears of. */
  divert(taker: (home: Home, reason: unknown) => boolean): void;
  /** Has been reported in another process. */
  wasReported(eventual: Eventual): void;
  /** Whether it counts as reported is what it was: nobody is told. */
  setReported(eventual: Eventual, isReported: boolean): void;
}

const NOTHING = { rejections: [], handledLate: [] };

function includes(list: readonly object[], object: object): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === object) return true;
  return false;
}

export function createRejections(host: Host, jobs: () => Jobs, home: () => Home): Rejections {
  let candidates: Eventual[] = [];
  /** Whose they are, in the same places. */
  let homes: Home[] = [];
  let handledLate: Eventual[] = [];
  const reported = new WeakSet<Eventual>();
  const { has, add, delete: remove } = WeakSet.prototype;

  function rejected(eventual: Eventual): void {
    if (host.unhandledRejection === undefined) return;
    homes[candidates.length] = home();
    candidates[candidates.length] = eventual;
    jobs().anchor();
  }

  function handled(eventual: Eventual): void {
    if (!apply(has, reported, [eventual])) return;
    apply(remove, reported, [eventual]);
    handledLate[handledLate.length] = eventual;
    jobs().anchor();
  }

  function drained(): void {
    if (handledLate.length > 0) {
      const late = handledLate;
      handledLate = [];
      for (let i = 0; i < late.length; i++) host.rejectionHandled?.(late[i] as Eventual);
    }
    if (candidates.length === 0) return;
    const rejections = candidates;
    const owners = homes;
    candidates = [];
    homes = [];
    for (let i = 0; i < rejections.length; i++) {
      const eventual = rejections[i] as Eventual;
      if (Eventual.handled(eventual)) continue;
      if (taken(owners[i] as Home, Eventual.value(eventual))) continue;
      apply(add, reported, [eventual]);
      host.unhandledRejection?.(eventual, Eventual.value(eventual));
    }
  }

  function read(): { candidates: Eventual[]; handledLate: Eventual[] } {
    const untold = host.untold?.() ?? NOTHING;
    const unhandled: Eventual[] = [];
    const late = copyOf(untold.handledLate) as Eventual[];
    for (const list of [untold.rejections as Eventual[], candidates]) {
      for (let i = 0; i < list.length; i++) {
        const eventual = list[i] as Eventual;
        if (!Eventual.handled(eventual)) unhandled[unhandled.length] = eventual;
      }
    }
    // Nobody need know that something is handled of which nobody knows that it was not.
    for (let i = 0; i < handledLate.length; i++) {
      const eventual = handledLate[i] as Eventual;
      if (!includes(untold.rejections, eventual)) late[late.length] = eventual;
    }
    return { candidates: unhandled, handledLate: late };
  }

  function isAnyUntold(): boolean {
    return candidates.length > 0 || handledLate.length > 0 || host.isAnyUntold?.() === true;
  }

  function isReported(eventual: Eventual): boolean {
    if (apply(has, reported, [eventual]) !== true) return false;
    return !includes((host.untold?.() ?? NOTHING).rejections, eventual);
  }

  function restore(unreported: Eventual[], late: Eventual[]): void {
    candidates = copyOf(unreported);
    homes = [];
    for (let i = 0; i < candidates.length; i++) homes[i] = home();
    handledLate = copyOf(late);
    if (candidates.length > 0 || handledLate.length > 0) jobs().anchor();
  }

  function wasReported(eventual: Eventual): void {
    apply(add, reported, [eventual]);
    host.reportedBefore?.(eventual);
  }

  function setReported(eventual: Eventual, wasOnce: boolean): void {
    apply(wasOnce ? add : remove, reported, [eventual]);
  }

  let taken = (_home: Home, _reason: unknown): boolean => false;

  function divert(taker: (home: Home, reason: unknown) => boolean): void {
    taken = taker;
  }

  return { divert, rejected, handled, drained, read, isAnyUntold, isReported, restore, wasReported, setReported };
}
