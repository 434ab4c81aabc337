// Joins the pieces of a worker's part of a snapshot: finds actors by id, and binds lent objects to their references and
// eventuals to what will settle them. No program code runs until the scheduler resumes.

import type { Eventual } from '@turntable/core';
import { ActorCell, ENDED_EPOCH } from '../actors/actor-cell.ts';
import { STOPPED, type SupervisorWatch, type ActorWatcher } from '../actors/termination.ts';
import { FarReference, type FarReferenceClass, type FarReferenceClasses } from '../references/far-reference.ts';
import type { Link } from '../messaging/link.ts';
import type { ReplyTo, LinkRef } from '../messaging/answer/forward-targets.ts';
import { RuntimeError } from '../runtime-error.ts';
import { MentionedActors } from './mentioned-actors.ts';
import type { RestoreContext } from './runtime-objects.ts';
import type { OwnedHostObject, OrderedTimer, RestoredResources } from '@turntable/heap';
import { PIECE, type ActorPiece, type DeferredPiece } from './worker-snapshot.ts';

/** A piece that is not about an actor. */
export type OtherPiece = { readonly piece: number } & Record<string, unknown>;

export class RestoredWorker implements RestoreContext, RestoredResources {
  readonly isNewEpoch = false;
  readonly classes: FarReferenceClasses;
  readonly signalListener: (exportId: number) => object;
  readonly #mentionedActors: MentionedActors;
  readonly #eventuals = new Map<number, Eventual>();
  readonly #ticketListeners: [ticket: number, use: (eventual: Eventual) => void][] = [];
  readonly timers: OrderedTimer[] = [];
  /** Eventuals that awaited native promises. */
  readonly pendingEventuals: object[] = [];
  /** Objects of actors that the host holds. */
  readonly hostObjects: OwnedHostObject[] = [];
  /** Actors that have a piece. */
  readonly actors: ActorCell[] = [];
  /** Objects that actors here have lent, with the references to them. */
  readonly lent: (readonly [object: object, ref: FarReference])[] = [];

  readonly #main: ActorCell;
  readonly #workerLinks: { readonly links: readonly Link[]; readonly epoch: number };

