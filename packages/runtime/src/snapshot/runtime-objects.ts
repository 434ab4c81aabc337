// Serialization of the runtime's own objects in a program's graph: references, actors, and reply targets of eventuals.
// They are written as numbers and never lead into another actor. What a reference or reply target denotes is a deferred
// part of its actor.

import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import type { ObjectAdapter, ObjectParts } from '@turntable/heap';
import { ActorCell, ENDED_EPOCH } from '../actors/actor-cell.ts';
import { SignalListener } from '../messaging/answer/deadlines.ts';
import {
  FarReference,
  TellReference,
  type FarReferenceClass,
  type FarReferenceClasses,
} from '../references/far-reference.ts';
import {
  ReplyForward,
  PipelinedCall,
  WorkerForward,
  type ReplyTo,
  type LinkRef,
} from '../messaging/answer/forward-targets.ts';
import { RemoteTrail, ReportedTrail, TrackedCall, DeadlineTrail } from '../messaging/answer/deadline-trail.ts';
import type { DeferredReferences } from './deferred-references.ts';

/** Kinds of runtime objects, as numbered in the format. */
export const RUNTIME_KINDS = {
  REFERENCE: 0,
  TELL_REFERENCE: 1,
  ACTOR: 2,
  REPLY_FORWARD: 3,
  WORKER_FORWARD: 4,
  PIPELINED_CALL: 5,
  TRACKED_CALL: 6,
  DEADLINE_TRAIL: 7,
  REPORTED_TRAIL: 8,
  REMOTE_TRAIL: 9,
  SIGNAL_LISTENER: 10,
} as const;
const KIND = RUNTIME_KINDS;

/** Classes whose objects are allocated blank and then filled. */
const FILLED_CLASSES: Readonly<Record<number, { readonly prototype: object }>> = {
  [KIND.REPLY_FORWARD]: ReplyForward,
  [KIND.WORKER_FORWARD]: WorkerForward,
  [KIND.PIPELINED_CALL]: PipelinedCall,
  [KIND.TRACKED_CALL]: TrackedCall,
  [KIND.DEADLINE_TRAIL]: DeadlineTrail,
  [KIND.REPORTED_TRAIL]: ReportedTrail,
};

const { create, getPrototypeOf } = Object;
const { isProxy } = types;
const { assign } = Object;

/** Dependencies for creating runtime objects from a snapshot. */
export interface RestoreContext {
  readonly classes: FarReferenceClasses;
  /** Whether replies, deadlines and trails of the written epoch are over. */
  readonly isNewEpoch: boolean;
  /** Returns the actor with this id, and creates it at the first call. */
  actor(id: number, worker: number, epoch: number): ActorCell;
  /** Returns a reference to an object of an actor; export id 0 is its root. */
  reference(type: FarReferenceClass, id: number, worker: number, epoch: number, exportId: number): FarReference;
  /** Returns the abort listener of the deadline with this number. */
  signalListener(exportId: number): object;
  /** Returns the link to the worker that `peer` represents. */
  linkTo(peer: ActorCell): LinkRef;
  /** Calls back with the eventual of a ticket after all pieces have been read. */
  onTicketResolved(ticket: number, listener: (eventual: Eventual) => void): void;
}

export function runtimeObjects(context: { readonly deferred: DeferredReferences } | RestoreContext): ObjectAdapter {
  return {
    name: 'actors',
    appliesTo: 'objects',
    isNative: true,
    matchesPrototype: isRuntimePrototype,
    takeApart: 'deferred' in context ? (value) => takeApart(value, context.deferred) : () => undefined,
    allocate: (kind, header) => allocate(context as RestoreContext, kind, header),
    fill: (object, kind, contents) => fill(context as RestoreContext, object, kind, contents),
  };
}

const RUNTIME_PROTOTYPES = new Set<unknown>([
  ActorCell.prototype,
  ...Object.values(FILLED_CLASSES).map(({ prototype }) => prototype),
  RemoteTrail.prototype,
  SignalListener.prototype,
]);

function isRuntimePrototype(prototype: object | null): boolean {
  // Stops at a Proxy, which is never a prototype of the runtime's: `getPrototypeOf` would run its code.
  for (let each = prototype; each !== null && !isProxy(each); each = getPrototypeOf(each) as object | null)
    if (each === FarReference.prototype || each === TellReference.prototype) return true;
  return RUNTIME_PROTOTYPES.has(prototype);
}

function wholeParts(kind: number, header: readonly unknown[], contents: readonly unknown[] = []): ObjectParts {
  return { kind, header, contents, isComplete: true };
}

