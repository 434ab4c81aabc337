// One snapshot of one worker, while it is written: the base and the tables at the cut, then the actors, each before it changes, and what was
// under way. Whole when all is written and every other worker has said that it has nothing more from before.

import type { Eventual } from '@turntable/core';
import { Actor } from '../actors/actor.ts';
import { STOPPED, type Watcher, watchersOf } from '../actors/endings.ts';
import { FarRef } from '../references/far-ref.ts';
import { Debts, type Owed } from './debts.ts';
import { nameOf, runtimeObjects } from './objects.ts';
import type { GiveBytes, Pieces, PlacedTimer, StateRoom } from '@turntable/heap';

/** What pieces are. */
export const PIECE = { tables: 0, actor: 1, debts: 2, messages: 3, underWay: 4 } as const;

/** Of an actor, beside what it owes: nothing of it changes without a touch. */
export interface ActorPiece extends DebtsPiece {
  readonly root: object | undefined;
  readonly ref: FarRef | undefined;
  readonly name: string;
  readonly mailbox: readonly [mark: number, limit: number];
  /** `true`: it was stopped, and nobody has asked for the error yet. */
  readonly failure: Actor['failure'] | true;
  readonly exports: number;
  readonly turns: number;
  readonly watchers: readonly (readonly unknown[])[];
  /** Places and timers in turn. */
  readonly timers: readonly (number | object)[];
  /** Eventuals that native promises would settle. */
  readonly waiting: readonly object[];
  /** What the outside has of it. */
  readonly held: object | null;
}

/** A message of another worker that was sent before the cut and taken after it, as it was taken. */
export interface UnderWay {
  readonly worker: number;
  readonly kind: number;
  readonly id: number;
  readonly number: number;
  readonly settles: number;
  readonly call: string | undefined;
  readonly args: readonly unknown[];
  /** References to what lives elsewhere, as often as they have come. */
  readonly references: readonly FarRef[];
  /** Numbers and eventuals in turn. */
  readonly eventuals: readonly (number | Eventual)[];
}

/** What an actor owes when it is written, or afterwards. */
export interface DebtsPiece {
  readonly piece: number;
  readonly actor: Actor;
  /** References and what they refer to in turn; null if that was taken back. */
  readonly lent: readonly (object | null)[];
  /** Tickets and eventuals in turn. */
  readonly eventuals: readonly (number | Eventual)[];
}

/** A snapshot has not what was changed of the language or the host, of which the next one knows. */
export class ChangedMeanwhile extends Error {
  constructor(what: string) {
    super(`${what} was changed, which had been as it was born at all cuts before`);
  }
}

/** Objects of the language and the host that are looked at at a time. */
const CONFIRMED = 500;

export class WorkerSnapshot {
  readonly phase: number;
  readonly #debts: Debts;
  readonly #pieces: Pieces;
  readonly #timers: Map<Actor, PlacedTimer[]>;
  readonly #waiting: Map<Actor, object[]>;
  readonly #held: Map<Actor, object>;
  /** Workers that may still have sent something before. */
  readonly #missing: Set<number>;

  /** `give`: takes bytes while others are being written. */
  constructor(phase: number, here: number, others: readonly number[], room: StateRoom, give?: GiveBytes) {
    this.phase = phase;
    this.#missing = new Set(others);
    this.#debts = new Debts(here, (actor) => isWritten(actor, phase));
    this.#pieces = room.begin({
      adapters: [runtimeObjects({ debts: this.#debts })],
      isOfBase: (home) => !(home instanceof Actor),
      give,
    });
    this.#timers = this.#byActor(this.#pieces.timers);
    this.#waiting = this.#byActor(this.#pieces.waiting);
    this.#held = new Map(this.#pieces.held as readonly (readonly [Actor, object])[]);
    for (const actor of this.#held.keys()) this.#debts.meet(actor);
  }

  /** All of these actors are found. */
  #byActor<T>(things: readonly (readonly [home: object, thing: T])[]): Map<Actor, T[]> {
    const found = new Map<Actor, T[]>();
    for (const [home, thing] of things) {
      const actor = home as Actor;
      this.#debts.meet(actor);
      const those = found.get(actor);
      if (those === undefined) found.set(actor, [thing]);
      else those.push(thing);
    }
    return found;
  }

  get size(): number {
    return this.#pieces.size;
  }

  get debts(): Debts {
    return this.#debts;
  }

  /** Anything but actors; the objects it leads to are as they were at the cut. What the runtime keeps in mind is of one group. */
  add(root: object, name: string): void {
    this.#pieces.add(root, name, this);
    this.#payLate();
  }

  /** Before it changes. */
  writeActor(actor: Actor): void {
    if (isWritten(actor, this.phase)) return;
    actor.writtenIn = this.phase;
    const { root, name, mark, limit, failure, exports, turns } = actor;
    const { lent, eventuals } = this.#paid(this.#debts.settle(actor));
    this.#pieces.add(
      {
        piece: PIECE.actor,
        actor,
        root,
        ref: FarRef.toRootOf(actor),
        name,
        mailbox: [mark, limit],
        failure: failure === STOPPED ? true : failure,
        exports,
        turns,
        watchers: watchersOf(actor).map((watcher) => this.#watcher(watcher)),
        timers: (this.#timers.get(actor) ?? []).flat(),
        waiting: this.#waiting.get(actor) ?? [],
        held: this.#held.get(actor) ?? null,
        lent,
        eventuals,
      } satisfies ActorPiece,
      name,
      actor,
    );
    this.#timers.delete(actor);
    this.#waiting.delete(actor);
    this.#held.delete(actor);
    this.#payLate();
  }

  #watcher(watcher: Watcher): unknown[] {
    return watcher.what === 'asked'
      ? [watcher.to, ...nameOf(watcher.settles, watcher.to, this.#debts)]
      : [watcher.ref, watcher.supervisor, watcher.way, watcher.by];
  }

  #paid(owed: Owed | undefined): { lent: (object | null)[]; eventuals: (number | Eventual)[] } {
    const { lent = [], eventuals = [] } = owed ?? {};
    return { lent: lent.flatMap((ref) => [ref, FarRef.objectOf(ref) ?? null]), eventuals };
  }

  /** What the last piece mentions of actors that are written already. */
  #payLate(): void {
    for (let actor = this.#debts.nextLate(); actor !== undefined; actor = this.#debts.nextLate())
      this.#pieces.add({ piece: PIECE.debts, actor, ...this.#paid(this.#debts.settle(actor)) }, actor.name, actor);
  }

  /** A reference is about to refer to nothing any more. Others that have it may be written later. */
  mention(ref: FarRef): void {
    this.#debts.meetReference(ref);
    this.#payLate();
  }

  /** Does one thing of what is left to be done at leisure; whether there was any. */
  goOn(): boolean {
    const actor = this.#debts.nextFound();
    if (actor !== undefined) {
      this.writeActor(actor);
      return true;
    }
    const confirmed = this.#pieces.confirm(CONFIRMED);
    if (typeof confirmed === 'object') throw new ChangedMeanwhile(confirmed.changed);
    return confirmed === 'more';
  }

  /** What comes of that worker was sent after its cut. */
  marked(worker: number): void {
    this.#missing.delete(worker);
  }

  get isMissing(): boolean {
    return this.#missing.size > 0;
  }

  /** The bytes, but for those that have been given away. */
  finish(): Uint8Array {
    return this.#pieces.finish();
  }
}

/** Or was made after the cut. */
function isWritten(actor: Actor, phase: number): boolean {
  return actor.writtenIn >= phase;
}
