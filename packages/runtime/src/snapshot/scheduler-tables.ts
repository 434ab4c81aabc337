// Serialized form of a scheduler's tables at the cut: eventuals as tickets, links as workers, deadlines as remaining
// time.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { Deadline } from '../messaging/answer/deadlines.ts';
import type { LinkState, PendingReply } from '../messaging/link.ts';
import type { AppRequest } from '../scheduler/app-requests.ts';
import type { SchedulerState } from '../scheduler/scheduler-state.ts';
import type { TrackedReply } from '../messaging/answer/deadline-trail.ts';
import type { EarlyMessage, PendingActorState } from '../actors/pending-actors.ts';
import type { DeferredReferences } from './deferred-references.ts';
import type { RestoredWorker } from './restored-worker.ts';

/** Back-pressure of an actor that holds others, is held itself, or has parked messages. */
export type PressureState = Pick<ActorCell, 'isParked' | 'isHeld' | 'waiting'> & {
  readonly actor: ActorCell;
  readonly heldSenders: readonly ActorCell[] | undefined;
  readonly heldWorkers: readonly number[] | undefined;
};

export type SchedulerTables = Omit<SchedulerState, 'queue'> & { readonly pressureStates: readonly PressureState[] };

/** @param others actors with back-pressure in addition to those in the tables */
export function pressureStatesOf(
  { pendingActors, references }: SchedulerTables['workerLinks'],
  others: readonly ActorCell[],
): PressureState[] {
  const actors = new Set([
    ...others,
    ...pendingActors.actors.map(({ actor }) => actor),
    ...references.remoteActors.flatMap(({ actor }) => (actor.waiting > 0 ? [actor] : [])),
  ]);
  return [...actors].map((actor) => {
    const { isParked, isHeld, waiting, heldSenders, heldWorkers } = actor;
    return { actor, isParked, isHeld, waiting, heldSenders: heldSenders?.slice(), heldWorkers: heldWorkers?.slice() };
  });
}

type WithTicket<T, K extends keyof T> = Omit<T, K> & { readonly [key in K]: number };

interface SerializedTables extends Omit<SchedulerTables, 'workerLinks' | 'deadlines' | 'trackedCalls' | 'appRequests'> {
  readonly workerLinks: Omit<SchedulerTables['workerLinks'], 'links' | 'pendingActors'> & {
    readonly links: readonly (Omit<LinkState, 'pendingCalls' | 'pendingEventuals'> & {
      readonly pendingCalls: readonly (readonly [number, WithTicket<PendingReply, 'eventual'>])[];
      readonly pendingEventuals: readonly (readonly [number, WithTicket<PendingReply, 'eventual'>])[];
    })[];
    readonly pendingActors: Omit<SchedulerTables['workerLinks']['pendingActors'], 'actors'> & {
      readonly actors: readonly (Omit<PendingActorState, 'messages'> & {
        readonly messages: readonly (Omit<EarlyMessage, 'link'> & { readonly worker: number })[];
      })[];
    };
  };
  readonly deadlines: {
    readonly lastNumber: number;
    readonly waiting: readonly (WithTicket<Deadline, 'replyTo'> & { readonly leftMs: number | undefined })[];
  };
  readonly trackedCalls: readonly WithTicket<TrackedReply, 'eventual'>[];
  readonly appRequests: readonly WithTicket<AppRequest, 'eventual'>[];
}

/** @param now milliseconds since 1970 */
export function writeTables(tables: SchedulerTables, deferred: DeferredReferences, now: number): SerializedTables {
  const { workerLinks, deadlines, trackedCalls, appRequests, ...plainTables } = tables;
  const { links, pendingActors } = workerLinks;
  const withTicket = (pending: PendingReply): WithTicket<PendingReply, 'eventual'> => ({
    ...pending,
    eventual: deferred.ticketOf(pending.eventual, pending.actor),
  });
  const entryWithTicket = ([number, pending]: readonly [number, PendingReply]): readonly [
    number,
    WithTicket<PendingReply, 'eventual'>,
  ] => [number, withTicket(pending)];
  return {
    ...plainTables,
    workerLinks: {
      ...workerLinks,
      links: links.map((link) => ({
        ...link,
        pendingCalls: link.pendingCalls.map(entryWithTicket),
        pendingEventuals: link.pendingEventuals.map(entryWithTicket),
      })),
      pendingActors: {
        ...pendingActors,
        actors: pendingActors.actors.map((expected) => ({
          ...expected,
          messages: expected.messages.map(({ link, ...message }) => ({ ...message, worker: link.worker })),
        })),
      },
    },
    deadlines: {
      lastNumber: deadlines.lastNumber,
      waiting: deadlines.waiting.map((deadline) => ({
        ...deadline,
        replyTo: deferred.ticketOf(deadline.replyTo, deadline.actor),
        leftMs: deadline.untilMs === undefined ? undefined : deadline.untilMs - now,
      })),
    },
    trackedCalls: trackedCalls.map((entry) => ({ ...entry, eventual: deferred.ticketOf(entry.eventual, entry.actor) })),
    appRequests: appRequests.map((entry) => ({ ...entry, eventual: deferred.ticketOf(entry.eventual, entry.actor) })),
  };
}

/** `sentIn` returns the phase in which the next message of a link was sent. */
export function readTables(
  serialized: SerializedTables,
  restored: RestoredWorker,
  now: number,
  sentIn: (link: { readonly phase: number }) => number,
): SchedulerTables {
  const { workerLinks, deadlines, trackedCalls, appRequests } = serialized;
  const eventual = (ticket: number): Eventual => restored.resolveReplyTo(ticket, true) as Eventual;
  const entryWithEventual = ([number, pending]: readonly [number, WithTicket<PendingReply, 'eventual'>]): readonly [
    number,
    PendingReply,
  ] => [number, { ...pending, eventual: eventual(pending.eventual) }];
  const { links, pendingActors } = workerLinks;
  return {
    ...serialized,
    workerLinks: {
      ...workerLinks,
      links: links.map((link) => ({
        ...link,
        phase: sentIn(link),
        pendingCalls: link.pendingCalls.map(entryWithEventual),
        pendingEventuals: link.pendingEventuals.map(entryWithEventual),
      })),
      pendingActors: {
        ...pendingActors,
        actors: pendingActors.actors.map((expected) => ({
          ...expected,
          // The first reference to the actor may have been in an in-flight message.
          ref: expected.ref ?? restored.rootReferenceOf(expected.actor),
          messages: expected.messages.map(({ worker, ...message }) => ({ ...message, link: restored.linkOf(worker) })),
        })),
      },
    },
    deadlines: {
      lastNumber: deadlines.lastNumber,
      waiting: deadlines.waiting.map(({ leftMs, ...deadline }) => ({
        ...deadline,
        replyTo: eventual(deadline.replyTo),
        untilMs: leftMs === undefined ? undefined : now + leftMs,
      })),
    },
    trackedCalls: trackedCalls.map((entry) => ({ ...entry, eventual: eventual(entry.eventual) })),
    appRequests: appRequests.map((entry) => ({ ...entry, eventual: eventual(entry.eventual) })),
  };
}
