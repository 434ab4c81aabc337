// What becomes of a message of another worker here: calls are queued for their actors, actors are born, outcomes find who waits for them, and the
// runtime's own messages are heeded. What is for an actor that is not here yet waits; what is for one that is no more says so.

import { Actor, displayed, EVERY_LIFE, LIFE, type Mailbox } from './actor.ts';
import type { FarRefClass } from './far-ref.ts';
import { FarRef } from './far-ref.ts';
import type { Class } from './host.ts';
import { askedOf } from './journey.ts';
import type { Link } from './link.ts';
import { FULFIL, REJECT, STOP, SUPERVISED_ANEW, WIRE } from './message-kinds.ts';
import { listOf, type MessageQueue } from './message-queue.ts';
import type { NeighboursParts } from './neighbours.ts';
import { TrackedCall, type Outgoing } from './outgoing.ts';
import { keyFor, type References, workerAt } from './references.ts';
import { ActorLostError, RuntimeError } from './runtime-error.ts';
import type { Supervision } from './supervision.ts';
import { Trail, type TrailReport } from './trail.ts';
import type { Unborn } from './unborn.ts';

/** What those who take messages need of who leads to other workers. */
export interface ArrivalPorts {
  readonly life: number;
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
  /** Whether it still leads to its worker. */
  isCurrent(link: Link): boolean;
}

export class Arrivals {
  readonly #parts: NeighboursParts;
  readonly #neighbours: ArrivalPorts;
  readonly #references: References;
  readonly #unborn: Unborn;
  readonly #supervision: Supervision;
  readonly #queue: MessageQueue<Actor>;
  readonly #outgoing: Outgoing;

  constructor(
    parts: NeighboursParts,
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
    this.#outgoing = parts.outgoing;
  }

