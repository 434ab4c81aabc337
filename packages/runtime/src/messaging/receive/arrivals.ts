// What becomes of a message of another worker here: calls are queued for their actors, actors are born, outcomes find who waits for them, and the
// runtime's own messages are heeded. What is for an actor that is not here yet waits; what is for one that is no more says so.

import { Actor, displayed, EVERY_LIFE, LIFE, standIn, type Mailbox } from '../../actors/actor.ts';
import type { Eventual } from '@turntable/core';
import type { PlacedTimer } from '@turntable/heap';
import { FarRef, type FarRefClass, type FarRefClasses } from '../../references/far-ref.ts';
import type { Class, SchedulerHost } from '../../host.ts';
import type { Ingests } from '../../trace/ingests.ts';
import type { Onlooker } from '../../onlooker.ts';
import type { Pressure } from '../pressure.ts';
import type { Watcher } from '../../actors/endings.ts';
import { askedOf } from '../answer/journey.ts';
import type { Link } from '../link.ts';
import { FULFIL, REJECT, STOP, WIRE } from '../message-kinds.ts';
import { listOf, NOTHING, type MessageQueue } from '../message-queue.ts';
import type { AnswerSender } from '../answer/answer-sender.ts';
import type { TakeMessage } from '../../transport/wire.ts';
import { keyFor, type References, workerAt } from '../../references/references.ts';
import { ActorLostError, RuntimeError } from '../../runtime-error.ts';
import type { UnderWay } from '../../snapshot/worker-snapshot.ts';
import { ANEW, RESTORE, UNSUPERVISED, wayOf } from '../../actors/supervise.ts';
import type { Supervision } from '../../actors/supervision.ts';
import type { Origins } from '../../trace/origins.ts';
import { Asker, TrackedCall, Trail, type Trails } from '../answer/trail.ts';
import type { Arrival, Coming, Known, Revivable, Unborn } from '../../actors/unborn.ts';

/** What snapshots of this worker keep of its links. */
export interface LinkSnapshots {
  /** A message has arrived that was sent in an earlier phase. */
  underWay(sentIn: number, message: UnderWay): void;
  /** What another worker sends from now on is of this phase. */
  marked(worker: number, phase: number): void;
}

export interface ArrivalsDeps {
  readonly here: number;
  readonly main: Actor;
  readonly host: SchedulerHost;
  readonly queue: MessageQueue<Actor>;
  readonly classes: FarRefClasses;
  readonly answers: AnswerSender;
  readonly ingests: Ingests;
  phase(): number;
  /** A phase begins here, if it has not. */
  enter(phase: number): void;
  onlooker(): Onlooker | undefined;
  snapshots(): LinkSnapshots | undefined;
  readonly pressure: Pressure;
  readonly trails: Trails;
  watch(actor: Actor, watcher: Watcher): void;
  /** An actor is here. */
  comes(actor: Actor): void;
  /** These timers wait again, and what waited for native promises is told that they will not come. */
  rejoin(timers: readonly PlacedTimer[], waiting: readonly object[]): void;
}

/** What those who take messages need of who leads to other workers. */
export interface ArrivalPorts {
  readonly life: number;
  /** Why actors are not what they were in a snapshot. */
  readonly whyForgotten: string;
  /** Is told when one is here that is to be what it was in a snapshot if this worker is lost. */
  readonly onToBeRestored: (() => void) | undefined;
  /** In a run again that is surveyed. */
  readonly origins: Origins | undefined;
  /** A message of the runtime's own. */
  send(
    worker: number,
    kind: number,
    from: number,
    actor: number,
    number: number,
    settles: number,
    about?: unknown,
  ): void;
}

export class Arrivals {
  readonly #parts: ArrivalsDeps;
  readonly #neighbours: ArrivalPorts;
  readonly #references: References;
  readonly #unborn: Unborn;
  readonly #supervision: Supervision;
  readonly #queue: MessageQueue<Actor>;
  readonly #answers: AnswerSender;
  /** Names of those that were to be what they were, and are made anew without. */
  #forgotten: string[] = [];
  readonly #revived = new WeakSet<Actor>();

