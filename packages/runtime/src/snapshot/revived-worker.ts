// A worker's part of a snapshot, read by the worker that replaces it while all others keep running. Module state is restored, and each actor when its supervisor
// says so. Messages and numbers between this worker and others are not: they belong to the earlier life.

import type { Eventual } from '@turntable/core';
import type { OrderedTimer } from '@turntable/heap';
import { type ActorCell, ENDED_EPOCH } from '../actors/actor-cell.ts';
import { SignalListener } from '../messaging/answer/deadlines.ts';
import { FarReference, type FarReferenceClass, type FarReferenceClasses } from '../references/far-reference.ts';
import type { LinkRef } from '../messaging/answer/forward-targets.ts';
import { creationsIn, type MessagesPiece } from './message-pieces.ts';
import type { RestoreContext } from './runtime-objects.ts';
import { MentionedActors, createEndedActor } from './mentioned-actors.ts';
import type { OtherPiece } from './restored-worker.ts';
import { RESTORE } from '../actors/supervision-policy.ts';
import type { KnownActor, RevivableActor } from '../actors/pending-actors.ts';
import type { SupervisedActor } from '../actors/supervision.ts';
import { PIECE, type ActorPiece, type DeferredPiece } from './worker-snapshot.ts';

export class RevivedWorker implements RestoreContext {
  readonly isNewEpoch = true;
  readonly classes: FarReferenceClasses;
  readonly #main: ActorCell;
  readonly #mentionedActors: MentionedActors;
  readonly #eventuals = new Map<ActorCell, Eventual[]>();
  readonly #pieces = new Map<ActorCell, ActorPiece>();
  #supervised: readonly SupervisedActor[] = [];
  #creations: ReturnType<typeof creationsIn> = new Map();
  /** To what lives on other workers. */
  readonly remoteReferences: FarReference[] = [];

  readonly #settledEventual: Eventual;

  /** `main`: the main program's actor of this worker, `life`: the life that begins; `settled`: an eventual that is. */
  constructor(classes: FarReferenceClasses, main: ActorCell, epoch: number, settledEventual: Eventual) {
    this.classes = classes;
    this.#settledEventual = settledEventual;
    this.#main = main;
    // Whom others' questions came from has forgotten them.
    this.#mentionedActors = new MentionedActors({
      worker: main.worker,
      epoch,
      knownActors: [main],
      isEnded: (id) => id < 0,
    });
  }

  actor(id: number, worker: number, epoch: number): ActorCell {
    return this.#mentionedActors.actor(id, worker, epoch);
  }

  reference(type: FarReferenceClass, id: number, worker: number, epoch: number, exportId: number): FarReference {
    const ref = this.#mentionedActors.reference(type, id, worker, epoch, exportId);
    if (worker !== this.#main.worker) this.remoteReferences.push(ref);
    return ref;
  }

  linkTo(peer: ActorCell): LinkRef {
    return { peer: peer.epoch === ENDED_EPOCH ? peer : createEndedActor(peer.id, peer.worker), isOpen: false };
  }

  /** Deadlines of that life are over. */
  signalListener(): SignalListener {
    return new SignalListener(0, () => undefined);
  }

  /** Who waited for an answer within this worker is told that there is none, or is no more. */
  onTicketResolved(_ticket: number, listener: (eventual: Eventual) => void): void {
    listener(this.#settledEventual);
  }

  readPieces(roots: readonly unknown[]): void {
    const messages = (roots as readonly OtherPiece[]).filter(({ piece }) => piece === PIECE.messages);
    this.#creations = creationsIn(messages as unknown as readonly MessagesPiece[]);
    for (const root of roots as readonly OtherPiece[]) {
      if (root.piece === PIECE.tables)
        this.#supervised = (root['workerLinks'] as { supervised: readonly SupervisedActor[] }).supervised;
      if (root.piece === PIECE.actor) {
        const piece = root as unknown as ActorPiece;
        this.#pieces.set(piece.actor, piece);
      }
      if (root.piece === PIECE.actor || root.piece === PIECE.deferred)
        this.#resolveDeferred(root as unknown as DeferredPiece);
    }
  }

  #resolveDeferred({ actor, eventuals }: DeferredPiece): void {
    for (let i = 0; i < eventuals.length; i += 2) {
      const eventualsOfActor = this.#eventuals.get(actor) ?? [];
      eventualsOfActor.push(eventuals[i + 1] as Eventual);
      this.#eventuals.set(actor, eventualsOfActor);
    }
  }

  /** What lives elsewhere and is supervised from here. */
  get supervised(): readonly SupervisedActor[] {
    return this.#supervised;
  }

  /** What the program outside of all actors was waiting for. */
  get mainEventuals(): readonly Eventual[] {
    return this.#eventuals.get(this.#main) ?? [];
  }

  /** The actors of this worker that anything can be sent to, and what those were that may be that again. */
  knownActors(): KnownActor[] {
    return this.#mentionedActors.ownActors.flatMap((actor) => {
      const ref = this.#mentionedActors.rootReferenceOf(actor);
      return ref === undefined ? [] : [{ actor, ref, revivable: this.#revivableActor(actor, ref) }];
    });
  }

  #revivableActor(actor: ActorCell, rootReference: FarReference): RevivableActor | undefined {
    const piece = this.#pieces.get(actor);
    if (piece === undefined) return undefined;
    const { root, ref, failure, exportCount, turns, timers, nativeWaiters, watchers } = piece;
    const supervisor = watchers.find(([of, , policy]) => FarReference.has(of) && policy === RESTORE);
    if (supervisor === undefined || failure !== undefined) return undefined;
    const spawner = supervisor[3] as ActorCell | undefined;
    // One that had not begun is made anew by who supervises it, unless that has forgotten it, too.
    const creation = spawner === undefined || root !== undefined ? undefined : this.#creations.get(actor);
    if (root === undefined && creation === undefined) return undefined;
    const placed: OrderedTimer[] = [];
    for (let i = 0; i < timers.length; i += 2) placed.push([timers[i] as number, timers[i + 1] as object]);
    const eventuals = this.#eventuals.get(actor) ?? [];
    return {
      root,
      creation,
      ref: ref ?? rootReference,
      exportCount,
      turns,
      timers: placed,
      nativeWaiters,
      eventuals,
      spawner,
    };
  }
}
