// What the program of a worker can ask of it: actors, references, messages. Everything is asked for by the actor whose code runs, which is the main
// program outside of all turns.

import type { Eventual, Realm } from '@turntable/core';
import { Actor, checkMailbox, LIFE, MOST_WORKERS } from './actor.ts';
import { observed, publishSpawn } from '../channels.ts';
import type { Company } from '../scheduler/company.ts';
import { checkDeadline, type Deadlines, type SendOptions } from '../messaging/answer/deadline.ts';
import type { Endings } from './endings.ts';
import { FarRef, type FarRefClasses } from '../references/far-ref.ts';
import type { Class, SchedulerHost } from '../host.ts';
import { CONSTRUCT, STOP, WIRE } from '../messaging/message-kinds.ts';
import { NOTHING, type MessageQueue } from '../messaging/message-queue.ts';
import type { Neighbours } from '../messaging/neighbours.ts';
import type { Outgoing } from '../messaging/send/outgoing.ts';
import { OwnReferences } from '../references/own-references.ts';
import { keyFor } from '../references/references.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import { checkSupervise, RESTORE, ROLLBACK } from './supervise.ts';
import type { SpawnOptions } from '../types.ts';
import { ReportedTrail, Trail, type Trails } from '../messaging/answer/trail.ts';

export type SpawnSettings = Omit<SpawnOptions, 'on'>;

export interface ProgramParts {
  readonly here: number;
  readonly main: Actor;
  readonly realm: Realm;
  readonly host: SchedulerHost;
  readonly queue: MessageQueue<Actor>;
  readonly classes: FarRefClasses;
  readonly outgoing: Outgoing;
  readonly neighbours: Neighbours;
  readonly company: Company;
  readonly endings: Endings;
  readonly trails: Trails;
  readonly deadlines: Deadlines;
  phase(): number;
  snapshots(): Snapshots | undefined;
  wake(): void;
}

