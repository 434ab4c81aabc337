// The event loop of a worker: whose turn is next, and what a turn is. A turn handles one message to its end, jobs that came of it
// included; nothing of another actor runs in between. What a turn does is decided by the messages alone; time only decides when
// the loop goes back to Node, after which it goes on where it was.

import type { Realm } from '@turntable/core';
import { Eventual } from '@turntable/core';
import { Actor } from './actor.ts';
import { FarRef, FarRefClasses, type Teller } from './far-ref.ts';
import { MessageQueue } from './message-queue.ts';
import { Passing, type TypeChecks } from './passing.ts';
import { RuntimeError } from './runtime-error.ts';

export interface SchedulerHost {
  readonly types: TypeChecks;
  /** Runs a callback once what runs now has ended. */
  soon(callback: () => void): void;
  /** Runs a callback once Node has looked at what came from outside. */
  later(callback: () => void): void;
  /** Milliseconds; for nothing but how long the loop keeps from Node. */
  now(): number;
}

/** What is called that is no method of the program's. */
const CONSTRUCT = { call: 'construct' };
const FULFIL = { call: 'fulfil' };
const REJECT = { call: 'reject' };

/** So many turns between two looks at the clock. */
const ROUND = 64;
/** Milliseconds after which Node has its turn. */
const SLICE = 1;

type Class = abstract new (...args: never) => object;
type Method = (...args: unknown[]) => unknown;

export class Scheduler {
  /** The program outside of all actors that it has spawned. */
  readonly main = new Actor(0, 'the main program');
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #queue: MessageQueue<Actor>;
  readonly #classes: FarRefClasses;
  readonly #passing: Passing;
  readonly #actors: (Actor | undefined)[] = [this.main];
  /** References to what belongs to actors here. */
  readonly #refs = new WeakMap<object, FarRef>();
  #current = this.main;
  /** Whom the value is for that is being passed. */
  #recipient = this.main;
  #isRunning = false;
  #isDue = false;

