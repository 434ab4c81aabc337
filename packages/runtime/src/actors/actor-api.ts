// Operations on actors, references and messages that a program can call. The caller is the actor whose code runs, or
// the main program outside of turns.

import type { Eventual, Realm } from '@turntable/core';
import { ActorCell, checkMailboxOptions, ORDINALS_PER_EPOCH, MAX_WORKERS } from './actor-cell.ts';
import { observed, publishSpawn } from '../channels.ts';
import type { TurnObservers } from '../scheduler/turn-observers.ts';
import { checkDeadline, type Deadlines, type SendOptions } from '../messaging/answer/deadlines.ts';
import type { Termination } from './termination.ts';
import { FarReference, type FarReferenceClasses } from '../references/far-reference.ts';
import type { ActorConstructor, SchedulerHost } from '../scheduler-host.ts';
import { CONSTRUCT, STOP, WIRE } from '../messaging/message-kinds.ts';
import { NO_ARGS, type MessageQueue } from '../messaging/message-queue.ts';
import type { WorkerLinks } from '../messaging/worker-links.ts';
import type { OutgoingCalls } from '../messaging/send/outgoing-calls.ts';
import { LocalReferences } from '../references/local-references.ts';
import { referenceKey } from '../references/references.ts';
import { checkOptionNames } from '../option-names.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { WorkerSnapshots } from '../snapshot/worker-snapshots.ts';
import { checkSupervisionPolicy, RESTORE, ROLLBACK } from './supervision-policy.ts';
import type { SpawnOptions } from '../types.ts';
import { ReportedTrail, DeadlineTrail, type DeadlineTrails } from '../messaging/answer/deadline-trail.ts';

const SEND_OPTIONS = ['deadline', 'signal'] as const satisfies readonly (keyof SendOptions)[];

export type LocalSpawnOptions = Omit<SpawnOptions, 'on'>;

export interface ActorApiDeps {
  readonly ownWorker: number;
  readonly main: ActorCell;
  readonly realm: Realm;
  readonly host: SchedulerHost;
  readonly queue: MessageQueue<ActorCell>;
  readonly classes: FarReferenceClasses;
  readonly outgoing: OutgoingCalls;
  readonly workerLinks: WorkerLinks;
  readonly turnObservers: TurnObservers;
  readonly termination: Termination;
  readonly trails: DeadlineTrails;
  readonly deadlines: Deadlines;
  currentPhase(): number;
  snapshots(): WorkerSnapshots | undefined;
  wake(): void;
}

export class ActorApi {
  lastSpawned = 0;
  readonly #deps: ActorApiDeps;
  readonly #realm: Realm;
  readonly #main: ActorCell;
  readonly #outgoing: OutgoingCalls;
  readonly #localReferences = new LocalReferences();

  constructor(deps: ActorApiDeps) {
    this.#deps = deps;
    this.#realm = deps.realm;
    this.#main = deps.main;
    this.#outgoing = deps.outgoing;
  }

