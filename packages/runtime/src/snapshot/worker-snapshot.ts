// One snapshot of one worker while it is written: the base and the tables at the cut, then each actor before it
// changes, and in-flight messages. Complete when all pieces are written and all other workers' markers have arrived.

import type { Eventual } from '@turntable/core';
import { ActorCell } from '../actors/actor-cell.ts';
import { STOPPED, type ActorWatcher, watchersOf } from '../actors/termination.ts';
import { FarReference } from '../references/far-reference.ts';
import { DeferredReferences, type DeferredParts } from './deferred-references.ts';
import { replyToName, runtimeObjects } from './runtime-objects.ts';
import type { BytesConsumer, IncrementalCapture, OrderedTimer, StateCapturer } from '@turntable/heap';

/** Kinds of pieces, as numbered in the format. */
export const PIECE = { tables: 0, actor: 1, deferred: 2, messages: 3, inFlight: 4 } as const;

/** State of an actor, no part of which changes without a `touch`. */
export interface ActorPiece extends DeferredPiece {
  readonly root: object | undefined;
  readonly ref: FarReference | undefined;
  readonly name: string;
  readonly mailbox: readonly [mark: number, limit: number];
  /** `true`: the actor was stopped, and its error has not been created yet. */
  readonly failure: ActorCell['failure'] | true;
  readonly exportCount: number;
  readonly turns: number;
  readonly watchers: readonly (readonly unknown[])[];
  /** Positions in the order of timers, each followed by its timer. */
  readonly timers: readonly (number | object)[];
  /** Eventuals that await native promises. */
  readonly nativeWaiters: readonly object[];
  /** Objects of the actor that the host holds. */
  readonly hostHeld: object | null;
}

/** A message of another worker that was sent before the cut and taken after it. */
export interface InFlightMessage {
  readonly worker: number;
  readonly kind: number;
  readonly id: number;
  readonly target: number;
  readonly replyTo: number;
  readonly call: string | undefined;
  readonly args: readonly unknown[];
  /** References to objects on other workers, one for each time that the message contained them. */
  readonly references: readonly FarReference[];
  /** Number of each eventual on its link, followed by the eventual. */
  readonly eventuals: readonly (number | Eventual)[];
}

/** Deferred parts of an actor, written with it or later. */
export interface DeferredPiece {
  readonly piece: number;
  readonly actor: ActorCell;
  /** References, each followed by its object, or by null if the reference was released. */
  readonly lent: readonly (object | null)[];
  /** Tickets, each followed by its eventual. */
  readonly eventuals: readonly (number | Eventual)[];
}

/** Error of a snapshot that took a changed builtin for unchanged. The next snapshot includes the change. */
export class ChangedBuiltinError extends Error {
  constructor(name: string) {
    super(`${name} has changed since the earlier snapshots`);
  }
}

/** Number of builtin objects that are checked for changes in one step. */
const OBJECTS_CONFIRMED_AT_ONCE = 500;

export class WorkerSnapshot {
  readonly phase: number;
  readonly #deferred: DeferredReferences;
  readonly #pieces: IncrementalCapture;
  readonly #timers: Map<ActorCell, OrderedTimer[]>;
  readonly #nativeWaiters: Map<ActorCell, object[]>;
  readonly #hostHeld: Map<ActorCell, object>;
  /** Workers whose markers have not arrived. */
  readonly #missingMarkers: Set<number>;