  constructor(
    parts: ArrivalsDeps,
    neighbours: ArrivalPorts,
    references: References,
    unborn: Unborn,
    supervision: Supervision,
  ) {
    this.#parts = parts;
    this.#neighbours = neighbours;
    this.#references = references;
    this.#unborn = unborn;
    this.#supervision = supervision;
    this.#queue = parts.queue;
    this.#answers = parts.answers;
  }

  takerOf(link: Link): TakeMessage {
    return (kind, _, actor, target, settles, call, count, a, b, c, many) =>
      this.#take(link, kind, actor, target, settles, call, count, a, b, c, many);
  }

  /** Takes a message that was under way in a snapshot. */
  takeAgain(link: Link, { kind, id, number, settles, call, args }: UnderWay): void {
    const [a, b, c] = args;
    this.#take(link, kind, id, number, settles, call, args.length, a, b, c, args);
  }

  #take(
    link: Link,
    kind: number,
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
    if (kind !== WIRE.phase) this.#parts.onlooker()?.take?.(link.worker, link.phase);
    if (kind !== WIRE.phase && link.phase < this.#parts.phase()) {
      const brought = link.brought();
      const args = listOf(count, a, b, c, many);
      const what = { worker: link.worker, kind, id, number, settles, call, args, ...brought };
      this.#parts.snapshots()?.underWay(link.phase, what);
    }
    switch (kind) {
      case WIRE.call:
        return this.#takeCall(link, id, number, settles, call as string, count, a, b, c, many);
      case WIRE.trackedCall: {
        const tracked = new TrackedCall(call as string, new Trail('', new Asker(link.worker, link.life, settles)));
        return this.#takeCall(link, id, number, settles, tracked, count, a, b, c, many);
      }
      case WIRE.led: {
        const trail = link.trailOf(settles);
        return trail === undefined ? undefined : this.#parts.trails.led(trail, id, a as string, number);
      }
      case WIRE.over: {
        const trail = link.trailOf(settles);
        return trail === undefined ? undefined : this.#parts.trails.ended(trail, number);
      }
      case WIRE.spawn:
        return this.#takeSpawn(link, id, call as string, settles, listOf(count, a, b, c, many));
      case WIRE.answer:
      case WIRE.failure:
        return this.#takeOutcome(link, link.answered(settles), kind === WIRE.answer, a);
      case WIRE.settled:
      case WIRE.failed:
        return this.#takeOutcome(link, link.settled(settles), kind === WIRE.settled, a);
      case WIRE.stop:
      case WIRE.watch:
        return this.#takeSignal(link, kind, id, settles);
      case WIRE.letGo:
        if (!this.#references.isNow(a as number)) return;
        return this.#references.takeBack(workerAt(a as number), keyFor(id, number), settles);
      case WIRE.letGoOf:
        if (!this.#references.isNow(a as number)) return;
        return this.#neighbours.send(
          workerAt(a as number),
          WIRE.letGo,
          0,
          id,
          number,
          settles,
          this.#references.placeOf(link.worker),
        );
      case WIRE.come:
        this.#tellOfForgotten();
        this.#unborn.over(link.worker, settles, this.#unborn.before);
        return this.settleChildren();
      case WIRE.claim:
        this.#references.claim(link.worker, id, number);
        // It may be the one that supervises it.
        if (number === 0 && this.#hasEnded(id))
          this.#neighbours.send(link.worker, WIRE.ended, this.#parts.here, id, 0, 0);
        return;
      case WIRE.claimed:
        return this.#references.claimed(link.worker, settles);
      case WIRE.ended:
        return this.#supervision.end(id);
      case WIRE.pressure: {
        const stranger = this.#references.stranger(id);
        if (stranger === undefined) return;
        stranger.waiting = settles === 1 ? stranger.mark : 0;
        return settles === 1 ? undefined : this.#parts.pressure.off(stranger);
      }
      case WIRE.phase:
        link.marks.taken++;
        // Of an earlier phase, it counts among what was taken since the cut, and whoever sent it does not send it again from there. (One that is no
        // news is passed over by a replay.)
        if (settles > link.phase && settles < this.#parts.phase()) {
          const what = { worker: link.worker, kind, id, number, settles, call, args: [], ...link.brought() };
          this.#parts.snapshots()?.underWay(settles, what);
        }
        link.phase = settles;
        this.#parts.enter(settles);
        return this.#parts.snapshots()?.marked(link.worker, settles);
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
    call: string | TrackedCall,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    const ref = this.#references.find(id, number);
    const asked = settles === 0 ? undefined : settles;
    if (ref !== undefined) {
      const actor = FarRef.actorOf(ref);
      link.arrived(actor);
      if (actor.waiting >= actor.mark) {
        const refusal = this.#parts.pressure.onFrom(link.worker, actor);
        if (refusal !== undefined) return this.#answers.fail(actor, link.peer, asked, refusal, '');
      }
      if (count > 3) this.#queue.addMany(link.peer, actor, ref, call, asked, many);
      else this.#queue.add(link.peer, actor, ref, call, asked, count, a, b, c);
      return;
    }
    // Objects of an actor are not known before it is here; those of its earlier lives never will be.
    if (this.#unborn.has(id)) {
      link.arrived(this.#unborn.actor(id));
      const args = listOf(count, a, b, c, many);
      return this.#wait(id, { link, kind: WIRE.call, number, settles, call, args });
    }
    link.arrived(this.#parts.main);
    const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
    this.#answers.fail(actor, link.peer, asked, this.#absence(actor, number), '');
  }

  /** To the actor as such, with nothing. */
  #takeSignal(link: Link, kind: number, id: number, settles: number): void {
    const ref = this.#references.find(id, 0);
    if (ref === undefined && this.#unborn.has(id))
      return this.#wait(id, { link, kind, number: 0, settles, call: undefined, args: NOTHING });
    const actor = ref === undefined ? new Actor(id, this.#parts.here, `actor ${displayed(id)}`) : FarRef.actorOf(ref);
    if (ref === undefined) actor.failure = this.#absence(actor, 0);
    if (kind === WIRE.watch) this.#parts.watch(actor, { what: 'asked', to: link.peer, settles });
    else this.#queue.addSignal(link.peer, actor, undefined, STOP);
  }

  #wait(id: number, arrival: Arrival): void {
    this.#neighbours.origins?.waits(arrival);
    this.#unborn.wait(id, arrival);
  }

  /** What has waited for an actor that is here now, or will never be. */
  takeUp(id: number, arrival: Arrival): void {
    const { origins } = this.#neighbours;
    if (origins === undefined) return this.#takeUp(id, arrival);
    return origins.goesOn(arrival, () => this.#takeUp(id, arrival));
  }

  #takeUp(id: number, { link, kind, number, settles, call, args }: Arrival): void {
    if (kind !== WIRE.call) return this.#takeSignal(link, kind, id, settles);
    const [a, b, c] = args;
    this.#takeCall(link, id, number, settles, call as string | TrackedCall, args.length, a, b, c, args);
  }

  /** As when a reference to it came. */
  expectAgain({ actor, ref, revivable }: Known): void {
    if (revivable?.by !== undefined || this.#unborn.has(actor.id)) this.#unborn.expectAgain(actor, ref, revivable);
    else actor.failure = this.#absence(actor, 0);
  }

  #hasEnded(id: number): boolean {
    const root = this.#references.find(id, 0);
    return root === undefined ? !this.#unborn.has(id) : FarRef.actorOf(root).failure !== undefined;
  }

  /** Nothing has been found under these numbers yet. A reference to what is no more says so to whoever sends something. */
  expected(id: number, number: number, type: FarRefClass): FarRef {
    // Objects of an actor are not known before it is here.
    if (number === 0 && this.#unborn.has(id)) return this.#unborn.ref(id, type);
    const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
    return new type(standIn(id, actor.worker, this.#absence(actor, number)), number, undefined);
  }

  /** Why something that others know is not here. */
  #absence(actor: Actor, number: number): RuntimeError {
    const failure = this.#unborn.failure(actor.id);
    const root = this.#references.find(actor.id, 0);
    if (number === 0 || number > this.#neighbours.life * LIFE || (failure !== undefined && root === undefined))
      return failure ?? gone(actor);
    const { name } = root === undefined ? actor : FarRef.actorOf(root);
    return new ActorLostError(`this object belonged to an earlier life of ${name}: ${this.#unborn.before}`);
  }

  #takeSpawn(
    link: Link,
    id: number,
    address: string,
    supervised: number,
    [name, mailbox, ...args]: readonly unknown[],
  ): void {
    const creator = this.#references.placeOf(link.worker);
    const actor = this.#unborn.announced(id, { address, args, supervised, creator });
    actor.name = name as string;
    if (mailbox !== undefined) actor.setMailbox(mailbox as Mailbox);
    link.arrived(actor);
    if (supervised === RESTORE + ANEW) {
      if (this.#unborn.revived(id, (revivable) => this.#revive(actor, revivable, link.worker)))
        return this.settleChildren();
      this.#forgotten.push(actor.name);
    }
    this.find(id);
    this.settleChildren();
  }

  /** Those that were spawned on this worker are what they were if those are that have spawned them, and otherwise lost. */
  settleChildren(): void {
    const { main } = this.#parts;
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const { actor, by } of this.#unborn.children) {
        if (this.#unborn.revivable(by.id) !== undefined) continue;
        isDone = false;
        if (by === main || this.#revived.has(by)) this.#begin(actor);
        else this.#unborn.forsake(actor.id);
      }
    }
  }

  /** With the one that has spawned it here; it may have been still to be made. */
  #begin(actor: Actor): void {
    const { main, classes } = this.#parts;
    const { ref, birth, by } = this.#unborn.revivable(actor.id) as Revivable;
    if (birth === undefined) {
      this.#unborn.revived(actor.id, (revivable) => this.#revive(actor, revivable, main.worker));
      return;
    }
    const { type, args } = birth;
    this.#unborn.born(actor.id, classes.of(type.prototype as object), type, args, true, () => {
      this.#references.born(ref);
      this.keep(actor, ref, main.worker, RESTORE, by);
    });
  }

  /** It is what it was, and is told that what it was waiting for will not come. */
  #revive(actor: Actor, revivable: Revivable, supervisor: number): void {
    const { root, ref, exports, turns, eventuals, timers, waiting, by } = revivable;
    Object.assign(actor, { root, rootRef: ref, exports, turns } satisfies Partial<Actor>);
    FarRef.born(ref, root as object);
    this.#revived.add(actor);
    this.#parts.comes(actor);
    if (by === undefined) this.#references.give(ref, supervisor);
    this.#references.born(ref);
    this.keep(actor, ref, supervisor, RESTORE, by);
    this.tellOfLoss(actor, eventuals);
    this.#parts.rejoin(timers, waiting);
  }

  /** What an actor here was waiting for in an earlier life will not come. */
  tellOfLoss(actor: Actor, eventuals: readonly Eventual[]): void {
    for (const eventual of eventuals) {
      const failure = new ActorLostError(
        `${actor.name} was restored, and what it was waiting for then is not answered any more: ${this.#unborn.before}`,
      );
      this.#queue.addOutcome(actor, actor, REJECT, eventual, failure);
    }
  }

  /** Who was to be what it was and is not. */
  #tellOfForgotten(): void {
    const forgotten = this.#forgotten;
    if (forgotten.length === 0) return;
    this.#forgotten = [];
    this.#parts.host.forgotten?.(forgotten, this.#neighbours.whyForgotten);
  }

  /** An actor is made as soon as its class is found. */
  find(id: number): void {
    this.#find(id, (act) => act());
  }

  /** Its class was still looked for in the snapshot that this goes on from: in a run again it is found when it was, though it is there by now. */
  findAgain(id: number): void {
    if (this.#parts.ingests.isFollowing) this.#find(id, (act) => this.#ended(id, act));
    else this.find(id);
  }

  #ended(id: number, act: () => boolean): void {
    this.#parts.ingests.happened('class', String(id), act);
  }

  /** `now`: does what comes of a class that need not be waited for. */
  #find(id: number, now: (act: () => boolean) => void): void {
    const coming = this.#unborn.coming(id);
    if (coming === undefined) return;
    try {
      const type = this.#parts.host.classes.find(coming.address);
      if (typeof type === 'function') return now(() => this.#found(id, coming, type));
      type.then(
        (loaded) => this.#ended(id, () => this.#found(id, coming, loaded)),
        (error: unknown) => this.#ended(id, () => this.#notFound(id, coming, error)),
      );
    } catch (error) {
      now(() => this.#notFound(id, coming, error));
    }
  }

  #found(id: number, coming: Coming, type: Class): boolean {
    if (this.#unborn.coming(id) !== coming) return false;
    const { args, supervised, creator } = coming;
    const refClass = this.#parts.classes.of(type.prototype as object);
    this.#unborn.born(id, refClass, type, args, (supervised & ANEW) !== 0, (ref) => {
      // It may have ended since: then whoever has got a reference from it has claimed that.
      if (this.#references.isNow(creator)) this.#references.give(ref, workerAt(creator));
      this.#references.born(ref);
      const way = wayOf(supervised);
      if (way !== UNSUPERVISED) this.keep(FarRef.actorOf(ref), ref, workerAt(creator), way);
    });
    return true;
  }

  #notFound(id: number, coming: Coming, cause: unknown): boolean {
    if (this.#unborn.coming(id) !== coming) return false;
    const { supervised, creator } = coming;
    const { here, host, main } = this.#parts;
    const { name } = this.#unborn.actor(id);
    const why = cause instanceof Error ? cause.message : String(cause);
    const failure = new RuntimeError('TT_ACTOR_FAILED', `${name} could not be made on ${main.name}: ${why}`, { cause });
    this.#unborn.fail(id, failure);
    if (supervised !== UNSUPERVISED) this.#neighbours.send(workerAt(creator), WIRE.ended, here, id, 0, 0);
    if ((supervised & ANEW) !== 0) host.report(name, failure);
    return true;
  }

  /** A supervised actor stays until it is stopped, whoever still knows that it has a reference. */
  keep(actor: Actor, ref: FarRef, supervisor: number, way: number, by?: Actor): void {
    actor.life = EVERY_LIFE;
    if (way === RESTORE) this.#neighbours.onToBeRestored?.();
    this.#references.give(ref, this.#parts.here);
    this.#parts.watch(actor, { what: 'supervised', ref, supervisor, way, by });
  }

  #takeOutcome(link: Link, waiting: ReturnType<Link['answered']>, isFulfilled: boolean, value: unknown): void {
    link.arrived(waiting?.actor ?? this.#parts.main);
    if (waiting === undefined) return;
    const { asked, call } = waiting;
    const kind = isFulfilled ? FULFIL : REJECT;
    if (!isFulfilled && asked !== link.peer && call !== undefined) askedOf(value, asked, call);
    this.#queue.addOutcome(link.peer, waiting.actor, kind, waiting.eventual, value);
  }
}

function gone(actor: Actor): RuntimeError {
  return new RuntimeError(
    'TT_ACTOR_STOPPED',
    `${actor.name} is gone: it was stopped, or nobody had a reference to it any more`,
  );
}