  /** Spawns an actor with an instance of `type` as its root, which is constructed in the actor's first turn. */
  spawn(
    type: ActorConstructor,
    args: readonly unknown[],
    worker = this.#deps.ownWorker,
    options: LocalSpawnOptions = {},
  ): FarReference {
    const { name, mailbox, supervise } = options;
    if (typeof type !== 'function' || typeof type.prototype !== 'object') throw notAClassError(type);
    if (mailbox !== undefined) checkMailboxOptions(mailbox);
    const policy = checkSupervisionPolicy(supervise);
    const caller = this.currentActor();
    const id = ++this.lastSpawned * MAX_WORKERS + this.#deps.ownWorker;
    const actor = new ActorCell(id, worker, name ?? type);
    actor.writtenPhase = this.#deps.currentPhase();
    const refClass = this.#deps.classes.ofPrototype(type.prototype as object);
    if (observed.spawns) publishSpawn(actor, type, caller);
    if (worker !== this.#deps.ownWorker)
      return this.#deps.workerLinks.spawn(caller, actor, type, refClass, args, mailbox, policy);
    if (mailbox !== undefined) actor.setMailbox(mailbox);
    const copiedArgs = args.length === 0 ? NO_ARGS : this.#outgoing.copyForSpawn(args, actor, type.name);
    const ref = new refClass(actor, 0, undefined);
    this.#deps.queue.addMany(caller, actor, type, CONSTRUCT, ref, copiedArgs);
    // Actors of the main thread need no supervision, since the main thread is lost only with the process.
    if ((policy === ROLLBACK || policy === RESTORE) && worker !== 0)
      this.#deps.workerLinks.superviseLocally(actor, ref, policy, caller);
    this.#deps.wake();
    return ref;
  }

  far(object: object): FarReference {
    const actor = this.currentActor();
    // Checked before `has`, since looking for a private field that is absent is slow in V8.
    if (object === actor.root) return actor.rootRef as FarReference;
    if (FarReference.has(object)) return object;
    const existing = this.#localReferences.find(actor, object);
    if (existing !== undefined) return existing;
    this.#deps.turnObservers.observer?.touch?.(actor);
    const exportId = this.#deps.workerLinks.epoch * ORDINALS_PER_EPOCH + ++actor.exportCount;
    const ref = new (this.#deps.classes.ofObject(object))(actor, exportId, object);
    this.#localReferences.add(object, ref);
    return ref;
  }

  /** Returns the object of a reference if the object belongs to the caller. */
  near(ref: FarReference): object | undefined {
    return FarReference.actorOf(ref) === this.currentActor() ? FarReference.objectOf(ref) : undefined;
  }

  /** Returns an equal string for all references to one object, in all actors. */
  identityOf(ref: FarReference): string {
    return String(referenceKey(FarReference.actorOf(ref).id, FarReference.exportIdOf(ref)));
  }

  /** Returns an object whose methods send calls without an answer. `target`: a reference, or an eventual of one. */
  tell(target: object): object {
    if (FarReference.has(target)) return FarReference.tellReferenceOf(target);
    return createSender((call, args) => this.#outgoing.callOn(target, undefined, call, args));
  }

  /** Returns an object whose methods send calls. `target`: a reference, or an eventual of one. */
  send(target: object): object {
    if (FarReference.has(target)) return target;
    return createSender((call, args) => {
      const replyTo = this.#realm.parts.eventuals.create();
      this.#outgoing.callOn(target, replyTo, call, args, this.#currentTrail());
      return replyTo;
    });
  }

  /** Returns an object whose methods send calls with a deadline or a signal. */
  sendWith(options: SendOptions, target: object): object {
    checkOptionNames('sendWith()', options, SEND_OPTIONS);
    checkDeadline(options.deadline);
    return createSender((call, args) => {
      const { eventuals } = this.#realm.parts;
      const replyTo = eventuals.create();
      const actor = this.currentActor();
      if (options.signal?.aborted === true) {
        eventuals.reject(replyTo, options.signal.reason);
        return replyTo;
      }
      // Steps of the new trail are also reported to the trail of this turn.
      const outerTrail = this.#currentTrail();
      const number = this.#deps.deadlines.nextNumber();
      const trail = new DeadlineTrail(actor.name, outerTrail && new ReportedTrail(outerTrail), number);
      // If an eventual is the target and is rejected, the call is never sent. Settling `replyTo` then ends the trail.
      if (!FarReference.has(target)) this.#deps.trails.track(replyTo, actor, trail);
      this.#outgoing.callOn(target, replyTo, call, args, trail);
      this.#deps.deadlines.add(options, { number, actor, replyTo, call, trail });
      return replyTo;
    });
  }

  /** Stops an actor after its earlier messages. The actor drops its objects, and later messages are rejected. */
  stop(ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    if (actor.id < MAX_WORKERS)
      throw new RuntimeError(
        'TT_NOT_OWNER',
        'stop(…) must be given a reference to a spawned actor; revoke other references with release(…) in the actor that owns them',
      );
    const caller = this.currentActor();
    if (actor.worker === this.#deps.ownWorker) {
      this.#deps.queue.addSignal(caller, actor, undefined, STOP);
      this.#deps.wake();
      return;
    }
    this.#deps.workerLinks.unsupervise(actor);
    this.#deps.workerLinks.sendSignal(actor.worker, WIRE.stop, caller.id, actor.id, 0, 0);
  }

  /** Makes an object of the caller unreachable through its reference: further messages to the object are rejected. */
  release(ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    const object = FarReference.objectOf(ref);
    if (actor !== this.currentActor())
      throw new RuntimeError(
        'TT_NOT_OWNER',
        `only ${actor.name} can release its objects; call release(…) in a method of that actor`,
      );
    if (FarReference.exportIdOf(ref) === 0)
      throw new RuntimeError(
        'TT_NOT_OWNER',
        `${actor.name} is an actor, not an object of an actor; stop it with stop(…)`,
      );
    this.#deps.turnObservers.observer?.touch?.(actor);
    this.#deps.snapshots()?.release(ref);
    if (object !== undefined) this.#localReferences.delete(object);
    FarReference.release(ref);
  }

  /** Returns an eventual that is fulfilled with the reason when the actor can no longer receive messages. */
  whenBroken(ref: FarReference): Eventual {
    const actor = FarReference.actorOf(ref);
    const replyTo = this.#realm.parts.eventuals.create();
    const caller = this.currentActor();
    if (actor.worker === this.#deps.ownWorker) {
      this.#deps.termination.watch(actor, { kind: 'reply', asker: caller, replyTo });
      return replyTo;
    }
    const { workerLinks } = this.#deps;
    const link = workerLinks.linkTo(actor);
    if (link.hasLostActor(actor)) this.#realm.parts.eventuals.resolve(replyTo, link.lostError(actor));
    else {
      const callId = link.registerCall(replyTo, caller, actor, undefined);
      workerLinks.sendSignal(actor.worker, WIRE.watch, caller.id, actor.id, 0, callId);
    }
    return replyTo;
  }

  /** The actor whose code runs. Outside of turns, the actor in which the running callback was created. */
  currentActor(): ActorCell {
    const { home } = this.#realm.current.context;
    return home instanceof ActorCell ? home : this.#main;
  }

  #currentTrail(): DeadlineTrail | undefined {
    return this.#realm.current.context.trail as DeadlineTrail | undefined;
  }

  /** Returns the reference that passes in place of an object; undefined if the object does not pass by reference. */
  referenceTo(value: object): FarReference | undefined {
    if (FarReference.has(value)) return value;
    return (
      this.#localReferences.find(this.currentActor(), value) ??
      (this.#deps.host.isPassedByReference(value) ? this.far(value) : undefined)
    );
  }

  /** Registers the reference to a restored object. */
  relend(object: object, ref: FarReference): void {
    this.#localReferences.add(object, ref);
  }
}

function notAClassError(value: unknown): RuntimeError {
  const what = typeof value === 'function' ? 'a function' : typeof value === 'object' ? 'an object' : String(value);
  return new RuntimeError(
    'TT_UNKNOWN_CLASS',
    `spawn(…) must be given a class, not ${what}; if import cycles lead to its module, spawn it after they are evaluated`,
  );
}

/** Returns an object that has every method except `then`; each method calls `send`. */
function createSender(send: (call: string, args: unknown[]) => unknown): object {
  return new Proxy(emptyTarget, {
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : (...args: unknown[]) => send(key, args)),
  });
}
const emptyTarget = Object.freeze({ __proto__: null });
