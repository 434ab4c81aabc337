// The event loop of a worker: whose turn is next, and what a turn is. A turn handles one message to its end, jobs that came of it
// included; nothing of another actor runs in between. What a turn does is decided by the messages alone, and which messages there are by
// what was taken from other workers, how much of it and after which turn: time decides only when the loop looks.

import { ROOT_CONTEXT, type Eventual, type Realm } from '@turntable/core';
import { Actor, MOST_WORKERS, type Watcher } from './actor.ts';
import { aloneWith } from './alone.ts';
import { FarRef, FarRefClasses } from './far-ref.ts';
import type { Link, LinkOwner } from './link.ts';
import { CONSTRUCT, FULFIL, REJECT, STOP, WIRE } from './message-kinds.ts';
import { MessageQueue } from './message-queue.ts';
import { Outgoing, type Settles, type TrackedCall } from './outgoing.ts';
import type { TypeChecks } from './passing.ts';
import { creatorOf, keyFor, References } from './references.ts';
import { ActorLostError, RuntimeError } from './runtime-error.ts';
import { Trail } from './trail.ts';
import { Unborn } from './unborn.ts';

export interface SchedulerHost {
  readonly types: TypeChecks;
  /** Runs a callback once what runs now has ended. */
  soon(callback: () => void): void;
  /** Runs a callback once Node has looked at what came from outside. */
  later(callback: () => void): void;
  /** Milliseconds; for nothing but how long the loop keeps from Node. */
  now(): number;
  /** Runs a callback after so many milliseconds; answers how to call it off. */
  after(milliseconds: number, callback: () => void): () => void;
  /** What has failed and nobody asked for. */
  report(actor: string, reason: unknown): void;
  /** Classes as all workers know them. */
  readonly classes: ClassDirectory;
  /** Errors of classes of the program's are that again. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  /** Objects of the program that never pass by copy. */
  isReferenced(value: object): boolean;
  /** Nothing is to be done until something comes. True: it has come; false: when it comes, the thread will be woken. */
  rest(isEmpty: () => boolean): boolean;
  /** There is something to do again. */
  awake(): void;
}

export interface ClassDirectory {
  /** What all workers know a class by; for one that only this worker knows, something that no other class has. */
  keyOf(prototype: object): string;
  /** The same, for an actor that is to live elsewhere: fails if no other worker can find it. */
  addressOf(type: Class): string;
  /** A class by its address, now or once it is loaded. */
  find(address: string): Class | Promise<Class>;
}

/** What a worker does before it looks elsewhere. */
export interface Pace {
  /** Turns between two looks at the clock and at other workers. */
  readonly round: number;
  /** Messages of another worker that are taken at a time. */
  readonly batch: number;
}

/** So many messages of a worker are taken after so many turns. */
export interface Ingest {
  readonly turns: number;
  readonly worker: number;
  readonly count: number;
}

/** Sees what a run of this worker is a function of. */
export interface Observer {
  ingest(ingest: Ingest): void;
}

export type Class = abstract new (...args: never) => object;
type Method = (...args: unknown[]) => unknown;

const USUAL: Pace = { round: 64, batch: 512 };
/** Milliseconds after which Node has its turn. */
const SLICE = 1;

export interface SendOptions {
  /** Milliseconds, or the moment. */
  readonly deadline?: number | Date;
  readonly signal?: AbortSignal;
}

export class Scheduler {
  readonly index: number;
  /** The program of this thread outside of all actors that were spawned. */
  readonly main: Actor;
  readonly references: References;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #pace: Pace;
  readonly #queue: MessageQueue<Actor>;
  readonly #classes: FarRefClasses;
  readonly #outgoing: Outgoing;
  readonly #links: (Link | undefined)[] = [];
  #touched: Link[] = [];
  /** References to what belongs to actors here. */
  readonly #refs = new WeakMap<object, FarRef>();
  readonly #unborn: Unborn;
  #actors = 0;
  #turns = 0;
  #busy = 0;
  #current: Actor;
  #isRunning = false;
  #isDue = false;
  #observer: Observer | undefined;
  /** What is to be taken when, if this is a run again; the next one last. */
  #script: Ingest[] | undefined;