  /** @param main this worker's main actor */
  constructor(
    classes: FarReferenceClasses,
    main: ActorCell,
    workerLinks: { readonly links: readonly Link[]; readonly epoch: number },
    signalListener: (exportId: number) => object,
  ) {
    this.classes = classes;
    this.signalListener = signalListener;
    this.#workerLinks = workerLinks;
    this.#main = main;
    const knownActors = [main, ...workerLinks.links.map(({ peer }) => peer)];
    this.#mentionedActors = new MentionedActors({
      worker: main.worker,
      epoch: workerLinks.epoch,
      knownActors,
      isEnded: (_, ofEpoch) => ofEpoch === ENDED_EPOCH,
    });
  }

  actor(id: number, worker: number, epoch: number): ActorCell {
    return this.#mentionedActors.actor(id, worker, epoch);
  }

  reference(type: FarReferenceClass, id: number, worker: number, epoch: number, exportId: number): FarReference {
    return this.#mentionedActors.reference(type, id, worker, epoch, exportId);
  }

  linkTo(peer: ActorCell): LinkRef {
    return peer.epoch === ENDED_EPOCH ? { peer, isOpen: false } : this.linkOf(peer.worker);
  }

  linkOf(worker: number): Link {
    const link = this.#workerLinks.links.find((each) => each.worker === worker);
    if (link === undefined) throw damagedSnapshotError(`it refers to worker ${worker}, which does not exist`);
    return link;
  }

  onTicketResolved(ticket: number, listener: (eventual: Eventual) => void): void {
    this.#ticketListeners.push([ticket, listener]);
  }

  /** Returns the reply target with a name. Throws if no eventual has the ticket. */
  resolveReplyTo(nameOrId: unknown, isTicket: unknown): ReplyTo {
    if (isTicket !== true) return nameOrId as number | undefined;
    const eventual = this.#eventuals.get(nameOrId as number);
    if (eventual === undefined) throw damagedSnapshotError(`no object has the ticket ${String(nameOrId)}`);
    return eventual;
  }

  /** Returns the mentioned actors of this worker that have no piece, because they did not exist yet. */
  actorsWithoutPiece(): { readonly actor: ActorCell; readonly ref: FarReference | undefined }[] {
    const knownActors = new Set(this.actors);
    return this.#mentionedActors.ownActors
      .filter((actor) => actor !== this.#main && !knownActors.has(actor))
      .map((actor) => ({ actor, ref: this.rootReferenceOf(actor) }));
  }

  /** Returns the reference to the root of an actor, if it was mentioned. */
  rootReferenceOf(actor: ActorCell): FarReference | undefined {
    return this.#mentionedActors.rootReferenceOf(actor);
  }

  /** Reads all pieces; returns the pieces of other kinds than actors. */
  readPieces(roots: readonly unknown[]): OtherPiece[] {
    const others: OtherPiece[] = [];
    const actors: ActorPiece[] = [];
    for (const root of roots as readonly OtherPiece[]) {
      if (root.piece === PIECE.actor) actors.push(root as unknown as ActorPiece);
      if (root.piece === PIECE.actor || root.piece === PIECE.deferred)
        this.#resolveDeferred(root as unknown as DeferredPiece);
      else others.push(root);
    }
    for (const piece of actors) this.#fillActor(piece);
    for (const [ticket, listener] of this.#ticketListeners) listener(this.resolveReplyTo(ticket, true) as Eventual);
    return others;
  }

  #resolveDeferred({ lent, eventuals }: DeferredPiece): void {
    for (let i = 0; i < lent.length; i += 2) {
      const [ref, object] = [lent[i] as FarReference, lent[i + 1] as object | null];
      if (object === null || FarReference.actorOf(ref).failure !== undefined) continue;
      FarReference.bindObject(ref, object);
      this.lent.push([object, ref]);
    }
    for (let i = 0; i < eventuals.length; i += 2)
      this.#eventuals.set(eventuals[i] as number, eventuals[i + 1] as Eventual);
  }

  #fillActor({
    actor,
    root,
    ref,
    name,
    mailbox: [mark, limit],
    failure,
    exportCount,
    turns,
    watchers,
    timers,
    nativeWaiters,
    hostHeld,
  }: ActorPiece): void {
    this.actors.push(actor);
    Object.assign(actor, { root, rootRef: ref, name, mark, limit, exportCount, turns } satisfies Partial<ActorCell>);
    actor.failure = failure === true ? STOPPED : failure;
    if (ref !== undefined && root !== undefined) FarReference.bindObject(ref, root);
    if (watchers.length > 0)
      actor.watchers = watchers.map(([asker, name, policyOrTicket, spawner]): ActorWatcher =>
        asker instanceof ActorCell
          ? { kind: 'reply', asker, replyTo: this.resolveReplyTo(name, policyOrTicket) }
          : ({
              kind: 'supervisor',
              ref: asker,
              supervisorWorker: name,
              policy: policyOrTicket,
              spawner,
            } as SupervisorWatch),
      );
    this.pendingEventuals.push(...nativeWaiters);
    if (hostHeld !== null) this.hostObjects.push([actor, hostHeld]);
    for (let i = 0; i < timers.length; i += 2) this.timers.push([timers[i] as number, timers[i + 1] as object]);
  }
}

export function damagedSnapshotError(description: string, cause?: unknown): RuntimeError {
  const options = cause === undefined ? undefined : { cause };
  return new RuntimeError(
    'TT_DAMAGED_SNAPSHOT',
    `the snapshot is damaged: ${description}; restore an older one`,
    options,
  );
}