  /** @param give takes finished bytes while more are being written */
  constructor(
    phase: number,
    ownWorker: number,
    others: readonly number[],
    capturer: StateCapturer,
    give?: BytesConsumer,
  ) {
    this.phase = phase;
    this.#missingMarkers = new Set(others);
    this.#deferred = new DeferredReferences(ownWorker, (actor) => isWritten(actor, phase));
    this.#pieces = capturer.startCapture({
      adapters: [runtimeObjects({ deferred: this.#deferred })],
      isInBase: (home) => !(home instanceof ActorCell),
      onBytes: give,
    });
    this.#timers = this.#groupByActor(this.#pieces.timers);
    this.#nativeWaiters = this.#groupByActor(this.#pieces.pendingEventuals);
    this.#hostHeld = new Map(this.#pieces.hostObjects as readonly (readonly [ActorCell, object])[]);
    for (const actor of this.#hostHeld.keys()) this.#deferred.mentionActor(actor);
  }

  /** Groups things by the actor that owns them, and mentions each actor. */
  #groupByActor<T>(things: readonly (readonly [home: object, thing: T])[]): Map<ActorCell, T[]> {
    const byActor = new Map<ActorCell, T[]>();
    for (const [home, thing] of things) {
      const actor = home as ActorCell;
      this.#deferred.mentionActor(actor);
      const existing = byActor.get(actor);
      if (existing === undefined) byActor.set(actor, [thing]);
      else existing.push(thing);
    }
    return byActor;
  }

  get size(): number {
    return this.#pieces.size;
  }

  get deferred(): DeferredReferences {
    return this.#deferred;
  }

  /** Adds a root other than an actor. These roots form one group, and their objects are as they were at the cut. */
  add(root: object, name: string): void {
    this.#pieces.add(root, name, this);
    this.#writeDeferred();
  }

  /** Writes an actor, before it changes. */
  writeActor(actor: ActorCell): void {
    if (isWritten(actor, this.phase)) return;
    actor.writtenPhase = this.phase;
    const { root, name, mark, limit, failure, exportCount, turns } = actor;
    const { lent, eventuals } = this.#deferredFields(this.#deferred.takeDeferred(actor));
    this.#pieces.add(
      {
        piece: PIECE.actor,
        actor,
        root,
        ref: FarReference.rootReferenceOf(actor),
        name,
        mailbox: [mark, limit],
        failure: failure === STOPPED ? true : failure,
        exportCount,
        turns,
        watchers: watchersOf(actor).map((watcher) => this.#watcherFields(watcher)),
        timers: (this.#timers.get(actor) ?? []).flat(),
        nativeWaiters: this.#nativeWaiters.get(actor) ?? [],
        hostHeld: this.#hostHeld.get(actor) ?? null,
        lent,
        eventuals,
      } satisfies ActorPiece,
      name,
      actor,
    );
    this.#timers.delete(actor);
    this.#nativeWaiters.delete(actor);
    this.#hostHeld.delete(actor);
    this.#writeDeferred();
  }

  #watcherFields(watcher: ActorWatcher): unknown[] {
    return watcher.kind === 'reply'
      ? [watcher.asker, ...replyToName(watcher.replyTo, watcher.asker, this.#deferred)]
      : [watcher.ref, watcher.supervisorWorker, watcher.policy, watcher.spawner];
  }

  #deferredFields(deferred: DeferredParts | undefined): { lent: (object | null)[]; eventuals: (number | Eventual)[] } {
    const { lent = [], eventuals = [] } = deferred ?? {};
    return { lent: lent.flatMap((ref) => [ref, FarReference.objectOf(ref) ?? null]), eventuals };
  }

  /** Writes deferred parts of written actors that the last piece mentioned. */
  #writeDeferred(): void {
    for (
      let actor = this.#deferred.nextWrittenWithDeferred();
      actor !== undefined;
      actor = this.#deferred.nextWrittenWithDeferred()
    )
      this.#pieces.add(
        { piece: PIECE.deferred, actor, ...this.#deferredFields(this.#deferred.takeDeferred(actor)) },
        actor.name,
        actor,
      );
  }

  /** Mentions a reference that is about to be released, since actors that hold the reference may be written later. */
  mentionReference(ref: FarReference): void {
    this.#deferred.mentionReference(ref);
    this.#writeDeferred();
  }

  /** Performs one step of deferred work. Returns false if there was none. */
  writeNext(): boolean {
    const actor = this.#deferred.nextUnwritten();
    if (actor !== undefined) {
      this.writeActor(actor);
      return true;
    }
    const confirmed = this.#pieces.confirm(OBJECTS_CONFIRMED_AT_ONCE);
    if (typeof confirmed === 'object') throw new ChangedBuiltinError(confirmed.changed);
    return confirmed === 'more';
  }

  /** Notes that further messages of a worker were sent after its cut. */
  markerReceived(worker: number): void {
    this.#missingMarkers.delete(worker);
  }

  get isIncomplete(): boolean {
    return this.#missingMarkers.size > 0;
  }

  /** Finishes the part, and returns the bytes that were not given away. */
  finish(): Uint8Array {
    return this.#pieces.finish();
  }
}

/** Whether an actor is written, or was created after the cut. */
function isWritten(actor: ActorCell, phase: number): boolean {
  return actor.writtenPhase >= phase;
}
