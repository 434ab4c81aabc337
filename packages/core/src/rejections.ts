// Unhandled rejections. An eventual that is rejected without a reaction is a candidate. When the job queue has run
// empty, candidates that are still unhandled are reported to the host, as are reactions added to them later. The host
// decides on the consequences: an event, a warning, the end of the process.

import { Eventual } from './eventual.ts';
import { apply, copyOf } from './intrinsics.ts';
import type { HomeActor } from './frame.ts';
import type { Host } from './host.ts';
import type { Jobs } from './jobs.ts';

export interface Rejections {
  addRejected(eventual: Eventual): void;
  addHandled(eventual: Eventual): void;
  /** Reports candidates that are unhandled, and reactions added late. Called when the job queue is empty. */
  reportPending(): void;
  /** Reports still to come, here and in the host: unhandled rejections, and eventuals handled after their report. */
  read(): { candidates: Eventual[]; handledLate: Eventual[] };
  /** Whether any report is pending, here or in the host. */
  hasPending(): boolean;
  isReported(eventual: Eventual): boolean;
  restore(candidates: Eventual[], handledLate: Eventual[]): void;
  /** Sets a function that is offered each rejection before the host. It returns true if it takes the rejection. */
  interceptRejections(taker: (home: HomeActor, reason: unknown) => boolean): void;
  /** Marks an eventual as reported by another process. */
  markReported(eventual: Eventual): void;
  /** Sets or removes the mark of an eventual that has been reported, without a report. */
  setReported(eventual: Eventual, isReported: boolean): void;
}

const NO_REPORTS = { rejections: [], handledLate: [] };

function includes(list: readonly object[], object: object): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === object) return true;
  return false;
}

export function createRejections(host: Host, getJobs: () => Jobs, currentHome: () => HomeActor): Rejections {
  let candidates: Eventual[] = [];
  /** Home of each candidate, at the candidate's index. */
  let homes: HomeActor[] = [];
  let handledLate: Eventual[] = [];
  const reported = new WeakSet<Eventual>();
  const { has, add, delete: remove } = WeakSet.prototype;

  function addRejected(eventual: Eventual): void {
    if (host.unhandledRejection === undefined) return;
    homes[candidates.length] = currentHome();
    candidates[candidates.length] = eventual;
    getJobs().anchor();
  }

  function addHandled(eventual: Eventual): void {
    if (!apply(has, reported, [eventual])) return;
    apply(remove, reported, [eventual]);
    handledLate[handledLate.length] = eventual;
    getJobs().anchor();
  }

  function reportPending(): void {
    if (handledLate.length > 0) {
      const lateHandled = handledLate;
      handledLate = [];
      for (let i = 0; i < lateHandled.length; i++) host.rejectionHandled?.(lateHandled[i] as Eventual);
    }
    if (candidates.length === 0) return;
    const rejections = candidates;
    const rejectionHomes = homes;
    candidates = [];
    homes = [];
    for (let i = 0; i < rejections.length; i++) {
      const eventual = rejections[i] as Eventual;
      if (Eventual.isHandled(eventual)) continue;
      if (takeRejection(rejectionHomes[i] as HomeActor, Eventual.value(eventual))) continue;
      apply(add, reported, [eventual]);
      host.unhandledRejection?.(eventual, Eventual.value(eventual));
    }
  }

  function read(): { candidates: Eventual[]; handledLate: Eventual[] } {
    const pending = host.pendingReports?.() ?? NO_REPORTS;
    const unhandled: Eventual[] = [];
    const lateHandled = copyOf(pending.handledLate) as Eventual[];
    for (const list of [pending.rejections as Eventual[], candidates]) {
      for (let i = 0; i < list.length; i++) {
        const eventual = list[i] as Eventual;
        if (!Eventual.isHandled(eventual)) unhandled[unhandled.length] = eventual;
      }
    }
    // A late reaction is reported only if the program has received the rejection.
    for (let i = 0; i < handledLate.length; i++) {
      const eventual = handledLate[i] as Eventual;
      if (!includes(pending.rejections, eventual)) lateHandled[lateHandled.length] = eventual;
    }
    return { candidates: unhandled, handledLate: lateHandled };
  }

  function hasPending(): boolean {
    return candidates.length > 0 || handledLate.length > 0 || host.hasPendingReports?.() === true;
  }

  function isReported(eventual: Eventual): boolean {
    if (apply(has, reported, [eventual]) !== true) return false;
    return !includes((host.pendingReports?.() ?? NO_REPORTS).rejections, eventual);
  }

  function restore(restoredCandidates: Eventual[], lateHandled: Eventual[]): void {
    candidates = copyOf(restoredCandidates);
    homes = [];
    for (let i = 0; i < candidates.length; i++) homes[i] = currentHome();
    handledLate = copyOf(lateHandled);
    if (candidates.length > 0 || handledLate.length > 0) getJobs().anchor();
  }

  function markReported(eventual: Eventual): void {
    apply(add, reported, [eventual]);
    host.markReported?.(eventual);
  }

  function setReported(eventual: Eventual, isReported: boolean): void {
    apply(isReported ? add : remove, reported, [eventual]);
  }

  let takeRejection = (_home: HomeActor, _reason: unknown): boolean => false;

  function interceptRejections(taker: (home: HomeActor, reason: unknown) => boolean): void {
    takeRejection = taker;
  }

  return {
    interceptRejections,
    addRejected,
    addHandled,
    reportPending,
    read,
    hasPending,
    isReported,
    restore,
    markReported,
    setReported,
  };
}
