// A worker's part of a snapshot, read by the worker that replaces it while all others keep running. Module state is restored, and each actor when its supervisor
// says so. Messages and numbers between this worker and others are not: they belong to the earlier life.

import type { Eventual } from '@turntable/core';
import type { PlacedTimer } from '@turntable/heap';
import { type Actor, OVER } from '../actors/actor.ts';
import { SignalListener } from '../messaging/answer/deadline.ts';
import { FarRef, type FarRefClass, type FarRefClasses } from '../references/far-ref.ts';
import type { Way } from '../messaging/answer/outcomes.ts';
import { birthsIn, type MessagesPiece } from './messages.ts';
import type { Revival } from './objects.ts';
import { Mentioned, overActor } from './mentioned.ts';
import type { OtherPiece } from './restored.ts';
import { RESTORE } from '../actors/supervise.ts';
import type { Known, Revivable } from '../actors/unborn.ts';
import type { Supervised } from '../actors/supervision.ts';
import { PIECE, type ActorPiece, type DebtsPiece } from './worker-snapshot.ts';

export class Revived implements Revival {
  readonly isAnotherLife = true;
  readonly classes: FarRefClasses;
  readonly #main: Actor;
  readonly #mentioned: Mentioned;
  readonly #waiting = new Map<Actor, Eventual[]>();
  readonly #pieces = new Map<Actor, ActorPiece>();
  #supervised: readonly Supervised[] = [];
  #births: ReturnType<typeof birthsIn> = new Map();
  /** To what lives on other workers. */
  readonly foreign: FarRef[] = [];

  readonly #settled: Eventual;

  /** `main`: the main program's actor of this worker, `life`: the life that begins; `settled`: an eventual that is. */
  constructor(classes: FarRefClasses, main: Actor, life: number, settled: Eventual) {
    this.classes = classes;
    this.#settled = settled;
    this.#main = main;
    // Whom others' questions came from has forgotten them.
    this.#mentioned = new Mentioned({ worker: main.worker, life, known: [main], isOver: (id) => id < 0 });
  }

  actor(id: number, worker: number, life: number): Actor {
    return this.#mentioned.actor(id, worker, life);
  }

  reference(type: FarRefClass, id: number, worker: number, life: number, number: number): FarRef {
    const ref = this.#mentioned.reference(type, id, worker, life, number);
    if (worker !== this.#main.worker) this.foreign.push(ref);
    return ref;
  }

  linkTo(peer: Actor): Way {
    return { peer: peer.life === OVER ? peer : overActor(peer.id, peer.worker), isOpen: false };
  }

  /** Deadlines of that life are over. */
  signalListener(): SignalListener {
    return new SignalListener(0, () => undefined);
  }

  /** Who waited for an answer within this worker is told that there is none, or is no more. */
  whenPaid(_ticket: number, use: (eventual: Eventual) => void): void {
    use(this.#settled);
  }

  take(roots: readonly unknown[]): void {
    const messages = (roots as readonly OtherPiece[]).filter(({ piece }) => piece === PIECE.messages);
    this.#births = birthsIn(messages as unknown as readonly MessagesPiece[]);
    for (const root of roots as readonly OtherPiece[]) {
      if (root.piece === PIECE.tables)
        this.#supervised = (root['neighbours'] as { supervised: readonly Supervised[] }).supervised;
      if (root.piece === PIECE.actor) {
        const piece = root as unknown as ActorPiece;
        this.#pieces.set(piece.actor, piece);
      }
      if (root.piece === PIECE.actor || root.piece === PIECE.debts) this.#pay(root as unknown as DebtsPiece);
    }
  }

  #pay({ actor, eventuals }: DebtsPiece): void {
    for (let i = 0; i < eventuals.length; i += 2) {
      const waiting = this.#waiting.get(actor) ?? [];
      waiting.push(eventuals[i + 1] as Eventual);
      this.#waiting.set(actor, waiting);
    }
  }

  /** What lives elsewhere and is supervised from here. */
  get supervised(): readonly Supervised[] {
    return this.#supervised;
  }

  /** What the program outside of all actors was waiting for. */
  get waitingOfMain(): readonly Eventual[] {
    return this.#waiting.get(this.#main) ?? [];
  }

  /** The actors of this worker that anything can be sent to, and what those were that may be that again. */
  actors(): Known[] {
    return this.#mentioned.here.flatMap((actor) => {
      const ref = this.#mentioned.rootOf(actor);
      return ref === undefined ? [] : [{ actor, ref, revivable: this.#revivable(actor, ref) }];
    });
  }

  #revivable(actor: Actor, known: FarRef): Revivable | undefined {
    const piece = this.#pieces.get(actor);
    if (piece === undefined) return undefined;
    const { root, ref, failure, exports, turns, timers, waiting, watchers } = piece;
    const supervisor = watchers.find(([of, , way]) => FarRef.has(of) && way === RESTORE);
    if (supervisor === undefined || failure !== undefined) return undefined;
    const by = supervisor[3] as Actor | undefined;
    // One that had not begun is made anew by who supervises it, unless that has forgotten it, too.
    const birth = by === undefined || root !== undefined ? undefined : this.#births.get(actor);
    if (root === undefined && birth === undefined) return undefined;
    const placed: PlacedTimer[] = [];
    for (let i = 0; i < timers.length; i += 2) placed.push([timers[i] as number, timers[i + 1] as object]);
    const eventuals = this.#waiting.get(actor) ?? [];
    return { root, birth, ref: ref ?? known, exports, turns, timers: placed, waiting, eventuals, by };
  }
}
