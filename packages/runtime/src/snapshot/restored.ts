// The pieces of a worker's snapshot, put together again: actors by their ids, what they have lent into the references to it, eventuals into
// what will settle them. Nothing of it runs until the scheduler is told to go on.

import type { Eventual } from '@turntable/core';
import { Actor, OVER } from '../actors/actor.ts';
import { STOPPED, type Supervisor, type Watcher } from '../actors/endings.ts';
import { FarRef, type FarRefClass, type FarRefClasses } from '../references/far-ref.ts';
import type { Link } from '../messaging/link.ts';
import type { Settles, Way } from '../messaging/answer/outcomes.ts';
import { RuntimeError } from '../runtime-error.ts';
import { Mentioned } from './mentioned.ts';
import type { Revival } from './objects.ts';
import type { HeldBy, PlacedTimer, RestoredParts } from '@turntable/heap';
import { PIECE, type ActorPiece, type DebtsPiece } from './worker-snapshot.ts';

/** A piece of something else than an actor. */
export type OtherPiece = { readonly piece: number } & Record<string, unknown>;

export class Restored implements Revival, RestoredParts {
  readonly isAnotherLife = false;
  readonly classes: FarRefClasses;
  readonly signalListener: (number: number) => object;
  readonly #mentioned: Mentioned;
  readonly #eventuals = new Map<number, Eventual>();
  readonly #uses: [ticket: number, use: (eventual: Eventual) => void][] = [];
  readonly timers: PlacedTimer[] = [];
  /** What waited for native promises. */
  readonly waiting: object[] = [];
  /** What the outside has. */
  readonly held: HeldBy[] = [];
  /** Those that have a piece. */
  readonly actors: Actor[] = [];
  /** Objects that actors here have lent, with the references to them. */
  readonly lent: (readonly [object: object, ref: FarRef])[] = [];

  readonly #main: Actor;
  readonly #links: readonly Link[];

  /** `main`: the main program's actor of this worker. */
  constructor(
    classes: FarRefClasses,
    main: Actor,
    { links, life }: { readonly links: readonly Link[]; readonly life: number },
    signalListener: (number: number) => object,
  ) {
    this.classes = classes;
    this.signalListener = signalListener;
    this.#links = links;
    this.#main = main;
    const known = [main, ...links.map(({ peer }) => peer)];
    this.#mentioned = new Mentioned({ worker: main.worker, life, known, isOver: (_, of) => of === OVER });
  }

  actor(id: number, worker: number, life: number): Actor {
    return this.#mentioned.actor(id, worker, life);
  }

  reference(type: FarRefClass, id: number, worker: number, life: number, number: number): FarRef {
    return this.#mentioned.reference(type, id, worker, life, number);
  }

  linkTo(peer: Actor): Way {
    return peer.life === OVER ? { peer, isOpen: false } : this.linkOf(peer.worker);
  }

  linkOf(worker: number): Link {
    const link = this.#links.find((each) => each.worker === worker);
    if (link === undefined) throw damaged(`it speaks of worker ${worker}, and there is none`);
    return link;
  }

  whenPaid(ticket: number, use: (eventual: Eventual) => void): void {
    this.#uses.push([ticket, use]);
  }

  /** What is to be settled, by its name. */
  settles(name: unknown, isTicket: unknown): Settles {
    if (isTicket !== true) return name as number | undefined;
    const eventual = this.#eventuals.get(name as number);
    if (eventual === undefined) throw damaged(`nothing has the ticket ${String(name)}`);
    return eventual;
  }

  /** Actors of this worker that are mentioned and have no piece: they were not there yet. */
  unknown(): { readonly actor: Actor; readonly ref: FarRef | undefined }[] {
    const known = new Set(this.actors);
    return this.#mentioned.here
      .filter((actor) => actor !== this.#main && !known.has(actor))
      .map((actor) => ({ actor, ref: this.rootOf(actor) }));
  }

  /** The reference to the root of an actor here, if there is any. */
  rootOf(actor: Actor): FarRef | undefined {
    return this.#mentioned.rootOf(actor);
  }

  /** Answers the pieces that are not about actors. */
  take(roots: readonly unknown[]): OtherPiece[] {
    const others: OtherPiece[] = [];
    const actors: ActorPiece[] = [];
    for (const root of roots as readonly OtherPiece[]) {
      if (root.piece === PIECE.actor) actors.push(root as unknown as ActorPiece);
      if (root.piece === PIECE.actor || root.piece === PIECE.debts) this.#pay(root as unknown as DebtsPiece);
      else others.push(root);
    }
    for (const piece of actors) this.#fill(piece);
    for (const [ticket, use] of this.#uses) use(this.settles(ticket, true) as Eventual);
    return others;
  }

  #pay({ lent, eventuals }: DebtsPiece): void {
    for (let i = 0; i < lent.length; i += 2) {
      const [ref, object] = [lent[i] as FarRef, lent[i + 1] as object | null];
      if (object === null || FarRef.actorOf(ref).failure !== undefined) continue;
      FarRef.born(ref, object);
      this.lent.push([object, ref]);
    }
    for (let i = 0; i < eventuals.length; i += 2)
      this.#eventuals.set(eventuals[i] as number, eventuals[i + 1] as Eventual);
  }

  #fill({
    actor,
    root,
    ref,
    name,
    mailbox: [mark, limit],
    failure,
    exports,
    turns,
    watchers,
    timers,
    waiting,
    held,
  }: ActorPiece): void {
    this.actors.push(actor);
    Object.assign(actor, { root, rootRef: ref, name, mark, limit, exports, turns } satisfies Partial<Actor>);
    actor.failure = failure === true ? STOPPED : failure;
    if (ref !== undefined && root !== undefined) FarRef.born(ref, root);
    if (watchers.length > 0)
      actor.watchers = watchers.map(([of, name, last, by]): Watcher =>
        of instanceof Actor
          ? { what: 'asked', to: of, settles: this.settles(name, last) }
          : ({ what: 'supervised', ref: of, supervisor: name, way: last, by } as Supervisor),
      );
    this.waiting.push(...waiting);
    if (held !== null) this.held.push([actor, held]);
    for (let i = 0; i < timers.length; i += 2) this.timers.push([timers[i] as number, timers[i + 1] as object]);
  }
}

export function damaged(what: string, cause?: unknown): RuntimeError {
  const options = cause === undefined ? undefined : { cause };
  return new RuntimeError('TT_DAMAGED_SNAPSHOT', `the snapshot is damaged: ${what}; restore an older one`, options);
}