  take(
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
    if (kind !== WIRE.phase) this.#parts.onlooker()?.take?.(link.worker, link.phase);
    switch (kind) {
      case WIRE.call:
        return this.#takeCall(link, id, number, settles, call as string, count, a, b, c, many);
      case WIRE.trackedCall: {
        const tracked = new TrackedCall(call as string, new Trail('', this.#reportTo(link, settles)));
        return this.#takeCall(link, id, number, settles, tracked, count, a, b, c, many);
      }
      case WIRE.led:
        return void link.trailOf(settles)?.led(id, a as string, number);
      case WIRE.over:
        return link.trailOf(settles)?.over(number);
      case WIRE.spawn:
        return this.#takeSpawn(link, id, call as string, settles, listOf(count, a, b, c, many));
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
          this.#parts.watch(actor, (failure) =>
            this.#outgoing.answer(actor, link.peer, settles, 'whenBroken', failure),
          );
        });
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
        return this.#unborn.over(link.worker, settles, this.#unborn.before);
      case WIRE.claim: {
        const ref = this.#references.find(id, number);
        return ref === undefined ? undefined : this.#references.give(ref, link.worker);
      }
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
        link.phase = settles;
        return this.#parts.enter(settles);
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
        if (refusal !== undefined) return this.#outgoing.fail(actor, link.peer, asked, refusal, '');
      }
      if (count > 3) this.#queue.addMany(link.peer, actor, ref, call, asked, many);
      else this.#queue.add(link.peer, actor, ref, call, asked, count, a, b, c);
      return;
    }
    // Objects of an actor are not known before it is here; those of its earlier lives never will be.
    if (this.#unborn.has(id)) {
      link.arrived(this.#unborn.actor(id));
      const again = (): void => this.#takeCall(link, id, number, settles, call, count, a, b, c, many);
      return this.#unborn.wait(id, again);
    }
    link.arrived(this.#parts.main);
    const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
    this.#outgoing.fail(actor, link.peer, asked, this.#absence(actor, number), '');
  }

  /** Nothing has been found under these numbers yet. A reference to what is no more says so to whoever sends something. */
  expected(id: number, number: number, type: FarRefClass): FarRef {
    // Objects of an actor are not known before it is here.
    if (number === 0 && this.#unborn.has(id)) return this.#unborn.ref(id, type);
    const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
    actor.failure = this.#absence(actor, number);
    return new type(actor, number, undefined);
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
    const { here, host } = this.#parts;
    const actor = this.#unborn.announced(id);
    const isAnew = supervised === SUPERVISED_ANEW;
    actor.name = name as string;
    if (mailbox !== undefined) actor.setMailbox(mailbox as Mailbox);
    link.arrived(actor);
    const begin = (type: Class): void => {
      this.#unborn.born(id, this.#parts.classes.of(type.prototype as object), type, args, isAnew, (ref) => {
        this.#references.give(ref, link.worker);
        if (supervised !== 0) this.#keep(actor, ref, link.worker);
      });
    };
    const failed = (cause: unknown): void => {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `${actor.name} could not be made on ${this.#parts.main.name}: ${why}`;
      const failure = new RuntimeError('TT_ACTOR_FAILED', message, { cause });
      this.#unborn.fail(id, failure);
      if (supervised !== 0) this.#neighbours.send(link.worker, WIRE.ended, here, id, 0, 0);
      if (isAnew) host.report(actor.name, failure);
    };
    try {
      const type = this.#parts.host.classes.find(address);
      if (typeof type === 'function') return begin(type);
      const ended = (act: () => void): void => this.#parts.ingests.happened('class', String(id), act);
      type.then(
        (loaded) => ended(() => begin(loaded)),
        (error: unknown) => ended(() => failed(error)),
      );
    } catch (error) {
      failed(error);
    }
  }

  /** A supervised actor stays until it is stopped, whoever still knows that it has a reference. */
  #keep(actor: Actor, ref: FarRef, supervisor: number): void {
    const { here } = this.#parts;
    actor.life = EVERY_LIFE;
    this.#references.give(ref, here);
    this.#parts.watch(actor, () => {
      this.#references.takeBackOne(here, ref);
      this.#neighbours.send(supervisor, WIRE.ended, here, actor.id, 0, 0);
    });
  }

  /** What a call leads to is told to who has asked for it, as long as that worker is the one that has. */
  #reportTo(link: Link, question: number): TrailReport {
    let count = 0;
    const tell = (kind: number, before: number, number: number, what?: string): void => {
      if (this.#neighbours.isCurrent(link)) this.#neighbours.send(link.worker, kind, 0, before, number, question, what);
    };
    return {
      led(before, what) {
        tell(WIRE.led, before, ++count, what);
        return count;
      },
      over: (number) => tell(WIRE.over, 0, number),
    };
  }

  #takeOutcome(link: Link, waiting: ReturnType<Link['answered']>, isFulfilled: boolean, value: unknown): void {
    link.arrived(waiting?.actor ?? this.#parts.main);
    if (waiting === undefined) return;
    const { asked, call } = waiting;
    const kind = isFulfilled ? FULFIL : REJECT;
    if (!isFulfilled && asked !== link.peer && call !== undefined) askedOf(value, asked, call);
    this.#queue.add(link.peer, waiting.actor, undefined, kind, waiting.eventual, 1, value, undefined, undefined);
  }

  #forActor(id: number, action: (actor: Actor) => void): void {
    const ref = this.#references.find(id, 0);
    if (ref !== undefined) action(FarRef.actorOf(ref));
    else if (this.#unborn.has(id)) this.#unborn.wait(id, () => this.#forActor(id, action));
    else {
      const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
      actor.failure = this.#absence(actor, 0);
      action(actor);
    }
  }
}

function gone(actor: Actor): RuntimeError {
  return new RuntimeError(
    'TT_ACTOR_STOPPED',
    `${actor.name} is gone: it was stopped, or nobody had a reference to it any more`,
  );
}