  constructor(realm: Realm, host: SchedulerHost) {
    this.#realm = realm;
    this.#host = host;
    this.#queue = new MessageQueue((recipient, target, call, settles, sender, count, a, b, c, many) =>
      this.#turn(recipient, target, call, settles, sender, count, a, b, c, many),
    );
    this.#classes = new FarRefClasses({
      send: (ref, asks, call, count, a, b, c) => this.#send(ref, asks, call, count, a, b, c),
      sendMany: (ref, asks, call, args) => this.#sendMany(ref, asks, call, args),
    });
    this.#passing = new Passing({ reference: (value) => this.#referenceTo(value), types: host.types });
  }

  // ── For the program ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** An actor with an instance of the class as its root. It is made in the actor's first turn. */
  spawn(type: Class, args: readonly unknown[]): FarRef {
    const from = this.#currentActor();
    const actor = new Actor(this.#actors.length, `${type.name}#${this.#actors.length}`);
    const passed = this.#passAll(args, actor, () => `new ${type.name}`);
    this.#actors[actor.id] = actor;
    const ref = new (this.#classes.of(type.prototype as object))(actor, 0);
    this.#queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
    this.#wake();
    return ref;
  }

  /** A reference to an object of the actor whose turn it is, for others. */
  far(object: object): FarRef {
    if (FarRef.has(object)) return object;
    const known = this.#refs.get(object);
    if (known !== undefined) return known;
    const actor = this.#currentActor();
    const number = actor.exports.push(object) - 1;
    const ref = new (this.#classes.of(Object.getPrototypeOf(object) as object))(actor, number);
    this.#refs.set(object, ref);
    return ref;
  }

  /** The object behind a reference, if it belongs to the actor whose turn it is. */
  near(ref: FarRef): object | undefined {
    const actor = FarRef.actorOf(ref);
    return actor === this.#currentActor() ? actor.exports[FarRef.numberOf(ref)] : undefined;
  }

  /** Equal for references to one object, in all actors. */
  identityOf(ref: FarRef): string {
    return `${FarRef.actorOf(ref).id}.${FarRef.numberOf(ref)}`;
  }

  /** For messages whose outcome nobody asks for. */
  tell(ref: FarRef): Teller {
    return FarRef.tellerOf(ref);
  }

  /** What waits for the actor, and what comes, is rejected; its objects are let go. */
  stop(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    this.#break(
      actor,
      new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has been stopped; it takes no more messages`),
    );
  }

  // ── Sending ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #send(
    ref: FarRef,
    asks: boolean,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): Eventual | undefined {
    const from = this.#currentActor();
    const settles = asks ? this.#realm.parts.eventuals.create() : undefined;
    const actor = FarRef.actorOf(ref);
    const number = FarRef.numberOf(ref);
    this.#queue.add(
      from,
      actor,
      number,
      call,
      settles,
      count,
      count > 0 ? this.#pass(a, actor, call, 0) : undefined,
      count > 1 ? this.#pass(b, actor, call, 1) : undefined,
      count > 2 ? this.#pass(c, actor, call, 2) : undefined,
    );
    this.#wake();
    return settles;
  }

  #sendMany(ref: FarRef, asks: boolean, call: string, args: readonly unknown[]): Eventual | undefined {
    const from = this.#currentActor();
    const settles = asks ? this.#realm.parts.eventuals.create() : undefined;
    const actor = FarRef.actorOf(ref);
    this.#queue.addMany(
      from,
      actor,
      FarRef.numberOf(ref),
      call,
      settles,
      this.#passAll(args, actor, () => nameOf(actor, call)),
    );
    this.#wake();
    return settles;
  }

  #pass(value: unknown, actor: Actor, call: string, place: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    } else if (FarRef.has(value)) return value;
    return this.#passArgument(value, actor, call, place);
  }

  // V8 makes room for what a function's closures share whenever it is called: those for names are in functions of their own.

  #passArgument(value: unknown, actor: Actor, call: string, place: number): unknown {
    return this.#passTo(actor, value, () => `args[${place}] of ${nameOf(actor, call)}`);
  }

  #passResult(value: unknown, actor: Actor, sender: Actor, call: string): unknown {
    return this.#passTo(sender, value, () => `the result of ${nameOf(actor, call)}`);
  }

  #passReason(reason: unknown, actor: Actor, sender: Actor): unknown {
    return this.#passTo(sender, reason, () => `what ${actor.name} has thrown`);
  }

  #passAll(args: readonly unknown[], actor: Actor, name: () => string): unknown[] {
    return args.map((arg, i) => this.#passTo(actor, arg, () => `args[${i}] of ${name()}`));
  }

  #passTo(actor: Actor, value: unknown, name: () => string): unknown {
    this.#recipient = actor;
    return this.#passing.pass(value, name);
  }

  #referenceTo(value: object): object | undefined {
    if (FarRef.has(value)) return value;
    if (this.#isEventual(value)) return this.#passedEventual(value);
    return this.#refs.get(value);
  }

  #isEventual(value: unknown): value is object {
    return Eventual.has(value) || this.#realm.parts.brands.isNativePromise(value);
  }

  /** An eventual of the recipient's that is settled as this one is. */
  #passedEventual(value: object): Eventual {
    const settles = this.#realm.parts.eventuals.create();
    this.#follow(this.#currentActor(), this.#recipient, settles, 'an eventual that was passed', value);
    return settles;
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  #currentActor(): Actor {
    const { home } = this.#realm.now.context;
    if (this.#current !== home) this.#current = home instanceof Actor ? home : this.main;
    return this.#current;
  }

  // ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  #wake(): void {
    if (this.#isDue || this.#isRunning) return;
    this.#isDue = true;
    this.#host.soon(() => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    this.#isRunning = true;
    const { context } = this.#realm.now;
    const until = this.#host.now() + SLICE;
    let isLeft = true;
    try {
      do isLeft = this.#queue.run(ROUND);
      while (isLeft && this.#host.now() < until);
    } finally {
      this.#isRunning = false;
      this.#realm.now.context = context;
      if (isLeft) {
        this.#isDue = true;
        this.#host.later(() => this.#run());
      }
    }
  }

  #turn(
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: unknown,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    const { now, jobs } = this.#realm;
    this.#current = actor;
    now.context = actor.context;
    if (typeof call === 'string') {
      const object = actor.exports[target as number] as Record<string, Method> | undefined;
      if (object === undefined)
        this.#reject(actor, sender, settles as Eventual | undefined, actor.failure ?? gone(actor));
      else {
        let value: unknown;
        let failed = false;
        try {
          value =
            count === 0
              ? (object[call] as Method)()
              : count === 1
                ? (object[call] as Method)(a)
                : count === 2
                  ? (object[call] as Method)(a, b)
                  : count === 3
                    ? (object[call] as Method)(a, b, c)
                    : (object[call] as Method)(...many);
        } catch (error) {
          failed = true;
          value = error;
        }
        if (failed) this.#reject(actor, sender, settles as Eventual | undefined, value);
        else this.#answer(actor, sender, settles as Eventual | undefined, call, value);
      }
    } else if (call === FULFIL) this.#realm.parts.eventuals.resolve(settles as Eventual, a);
    else if (call === REJECT) this.#realm.parts.eventuals.reject(settles as Eventual, a);
    else this.#construct(actor, target as Class, settles as FarRef, count > 3 ? many : [a, b, c].slice(0, count));
    if (jobs.size() > 0) jobs.drain();
  }

  #construct(actor: Actor, type: Class, ref: FarRef, args: readonly unknown[]): void {
    if (actor.failure !== undefined) return;
    try {
      const root = Reflect.construct(type as unknown as new () => object, args as unknown[]) as object;
      actor.exports[0] = root;
      this.#refs.set(root, ref);
    } catch (cause) {
      const message = `${actor.name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#break(actor, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
    }
  }

  #break(actor: Actor, failure: RuntimeError): void {
    if (actor.failure !== undefined) return;
    actor.failure = failure;
    actor.exports.fill(undefined);
  }

  /** The outcome of a call goes to who asked for it, as a message; that of what the call has begun once there is one. */
  #answer(actor: Actor, sender: Actor, settles: Eventual | undefined, call: string, value: unknown): void {
    if (settles === undefined) return;
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
      if (this.#isEventual(value)) return this.#follow(actor, sender, settles, call, value);
      try {
        value = this.#passResult(value, actor, sender, call);
      } catch (error) {
        return this.#reject(actor, sender, settles, error);
      }
    }
    this.#queue.add(actor, sender, undefined, FULFIL, settles, 1, value, undefined, undefined);
  }

  #follow(actor: Actor, sender: Actor, settles: Eventual, call: string, value: object): void {
    const eventual = this.#realm.parts.eventuals.eventualOf(value) as unknown as PromiseLike<unknown>;
    void eventual.then(
      (result) => {
        this.#answer(actor, sender, settles, call, result);
        this.#wake();
      },
      (reason: unknown) => {
        this.#reject(actor, sender, settles, reason);
        this.#wake();
      },
    );
  }

  /** What nobody asked for is reported where it has failed. */
  #reject(actor: Actor, sender: Actor, settles: Eventual | undefined, reason: unknown): void {
    const { eventuals } = this.#realm.parts;
    if (settles === undefined) return eventuals.reject(eventuals.create(), reason);
    let passed: unknown;
    try {
      passed = this.#passReason(reason, actor, sender);
    } catch (error) {
      passed = error;
    }
    this.#queue.add(actor, sender, undefined, REJECT, settles, 1, passed, undefined, undefined);
  }
}

function nameOf(actor: Actor, call: string): string {
  return `${actor.name}.${call}`;
}

function gone(actor: Actor): RuntimeError {
  return new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has let go of the object that this reference stands for`);
}