  constructor(
    realm: Realm,
    host: Pick<SchedulerHost, 'types' | 'soon' | 'later' | 'now'> & Partial<SchedulerHost>,
    index = 0,
    pace = USUAL,
  ) {
    this.index = index;
    this.#pace = pace;
    this.#realm = realm;
    const whole = 'rest' in host ? (host as SchedulerHost) : { ...aloneWith(realm), ...host };
    this.#host = whole;
    this.#current = this.main = new Actor(
      index,
      index,
      index === 0 ? 'the main program' : `worker ${index}`,
      ROOT_CONTEXT,
    );
    this.references = new References(index, (worker, actor, number, count) =>
      this.#letGo(worker, actor, number, count),
    );
    this.#queue = new MessageQueue((recipient, target, call, settles, sender, count, a, b, c, many) =>
      this.#turn(recipient, target, call, settles as Settles, sender, count, a, b, c, many),
    );
    this.#outgoing = new Outgoing({
      realm,
      here: index,
      queue: this.#queue,
      types: host.types,
      current: () => this.#currentActor(),
      referenceTo: (value) => this.#referenceTo(value),
      linkTo: (actor) => this.#links[actor.worker] as Link,
      wake: () => this.#wake(),
      touch: (link) => this.#touch(link),
      report: (actor, reason) => this.#report(actor, reason),
    });
    realm.parts.rejections.divert((home, reason) => {
      if (!(home instanceof Actor)) return false;
      this.#report(home, reason);
      return true;
    });
    this.#classes = new FarRefClasses(this.#outgoing, (prototype) => whole.classes.keyOf(prototype));
    this.#unborn = new Unborn(index);
  }

  /** Milliseconds that turns have taken. */
  get busy(): number {
    return this.#busy;
  }
  /** Bytes that wait for room on their way to others. */
  get spilled(): number {
    return this.#links.reduce((sum, link) => sum + (link?.isOpen === true ? link.outbox.spilled : 0), 0);
  }
  get turns(): number {
    return this.#turns;
  }
  /** Messages that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  observe(observer: Observer | undefined): void {
    this.#observer = observer;
  }

  /** Takes from other workers what was taken before, when it was taken, and nothing else. */
  follow(ingests: readonly Ingest[]): void {
    this.#script = ingests.toReversed();
    this.#wake();
  }

  // ── For the program ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** An actor with an instance of the class as its root. It is made in the actor's first turn. */
  spawn(type: Class, args: readonly unknown[], worker = this.index, named?: string): FarRef {
    const from = this.#currentActor();
    const id = ++this.#actors * MOST_WORKERS + this.index;
    const actor = new Actor(id, worker, named ?? `${type.name}#${displayed(id)}`);
    const refClass = this.#classes.of(type.prototype as object);
    if (worker !== this.index) return this.#spawnAway(from, actor, type, refClass, args);
    const passed = this.#outgoing.passToNew(args, actor, type.name);
    const ref = new refClass(actor, 0, undefined);
    this.#queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
    this.#wake();
    return ref;
  }

  #spawnAway(
    from: Actor,
    actor: Actor,
    type: Class,
    refClass: ReturnType<FarRefClasses['of']>,
    args: readonly unknown[],
  ): FarRef {
    const link = this.#links[actor.worker];
    if (link === undefined) throw new RuntimeError('TT_PLACEMENT', `there is no worker ${actor.worker}`);
    if (!link.isOpen) throw link.failure(actor);
    const address = this.#host.classes.addressOf(type);
    const name = (place: number): string => `args[${place - 1}] of new ${type.name}`;
    link.addMany(WIRE.spawn, from.id, actor.id, 0, 0, address, [actor.name, ...args], name);
    this.#touch(link);
    return this.references.spawned(actor, refClass);
  }

  /** A reference to an object of the actor whose turn it is, for others. */
  far(object: object): FarRef {
    if (FarRef.has(object)) return object;
    const known = this.#refs.get(object);
    if (known !== undefined) return known;
    const actor = this.#currentActor();
    const ref = new (this.#classes.ofObject(object))(actor, ++actor.exports, object);
    this.#refs.set(object, ref);
    return ref;
  }

  /** The object behind a reference, if it belongs to the actor whose turn it is. */
  near(ref: FarRef): object | undefined {
    return FarRef.actorOf(ref) === this.#currentActor() ? FarRef.objectOf(ref) : undefined;
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
      this.#outgoing.callOn(target, settles, call, args);
      return settles;
    });
  }

  /** For messages whose answer is wanted in time. */
  sendWith(options: SendOptions, target: object): object {
    return sending((call, args) => {
      const settles = this.#realm.parts.eventuals.create();
      const { signal, deadline } = options;
      if (signal?.aborted === true) {
        this.#realm.parts.eventuals.reject(settles, signal.reason);
        return settles;
      }
      const trail = new Trail(this.#currentActor().name);
      this.#outgoing.callOn(target, settles, call, args, trail);
      this.#bound(settles, trail, call, deadline, signal);
      return settles;
    });
  }

  #bound(
    settles: Eventual,
    trail: Trail,
    call: string,
    deadline: number | Date | undefined,
    signal: AbortSignal | undefined,
  ): void {
    const actor = this.#currentActor();
    const callOff: (() => void)[] = [];
    const end = (reason: () => unknown): void => {
      for (const each of callOff) each();
      // In a turn of its own, as any answer.
      this.#queue.add(actor, actor, undefined, REJECT, settles, 1, reason(), undefined, undefined);
      this.#wake();
    };
    if (deadline !== undefined) {
      const milliseconds = typeof deadline === 'number' ? deadline : Math.max(0, deadline.getTime() - Date.now());
      callOff.push(this.#host.after(milliseconds, () => end(() => late(call, milliseconds, trail))));
    }
    if (signal !== undefined) {
      const abort = (): void => end(() => signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      callOff.push(() => signal.removeEventListener('abort', abort));
    }
    trail.whenOver(() => callOff.forEach((each) => each()));
  }

  /** After what has been sent to it before: what waits for the actor then, and what comes, is rejected, and its objects are let go. */
  stop(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    const from = this.#currentActor();
    if (actor.worker === this.index) {
      this.#queue.add(from, actor, undefined, STOP, undefined, 0, undefined, undefined, undefined);
      this.#wake();
      return;
    }
    const link = this.#links[actor.worker] as Link;
    if (!link.isOpen) return;
    link.add(WIRE.stop, from.id, actor.id, 0, 0, undefined, 0, undefined, undefined, undefined, noName);
    this.#touch(link);
  }

  /** Takes back a reference to an object of the actor whose turn it is: what is sent to it from now on is rejected. */
  release(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    const object = FarRef.objectOf(ref);
    if (actor !== this.#currentActor())
      throw new RuntimeError('TT_NOT_OWNER', `only ${actor.name} can release what belongs to it`);
    if (FarRef.numberOf(ref) === 0)
      throw new RuntimeError('TT_NOT_OWNER', `${actor.name} is an actor, not an object of one; stop it with stop(…)`);
    if (object !== undefined) this.#refs.delete(object);
    FarRef.release(ref);
  }

  /** Settled with the reason when nothing can be sent to the actor any more. */
  whenBroken(ref: FarRef): Eventual {
    const actor = FarRef.actorOf(ref);
    const settles = this.#realm.parts.eventuals.create();
    const from = this.#currentActor();
    if (actor.worker === this.index) {
      this.#watch(actor, (failure) => this.#outgoing.answer(actor, from, settles, 'whenBroken', failure));
      return settles;
    }
    const link = this.#links[actor.worker] as Link;
    if (!link.isOpen) this.#realm.parts.eventuals.resolve(settles, link.failure(actor));
    else {
      const question = link.ask(settles, from, actor, true);
      link.add(WIRE.watch, from.id, actor.id, 0, question, undefined, 0, undefined, undefined, undefined, noName);
      this.#touch(link);
    }
    return settles;
  }

  #watch(actor: Actor, watcher: Watcher): void {
    if (actor.failure !== undefined) watcher(actor.failure);
    else (actor.watchers ??= []).push(watcher);
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  #currentActor(): Actor {
    const { home } = this.#realm.now.context;
    if (this.#current !== home) this.#current = home instanceof Actor ? home : this.main;
    return this.#current;
  }

  #referenceTo(value: object): FarRef | undefined {
    if (FarRef.has(value)) return value;
    return this.#refs.get(value) ?? (this.#host.isReferenced(value) ? this.far(value) : undefined);
  }

  #report(actor: Actor, reason: unknown): void {
    this.#host.report(actor.name, reason);
  }

  // ── Other workers ────────────────────────────────────────────────────────────────────────────────────────────────────

  connect(make: (owner: LinkOwner) => Link): void {
    const link = make({
      here: this.index,
      classes: this.#classes,
      references: this.references,
      types: this.#host.types,
      reference: (value) => (this.#outgoing.isEventual(value) ? value : this.#referenceTo(value)),
      createEventual: () => this.#realm.parts.eventuals.create(),
      forward: (eventual, to, number) => this.#outgoing.passAway(eventual, to, number),
      expected: (id, type) => this.#unborn.ref(id, type),
      take: (from, kind, sender, actor, target, settles, call, count, a, b, c, many) =>
        this.#take(from, kind, sender, actor, target, settles, call, count, a, b, c, many),
      woken: () => this.#wake(),
      errorClassName: (prototype) => this.#host.errorClassName(prototype),
      errorPrototype: (name) => this.#host.errorPrototype(name),
    });
    this.#links[link.worker] = link;
    // Something may have come before there was anybody to be woken.
    this.#wake();
  }

  /** A worker has ended. What it has sent is taken first; then all that waits for it is told. */
  disconnect(worker: number, why: string): void {
    const link = this.#links[worker];
    if (link === undefined || !link.isOpen) return;
    while (this.#ingest(link, this.#pace.batch) > 0);
    const lost = new ActorLostError(why);
    for (const { eventual, actor, asked, watches } of link.abandon(lost)) {
      const failure = asked === link.peer ? lost : link.failure(asked);
      const kind = watches ? FULFIL : REJECT;
      this.#queue.add(link.peer, actor, undefined, kind, eventual, 1, failure, undefined, undefined);
    }
    this.references.takeAllBack(worker);
    this.#wake();
  }

  /** Other workers are no more. */
  close(): void {
    this.#links.forEach((_, worker) => this.disconnect(worker, 'the app has been closed'));
  }

  /** Whether nothing is left to do here, and nothing that was sent waits for room. */
  get isIdle(): boolean {
    if (this.#queue.size > 0 || this.#unborn.size > 0 || this.#isDue) return false;
    return this.#links.every((link) => link === undefined || !link.isOpen || link.isQuiet);
  }

  /** Messages sent to and taken from each other worker. */
  get traffic(): { readonly sent: number; readonly taken: number } {
    let sent = 0;
    let taken = 0;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      sent += link.outbox.sent;
      taken += link.inbox.taken;
    }
    return { sent, taken };
  }

  #touch(link: Link): void {
    if (!link.isTouched) {
      link.isTouched = true;
      this.#touched.push(link);
    }
    this.#wake();
  }

  #publish(): void {
    const touched = this.#touched;
    if (touched.length === 0) return;
    this.#touched = [];
    for (const link of touched) {
      link.isTouched = false;
      if (link.isOpen && link.outbox.publish()) link.outbox.wake();
    }
  }

  #ingest(link: Link, most: number): number {
    const count = link.drain(most);
    if (count > 0) this.#observer?.ingest({ turns: this.#turns, worker: link.worker, count });
    return count;
  }

  #ingestAll(): boolean {
    if (this.#script !== undefined) return this.#ingestAgain(this.#script);
    let any = false;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      if (this.#ingest(link, this.#pace.batch) > 0) any = true;
      if (link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wake();
    }
    return any;
  }

  #ingestAgain(script: Ingest[]): boolean {
    let any = false;
    for (let next = script.at(-1); next?.turns === this.#turns; next = script.at(-1)) {
      const count = this.#links[next.worker]?.drain(next.count) ?? 0;
      if (count !== next.count)
        throw new RuntimeError(
          'TT_DIVERGED',
          `after ${next.turns} turns ${next.count} messages of worker ${next.worker} were taken, and now there are ${count}`,
        );
      script.pop();
      any = true;
    }
    return any;
  }

  #isScriptDue(): boolean {
    return this.#script?.at(-1)?.turns === this.#turns;
  }

  /** Turns until this worker looks again at what has come. */
  #round(): number {
    const next = this.#script?.at(-1);
    return next === undefined ? this.#pace.round : Math.min(this.#pace.round, next.turns - this.#turns);
  }

  #take(
    link: Link,
    kind: number,
    _sender: number,
    id: number,
    number: number,
    settles: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    switch (kind) {
      case WIRE.call:
        return this.#takeCall(link, id, number, settles, call as string, count, a, b, c, many);
      case WIRE.spawn:
        return this.#takeSpawn(link, id, call as string, count > 3 ? many : [a, b, c].slice(0, count));
      case WIRE.answer:
      case WIRE.failure:
        return this.#takeOutcome(link, link.answered(settles), kind === WIRE.answer, a);
      case WIRE.settled:
      case WIRE.failed:
        return this.#takeOutcome(link, link.settled(settles), kind === WIRE.settled, a);
      case WIRE.stop:
        return this.#forActor(id, (actor) => {
          this.#queue.add(link.peer, actor, undefined, STOP, undefined, 0, undefined, undefined, undefined);
        });
      case WIRE.watch:
        return this.#forActor(id, (actor) => {
          this.#watch(actor, (failure) => this.#outgoing.answer(actor, link.peer, settles, 'whenBroken', failure));
        });
      case WIRE.letGo:
        return this.references.takeBack(a as number, keyFor(id, number), settles);
      case WIRE.letGoOf: {
        const giver = this.#links[a as number];
        if (giver?.isOpen !== true) return;
        giver.add(WIRE.letGo, 0, id, number, settles, undefined, 1, link.worker, undefined, undefined, noName);
        return this.#touch(giver);
      }
      default:
        throw new RuntimeError(
          'TT_DAMAGED_MESSAGE',
          `${link.peer.name} has sent a message of an unknown kind, ${kind}`,
        );
    }
  }

  #takeCall(
    link: Link,
    id: number,
    number: number,
    settles: number,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    const ref = this.references.find(id, number);
    const asked = settles === 0 ? undefined : settles;
    if (ref !== undefined) {
      const actor = FarRef.actorOf(ref);
      link.arrived(actor);
      if (count > 3) this.#queue.addMany(link.peer, actor, ref, call, asked, many);
      else this.#queue.add(link.peer, actor, ref, call, asked, count, a, b, c);
      return;
    }
    if (this.#unborn.has(id)) {
      link.arrived(this.#unborn.actor(id));
      const again = (): void => this.#takeCall(link, id, number, settles, call, count, a, b, c, many);
      return this.#unborn.wait(id, again);
    }
    link.arrived(this.main);
    const actor = new Actor(id, this.index, `actor ${displayed(id)}`);
    this.#outgoing.fail(actor, link.peer, asked, this.#unborn.failure(id) ?? gone(actor));
  }

  #takeSpawn(link: Link, id: number, address: string, [name, ...args]: readonly unknown[]): void {
    const actor = this.#unborn.announced(id);
    actor.name = name as string;
    link.arrived(actor);
    const begin = (type: Class): void => {
      this.#unborn.born(id, this.#classes.of(type.prototype as object), (ref) => {
        this.references.give(ref, link.worker);
        this.#queue.addMany(link.peer, actor, type, CONSTRUCT, ref, args);
      });
      this.#wake();
    };
    const failed = (cause: unknown): void => {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `${actor.name} could not be made on ${this.main.name}: ${why}`;
      this.#unborn.fail(id, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
      this.#wake();
    };
    try {
      const type = this.#host.classes.find(address);
      if (typeof type === 'function') begin(type);
      else type.then(begin).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #takeOutcome(link: Link, waiting: ReturnType<Link['answered']>, isFulfilled: boolean, value: unknown): void {
    link.arrived(waiting?.actor ?? this.main);
    if (waiting === undefined) return;
    const kind = isFulfilled ? FULFIL : REJECT;
    this.#queue.add(link.peer, waiting.actor, undefined, kind, waiting.eventual, 1, value, undefined, undefined);
  }

  #forActor(id: number, action: (actor: Actor) => void): void {
    const ref = this.references.find(id, 0);
    if (ref !== undefined) action(FarRef.actorOf(ref));
    else if (this.#unborn.has(id)) this.#unborn.wait(id, () => this.#forActor(id, action));
    else {
      const actor = new Actor(id, this.index, `actor ${displayed(id)}`);
      actor.failure = this.#unborn.failure(id) ?? gone(actor);
      action(actor);
    }
  }

  #letGo(worker: number, actor: Actor, number: number, count: number): void {
    // Behind what was sent to the object, which is still to arrive.
    const isHome = worker === actor.worker;
    const link = this.#links[actor.worker];
    if (link?.isOpen !== true) return;
    const kind = isHome ? WIRE.letGo : WIRE.letGoOf;
    link.add(
      kind,
      0,
      actor.id,
      number,
      count,
      undefined,
      1,
      isHome ? this.index : worker,
      undefined,
      undefined,
      noName,
    );
    this.#touch(link);
  }

  // ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  #wake(): void {
    if (this.#isDue || this.#isRunning) return;
    this.#isDue = true;
    this.#host.soon(() => this.#run());
  }

  /** Something may have come while nobody could say so. */
  look(): void {
    if (!this.#isEmpty()) this.#wake();
  }

  /** Whether nothing has come from anywhere, and nothing that waits for room has got it. */
  readonly #isEmpty = (): boolean => {
    for (const link of this.#links)
      if (link?.isOpen === true && (!link.inbox.isEmpty() || link.outbox.isRoomMade())) return false;
    return true;
  };

  #run(): void {
    this.#isDue = false;
    this.#isRunning = true;
    const { context } = this.#realm.now;
    const began = this.#host.now();
    const until = began + SLICE;
    let isLeft = true;
    const { jobs } = this.#realm;
    try {
      this.#host.awake();
      // What is left of code outside of turns is no part of the first one.
      if (jobs.size() > 0) jobs.drain();
      this.#publish();
      do {
        const hasCome = this.#ingestAll();
        isLeft = this.#queue.run(this.#round()) || hasCome || this.#isScriptDue();
        this.#publish();
        if (!isLeft && this.#links.length > 0) {
          const rests = this.#host.now();
          isLeft = this.#host.rest(this.#isEmpty);
          this.#busy -= this.#host.now() - rests;
        }
      } while (isLeft && this.#host.now() < until);
    } finally {
      this.#isRunning = false;
      this.#busy += this.#host.now() - began;
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
    settles: Settles,
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
    this.#turns++;
    actor.turns++;
    if (typeof call === 'string') this.#call(actor, target as FarRef, call, settles, sender, count, a, b, c, many);
    else if (call === FULFIL) this.#outgoing.settle(settles as Eventual, a, false);
    else if (call === REJECT) this.#outgoing.settle(settles as Eventual, a, true);
    else if (call === CONSTRUCT)
      this.#construct(
        actor,
        target as Class,
        settles as unknown as FarRef,
        count > 3 ? many : [a, b, c].slice(0, count),
      );
    else if (call === STOP) this.#break(actor, stopped(actor));
    else {
      const { name, trail } = call as TrackedCall;
      now.context = { home: actor, store: undefined, trail };
      this.#call(actor, target as FarRef, name, settles, sender, count, a, b, c, many);
    }
    if (jobs.size() > 0) jobs.drain();
  }

  #call(
    actor: Actor,
    target: FarRef,
    call: string,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    if (actor.failure !== undefined) return this.#outgoing.fail(actor, sender, settles, actor.failure);
    const object = FarRef.objectOf(target) as Record<string, Method> | undefined;
    if (object === undefined) return this.#outgoing.fail(actor, sender, settles, released(actor));
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
    if (failed) this.#outgoing.fail(actor, sender, settles, value);
    else this.#outgoing.answer(actor, sender, settles, call, value);
  }

  #construct(actor: Actor, type: Class, ref: FarRef, args: readonly unknown[]): void {
    if (actor.failure !== undefined) return;
    try {
      const root = Reflect.construct(type as unknown as new () => object, args as unknown[]) as object;
      FarRef.born(ref, root);
      this.#refs.set(root, ref);
    } catch (cause) {
      const message = `${actor.name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#break(actor, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
      // Otherwise those learn it that have sent something.
      if (actor.waiting === 0) this.#report(actor, actor.failure);
    }
  }

  #break(actor: Actor, failure: RuntimeError): void {
    if (actor.failure !== undefined) return;
    actor.failure = failure;
    const { watchers = [] } = actor;
    actor.watchers = undefined;
    for (const watcher of watchers) watcher(failure);
  }
}

/** An object on which any method can be called, but `then`. */
function sending(send: (call: string, args: unknown[]) => unknown): object {
  return new Proxy(blank, {
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : (...args: unknown[]) => send(key, args)),
  });
}
const blank = Object.freeze({ __proto__: null });

/** As people see it: the number of those that this worker has spawned, and which worker that is if it is not the main thread. */
function displayed(id: number): string {
  const creator = creatorOf(id);
  const ordinal = Math.floor(id / MOST_WORKERS);
  return creator === 0 ? String(ordinal) : `${ordinal}@${creator}`;
}

function noName(): string {
  return 'a message of the runtime';
}

function stopped(actor: Actor): RuntimeError {
  return new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has been stopped; it takes no more messages`);
}

function released(actor: Actor): RuntimeError {
  return new RuntimeError('TT_RELEASED', `${actor.name} has taken back the reference to this object of its`);
}

function gone(actor: Actor): RuntimeError {
  return new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} is gone: nobody had a reference to it any more`);
}

function late(call: string, milliseconds: number, trail: Trail): RuntimeError {
  const chains = trail.chains().map((chain) => `  ${chain}`);
  return new RuntimeError(
    'TT_DEADLINE',
    `${call} was not answered within ${milliseconds} ms; what it waits for:\n${chains.join('\n')}`,
  );
}
