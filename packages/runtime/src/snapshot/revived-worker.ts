// A worker's part of a snapshot, read by its replacement while all other workers keep running. Module state is restored
// at once, each actor when its supervisor requests it. Messages and ids shared with other workers belong to the earlier
// epoch and are not restored.

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
  /** References to objects on other workers. */
  readonly remoteReferences: FarReference[] = [];

  readonly #settledEventual: Eventual;

  /** `main`: this worker's main actor; `epoch`: the epoch that begins; `settledEventual`: any settled eventual. */
  constructor(classes: FarReferenceClasses, main: ActorCell, epoch: number, settledEventual: Eventual) {
    this.classes = classes;
    this.#settledEventual = settledEventual;
    this.#main = main;
    // Negative ids are peers of other workers, whose calls of the earlier epoch are over.
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

  /** Returns a listener without effect, since the deadlines of the earlier epoch are over. */
  signalListener(): SignalListener {
    return new SignalListener(0, () => undefined);
  }

  /** Replies within this worker go to a settled eventual: nothing awaits them any more. */
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

  /** Actors on other workers that actors here supervise. */
  get supervised(): readonly SupervisedActor[] {
    return this.#supervised;
  }

  /** Eventuals that the main program awaited. */
  get mainEventuals(): readonly Eventual[] {
    return this.#eventuals.get(this.#main) ?? [];
  }

  /** Returns the actors of this worker that can receive messages, with their saved state if they can be restored. */
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
    // An actor that was not created yet is restarted by its supervisor, unless the supervisor has lost its state, too.
    const creation = spawner === undefined || root !== undefined ? undefined : this.#creations.get(actor);
    if (root === undefined && creation === undefined) return undefined;
    const orderedTimers: OrderedTimer[] = [];
    for (let i = 0; i < timers.length; i += 2) orderedTimers.push([timers[i] as number, timers[i + 1] as object]);
    const eventuals = this.#eventuals.get(actor) ?? [];
    return {
      root,
      creation,
      ref: ref ?? rootReference,
      exportCount,
      turns,
      timers: orderedTimers,
      nativeWaiters,
      eventuals,
      spawner,
    };
  }
}