export class Program {
  /** The ordinal of the actor that was spawned last. */
  spawned = 0;
  readonly #parts: ProgramParts;
  readonly #realm: Realm;
  readonly #main: Actor;
  readonly #outgoing: Outgoing;
  /** References to what belongs to actors here. */
  readonly #refs = new OwnReferences();

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    this.#realm = parts.realm;
    this.#main = parts.main;
    this.#outgoing = parts.outgoing;
  }

  /** An actor with an instance of the class as its root. It is made in the actor's first turn. */
  spawn(type: Class, args: readonly unknown[], worker = this.#parts.here, settings: SpawnSettings = {}): FarRef {
    const { name, mailbox, supervise } = settings;
    if (typeof type !== 'function' || typeof type.prototype !== 'object') throw noClass(type);
    if (mailbox !== undefined) checkMailbox(mailbox);
    const way = checkSupervise(supervise);
    const from = this.currentActor();
    const id = ++this.spawned * MOST_WORKERS + this.#parts.here;
    const actor = new Actor(id, worker, name ?? type);
    actor.writtenIn = this.#parts.phase();
    const refClass = this.#parts.classes.of(type.prototype as object);
    if (observed.spawns) publishSpawn(actor, type, from);
    if (worker !== this.#parts.here)
      return this.#parts.neighbours.spawn(from, actor, type, refClass, args, mailbox, way);
    if (mailbox !== undefined) actor.setMailbox(mailbox);
    const passed = args.length === 0 ? NOTHING : this.#outgoing.passToNew(args, actor, type.name);
    const ref = new refClass(actor, 0, undefined);
    this.#parts.queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
    // The main thread is not lost but with the process.
    if ((way === ROLLBACK || way === RESTORE) && worker !== 0) this.#parts.neighbours.keepHere(actor, ref, way, from);
    this.#parts.wake();
    return ref;
  }

  /** A reference to an object of the actor whose turn it is, for others. */
  far(object: object): FarRef {
    const actor = this.currentActor();
    // First: V8 asks the runtime about private fields that are not there.
    if (object === actor.root) return actor.rootRef as FarRef;
    if (FarRef.has(object)) return object;
    const known = this.#refs.of(actor, object);
    if (known !== undefined) return known;
    this.#parts.company.onlooker?.touch?.(actor);
    const number = this.#parts.neighbours.life * LIFE + ++actor.exports;
    const ref = new (this.#parts.classes.ofObject(object))(actor, number, object);
    this.#refs.add(object, ref);
    return ref;
  }

  /** The object behind a reference, if it belongs to the actor whose turn it is. */
  near(ref: FarRef): object | undefined {
    return FarRef.actorOf(ref) === this.currentActor() ? FarRef.objectOf(ref) : undefined;
  }

  /** Equal for references to one object, in all actors. */
  identityOf(ref: FarRef): string {
    return String(keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref)));
  }

  /** For messages whose outcome nobody asks for. `target`: a reference, or an eventual that will be one. */
  tell(target: object): object {
    if (FarRef.has(target)) return FarRef.tellerOf(target);
    return sending((call, args) => this.#outgoing.callOn(target, undefined, call, args));
  }

  /** For messages to a reference, or to an eventual that will be one. */
  send(target: object): object {
    if (FarRef.has(target)) return target;
    return sending((call, args) => {
      const settles = this.#realm.parts.eventuals.create();
      this.#outgoing.callOn(target, settles, call, args, this.#realm.now.context.trail as Trail | undefined);
      return settles;
    });
  }

  /** For messages whose answer is wanted in time. */
  sendWith(options: SendOptions, target: object): object {
    checkDeadline(options.deadline);
    return sending((call, args) => {
      const { eventuals } = this.#realm.parts;
      const settles = eventuals.create();
      const actor = this.currentActor();
      if (options.signal?.aborted === true) {
        eventuals.reject(settles, options.signal.reason);
        return settles;
      }
      // What it leads to is led to by what this turn handles, too.
      const outer = this.#realm.now.context.trail as Trail | undefined;
      const number = this.#parts.deadlines.next();
      const trail = new Trail(actor.name, outer === undefined ? undefined : new ReportedTrail(outer), number);
      // Nothing may come to be asked.
      if (!FarRef.has(target)) this.#parts.trails.ask(settles, actor, trail);
      this.#outgoing.callOn(target, settles, call, args, trail);
      this.#parts.deadlines.add(options, { number, actor, settles, call, trail });
      return settles;
    });
  }

  /** After what has been sent to it before: what waits for the actor then, and what comes, is rejected, and its objects are let go. */
  stop(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    if (actor.id < MOST_WORKERS)
      throw new RuntimeError(
        'TT_NOT_OWNER',
        'this belongs to no actor that was spawned, so there is none to stop; who has lent it takes it back with release(…)',
      );
    const from = this.currentActor();
    if (actor.worker === this.#parts.here) {
      this.#parts.queue.addSignal(from, actor, undefined, STOP);
      this.#parts.wake();
      return;
    }
    this.#parts.neighbours.ends(actor);
    this.#parts.neighbours.send(actor.worker, WIRE.stop, from.id, actor.id, 0, 0);
  }

  /** Takes back a reference to an object of the actor whose turn it is: what is sent to it from now on is rejected. */
  release(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    const object = FarRef.objectOf(ref);
    if (actor !== this.currentActor())
      throw new RuntimeError('TT_NOT_OWNER', `only ${actor.name} can release what belongs to it`);
    if (FarRef.numberOf(ref) === 0)
      throw new RuntimeError('TT_NOT_OWNER', `${actor.name} is an actor, not an object of one; stop it with stop(…)`);
    this.#parts.company.onlooker?.touch?.(actor);
    this.#parts.snapshots()?.release(ref);
    if (object !== undefined) this.#refs.delete(object);
    FarRef.release(ref);
  }

  /** Settled with the reason when nothing can be sent to the actor any more. */
  whenBroken(ref: FarRef): Eventual {
    const actor = FarRef.actorOf(ref);
    const settles = this.#realm.parts.eventuals.create();
    const from = this.currentActor();
    if (actor.worker === this.#parts.here) {
      this.#parts.endings.watch(actor, { what: 'asked', to: from, settles });
      return settles;
    }
    const { neighbours } = this.#parts;
    const link = neighbours.to(actor);
    if (link.hasLost(actor)) this.#realm.parts.eventuals.resolve(settles, link.failure(actor));
    else neighbours.send(actor.worker, WIRE.watch, from.id, actor.id, 0, link.ask(settles, from, actor, undefined));
    return settles;
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  currentActor(): Actor {
    const { home } = this.#realm.now.context;
    return home instanceof Actor ? home : this.#main;
  }

  /** To an object that passes by reference, if it is one. */
  referenceTo(value: object): FarRef | undefined {
    if (FarRef.has(value)) return value;
    return (
      this.#refs.of(this.currentActor(), value) ?? (this.#parts.host.isReferenced(value) ? this.far(value) : undefined)
    );
  }

  /** What was lent before is known again. */
  lendAgain(object: object, ref: FarRef): void {
    this.#refs.add(object, ref);
  }
}

function noClass(value: unknown): RuntimeError {
  const what = typeof value === 'function' ? 'a function' : typeof value === 'object' ? 'an object' : String(value);
  return new RuntimeError(
    'TT_UNKNOWN_CLASS',
    `spawn was given ${what}, which is no class; if its module is imported in a circle, it is not there yet`,
  );
}

/** An object on which any method can be called, but `then`. */
function sending(send: (call: string, args: unknown[]) => unknown): object {
  return new Proxy(blank, {
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : (...args: unknown[]) => send(key, args)),
  });
}
const blank = Object.freeze({ __proto__: null });