function takeApart(value: object, deferred: DeferredReferences): ObjectParts | undefined {
  if (FarReference.has(value)) {
    deferred.mentionReference(value);
    const { id, worker, epoch } = FarReference.actorOf(value);
    const { key, name, methods } = FarReference.classOf(value).interface;
    return wholeParts(KIND.REFERENCE, [
      key,
      name,
      methods.join('\n'),
      id,
      worker,
      epoch,
      FarReference.exportIdOf(value),
    ]);
  }
  if (value instanceof TellReference) return wholeParts(KIND.TELL_REFERENCE, [TellReference.refOf(value)]);
  if (value instanceof ActorCell) {
    deferred.mentionActor(value);
    return wholeParts(KIND.ACTOR, [value.id, value.worker, value.epoch]);
  }
  if (value instanceof ReplyForward) {
    const { owner, to, replyTo, call } = value;
    return wholeParts(KIND.REPLY_FORWARD, [], [owner, to, call, ...replyToName(replyTo, to, deferred)]);
  }
  if (value instanceof WorkerForward) return wholeParts(KIND.WORKER_FORWARD, [], [value.link.peer, value.eventualId]);
  if (value instanceof PipelinedCall)
    return wholeParts(KIND.PIPELINED_CALL, [], [value.call, value.args, value.replyTo, value.trail]);
  if (value instanceof TrackedCall) return wholeParts(KIND.TRACKED_CALL, [], [value.name, value.trail]);
  if (value instanceof DeadlineTrail) {
    const { label, parent, listener, number, deadline, pendingChildren, isOver } = value;
    return wholeParts(KIND.DEADLINE_TRAIL, [], [label, parent, listener, number, deadline, isOver, ...pendingChildren]);
  }
  if (value instanceof ReportedTrail)
    return wholeParts(KIND.REPORTED_TRAIL, [], [value.count, ...[...value.byNumber].flat()]);
  if (value instanceof SignalListener) return wholeParts(KIND.SIGNAL_LISTENER, [value.number]);
  if (value instanceof RemoteTrail)
    return wholeParts(KIND.REMOTE_TRAIL, [value.worker, value.epoch, value.callId, value.count]);
  return undefined;
}

/** Returns the name of a reply target outside its actor: the number of a worker's call, or an eventual's ticket. */
export function replyToName(
  replyTo: ReplyTo,
  owner: ActorCell,
  deferred: DeferredReferences,
): [name: number | undefined, isTicket: boolean] {
  return Eventual.is(replyTo) ? [deferred.ticketOf(replyTo, owner), true] : [replyTo as number | undefined, false];
}

function allocate(context: RestoreContext, kind: number, header: readonly unknown[]): object {
  switch (kind) {
    case KIND.REFERENCE: {
      const [key, name, methods, id, worker, epoch, number] = header as [
        string,
        string,
        string,
        number,
        number,
        number,
        number,
      ];
      const type = context.classes.ofInterface({ key, name, methods: methods === '' ? [] : methods.split('\n') });
      return context.reference(type, id, worker, epoch, number);
    }
    case KIND.TELL_REFERENCE:
      return FarReference.tellReferenceOf(header[0] as FarReference);
    case KIND.ACTOR: {
      const [id, worker, epoch] = header as [number, number, number];
      return context.actor(id, worker, epoch);
    }
    case KIND.SIGNAL_LISTENER:
      return context.signalListener(header[0] as number);
    case KIND.REMOTE_TRAIL: {
      const [worker, epoch, question, count] = header as [number, number, number, number];
      return new RemoteTrail(worker, context.isNewEpoch ? ENDED_EPOCH : epoch, question, count);
    }
    default: {
      const type = FILLED_CLASSES[kind];
      if (type === undefined) throw new TypeError(`the runtime has no kind ${kind}`);
      return create(type.prototype) as object;
    }
  }
}

function fill(context: RestoreContext, object: object, kind: number, contents: readonly unknown[]): void {
  switch (kind) {
    case KIND.REPLY_FORWARD: {
      const [owner, to, call, name, isTicket] = contents;
      assign(object, { owner, to, call, replyTo: name });
      if (isTicket === true)
        context.onTicketResolved(name as number, (eventual) => assign(object, { replyTo: eventual }));
      return;
    }
    case KIND.WORKER_FORWARD:
      return void assign(object, { link: context.linkTo(contents[0] as ActorCell), eventualId: contents[1] });
    case KIND.PIPELINED_CALL: {
      const [call, args, replyTo, trail] = contents;
      return void assign(object, { call, args, replyTo, trail });
    }
    case KIND.TRACKED_CALL:
      return void assign(object, { name: contents[0], trail: contents[1] });
    case KIND.DEADLINE_TRAIL: {
      const [label, parent, listener, number, deadlineId, isOver, ...pendingChildren] = contents;
      const deadline = context.isNewEpoch ? 0 : deadlineId;
      return void assign(object, {
        label,
        parent,
        listener,
        number,
        deadline,
        isOver,
        pendingChildren: new Set(pendingChildren),
      });
    }
    case KIND.REPORTED_TRAIL: {
      const [count, ...entries] = contents;
      const byNumber = new Map<number, DeadlineTrail>();
      for (let i = 0; i < entries.length; i += 2) byNumber.set(entries[i] as number, entries[i + 1] as DeadlineTrail);
      return void assign(object, { count, byNumber });
    }
  }
}
