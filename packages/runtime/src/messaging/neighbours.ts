// The other workers, as one of them has them: what leads to each, what is sent and published, who is joined and who has ended.

import type { Eventual, Realm } from '@turntable/core';
import type { HappenedEvent } from '@turntable/recording';
import { type Actor, EVERY_LIFE, LIFE, type Mailbox } from '../actors/actor.ts';
import { Arrivals, type ArrivalPorts, type ArrivalsDeps, type LinkSnapshots } from './receive/arrivals.ts';
import { FarRef, type FarRefClasses } from '../references/far-ref.ts';
import type { EventualForwarder } from './answer/eventual-forwarder.ts';
import type { Class, Pace } from '../host.ts';
import type { Link, LinkOwner, LinkState, Waiting } from './link.ts';
import { FULFIL, REJECT, WIRE } from './message-kinds.ts';
import type { Outgoing } from './send/outgoing.ts';
import { References, type ReferencesState } from '../references/references.ts';
import { ActorLostError, RuntimeError } from '../runtime-error.ts';
import { KnownInTime } from '../snapshot/known-in-time.ts';
import type { UnderWay } from '../snapshot/worker-snapshot.ts';
import { ANEW, UNSUPERVISED } from '../actors/supervise.ts';
import { Supervision, type Supervised } from '../actors/supervision.ts';
import { Taking } from './receive/taking.ts';
import type { Origins } from '../trace/origins.ts';
import { type Known, Unborn, type UnbornState } from '../actors/unborn.ts';

export interface NeighboursParts extends ArrivalsDeps {
  readonly realm: Realm;
  readonly pace: Pace;
  readonly outgoing: Outgoing;
  readonly forwarder: EventualForwarder;
  snapshots(): NeighbourSnapshots | undefined;
  /** The ordinal of the actor that was spawned last. */
  spawned(): number;
  referenceTo(value: object): FarRef | undefined;
  wake(): void;
}

interface NeighbourSnapshots extends LinkSnapshots {
  /** A worker has ended, and nothing more comes from it. */
  lost(worker: number): void;
}

/** What is kept in mind of other workers, and of what lives there or is to come from there. */
export interface NeighboursState {
  readonly life: number;
  readonly links: readonly LinkState[];
  readonly references: ReferencesState;
  readonly unborn: UnbornState;
  readonly supervised: readonly Supervised[];
}

/** Who takes the place of a worker that has ended. */
export interface Successor {
  /** `before`: why the life before has ended, if somebody knows better. */
  readonly link: (owner: LinkOwner, before?: string) => Link;
  /** It knows what was known there in a snapshot. */
  readonly isRestored: boolean;
}

export class Neighbours implements ArrivalPorts {
  readonly references: References;
  readonly #parts: NeighboursParts;
  readonly #links: (Link | undefined)[] = [];
  /** With messages that nobody sees yet. */
  #touched: Link[] = [];
  readonly #unborn: Unborn;
  readonly #supervision = new Supervision();
  readonly #arrivals: Arrivals;
  readonly taking: Taking;
  #life = 0;
  /** Is told when a worker has ended, before anybody else is, and whether another one has its place. */
  onLost: ((worker: number, isReplaced: boolean) => void) | undefined;
  onToBeRestored: (() => void) | undefined;
  /** In a run again that is surveyed. */
  origins: Origins | undefined;
  /** Why actors here are not what they were in a snapshot, though they are to be. */
  whyForgotten = 'this worker has not been restored';

  constructor(parts: NeighboursParts) {
    this.#parts = parts;
    this.#unborn = new Unborn(
      parts.here,
      parts.queue,
      () => parts.phase(),
      (id, message) => this.#arrivals.takeUp(id, message),
    );
    this.references = new References(
      parts.here,
      (worker, actor, number, count) => this.#letGo(worker, actor, number, count),
      parts.ingests,
      (actor) => parts.onlooker()?.touch?.(actor),
      // That it has caught up would be told of nobody.
      (actor) => parts.pressure.off(actor),
    );
    this.#arrivals = new Arrivals(parts, this, this.references, this.#unborn, this.#supervision);
    this.taking = new Taking(this.#links, {
      ingests: parts.ingests,
      batch: parts.pace.batch,
      takeAgain: (link, message) => {
        // It does not come by the ring, where all that is taken is counted.
        if (message.kind === WIRE.phase) link.marks.taken--;
        const take = (): void => this.#arrivals.takeAgain(link, message);
        if (this.origins === undefined) take();
        else this.origins.goesOn(undefined, take);
      },
    });
  }

  /** Which life of its worker it is: 0 unless it has the place of one that has ended. */
  get life(): number {
    return this.#life;
  }

  /** It has the place of a worker that has ended. Before it is joined to others. */
  succeed(life: number, why: string): void {
    this.#life = life;
    this.references.joined(this.#parts.here, life);
    // What that one has spawned, wherever: nobody can spawn it any more.
    this.#unborn.over(this.#parts.here, life * LIFE, why);
  }

  get isAlone(): boolean {
    return this.#links.length === 0;
  }
  /** Bytes under way to others beside those in the rings: they wait for room in one, or are parcels. */
  get spilled(): number {
    return this.#links.reduce(
      (sum, link) => sum + (link?.isOpen === true ? link.outbox.spilled + link.outbox.posted : 0),
      0,
    );
  }

  connect(make: (owner: LinkOwner) => Link): void {
    const link = make({
      here: this.#parts.here,
      life: this.#life,
      phase: () => this.#parts.phase(),
      classes: this.#parts.classes,
      references: this.references,
      types: this.#parts.host.types,
      engine: this.#parts.realm.parts.host.engine,
      reference: (value) => (this.#parts.forwarder.isEventual(value) ? value : this.#parts.referenceTo(value)),
      createEventual: () => this.#parts.realm.parts.eventuals.create(),
      forward: (eventual, to, number) => this.#parts.answers.passAway(eventual, to, number),
      expected: (id, number, type) => this.#arrivals.expected(id, number, type),
      takerOf: (from) => this.#arrivals.takerOf(from),
      touch: (to) => this.#touch(to),
      woken: () => this.#parts.wake(),
      errorClassName: (prototype) => this.#parts.host.errorClassName(prototype),
      errorPrototype: (name) => this.#parts.host.errorPrototype(name),
    });
    this.#links[link.worker] = link;
    this.references.joined(link.worker, link.life);
    if (this.#parts.phase() > 0) this.#mark(link.worker, this.#parts.phase());
    // Something may have come before there was anybody to be woken.
    this.#parts.wake();
  }

  /** A worker has ended, in a certain life of it: this one learns it between two turns. */
  lose(worker: number, life: number, why: string, successor?: Successor): void {
    const noted = { why, isReplaced: successor !== undefined, isRestored: successor?.isRestored === true };
    this.#parts.ingests.happened(
      'lost',
      `${worker} ${life}`,
      (event) => {
        // In a run again it has ended because of what it had ended because of.
        const known = event === undefined ? noted : lossOf(event);
        const next = successor === undefined ? undefined : { ...successor, isRestored: known.isRestored };
        return this.#lost(worker, life, known.why, next);
      },
      noted,
    );
  }

  /** The same, in a run again, if nobody has taken its place. */
  loseAgain(event: HappenedEvent): (() => boolean) | undefined {
    const [worker, life] = event.key.split(' ').map(Number) as [number, number];
    const { why, isReplaced } = lossOf(event);
    return isReplaced ? undefined : () => this.#lost(worker, life, why);
  }

  /** Takes what the worker has sent, then settles all that waits for it. A `successor` is first given the actors that this worker supervises. */
  #lost(worker: number, life: number, why: string, successor?: Successor): boolean {
    const link = this.#links[worker];
    if (link === undefined || !link.isOpen || link.life !== life) return false;
    this.onLost?.(worker, successor !== undefined);
    this.#parts.snapshots()?.lost(worker);
    // In a run again it has been: those stand before this.
    if (!this.#parts.ingests.isFollowing) this.taking.takeAll(link);
    // What was sent there may have been taken, whether other things were looked at in between or not.
    this.publish();
    const watching: Waiting[] = [];
    for (const waiting of link.abandon(why)) {
      const { eventual, actor, asked, call } = waiting;
      if (call === undefined && asked.life === EVERY_LIFE && successor !== undefined) {
        watching.push(waiting);
        continue;
      }
      const failure = asked === link.peer ? new ActorLostError(why) : link.failure(asked);
      const kind = call === undefined ? FULFIL : REJECT;
      this.#parts.queue.addOutcome(link.peer, actor, kind, eventual, failure);
    }
    for (const each of this.references.strangersOf(worker)) {
      this.#parts.pressure.off(each);
      each.waiting = 0;
    }
    this.#unborn.over(worker, (life + 1) * LIFE - 1, why);
    this.#arrivals.settleChildren();
    this.#claimFrom(worker, successor?.isRestored === true);
    if (successor === undefined) this.#supervision.endAll(worker);
    else {
      this.connect((owner) => successor.link(owner, why));
      this.#resume(worker, watching);
    }
    return true;
  }

  /** Whether it is still to be heard which of the actors are what they were in a snapshot. */
  get areRevivable(): boolean {
    return this.#unborn.areRevivable;
  }

  /** Restores what an earlier life of this worker knew. `supervised`: by actors here; `waiting`: what the main program waited for. */
  revive(
    foreign: readonly FarRef[],
    actors: readonly Known[],
    supervised: readonly Supervised[],
    waiting: readonly Eventual[],
  ): void {
    for (const ref of foreign) this.#claimAgain(ref);
    for (const each of supervised) if (this.#links[each.actor.worker]?.isOpen === true) this.#supervision.add(each);
    for (const known of actors) this.#arrivals.expectAgain(known);
    this.#arrivals.settleChildren();
    this.#arrivals.tellOfLoss(this.#parts.main, waiting);
  }

  #claimAgain(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    if (this.to(actor)?.hasLost(actor) !== false) return;
    this.references.takeAgain(actor.worker, ref);
    this.send(actor.worker, WIRE.claim, this.#parts.here, actor.id, FarRef.numberOf(ref), 0);
  }

  /** Nothing more is claimed of what earlier lives of this worker were given, which waits for that if they were to be restored. */
  claimNoMore(): void {
    const { here, main } = this.#parts;
    const place = this.references.placeOf(here);
    for (const link of this.links) this.send(link.worker, WIRE.claimed, here, main.id, 0, place);
  }

  /** What is sent from here on is sent in that phase. */
  mark(phase: number): void {
    this.#links.forEach((_, worker) => this.#mark(worker, phase));
  }

  #mark(worker: number, phase: number): void {
    const link = this.#links[worker];
    if (link?.isOpen !== true) return;
    link.marks.sent++;
    this.send(worker, WIRE.phase, 0, 0, 0, phase);
  }

  /** `isRestored`: whoever has its place will claim what it had, too. */
  #claimFrom(worker: number, isRestored: boolean): void {
    const { here, main } = this.#parts;
    const place = this.references.placeOf(worker);
    const { others } = this;
    this.references.lost(worker, isRestored ? [...others, worker] : others, (actor, number) =>
      this.send(actor.worker, WIRE.claim, here, actor.id, number, 0),
    );
    for (const other of others) this.send(other, WIRE.claimed, here, main.id, 0, place);
  }

  /** Another worker has the place of one that has ended. */
  #resume(worker: number, watching: readonly Waiting[]): void {
    const { main } = this.#parts;
    const link = this.#links[worker] as Link;
    for (const each of this.#supervision.of(worker)) {
      this.#announce(link, main, each, each.way + ANEW);
      // As when it was spawned.
      this.references.takeAgain(worker, each.ref);
    }
    this.send(worker, WIRE.come, main.id, main.id, 0, this.#parts.spawned());
    for (const { eventual, actor, asked } of watching)
      this.send(worker, WIRE.watch, actor.id, asked.id, 0, link.ask(eventual, actor, asked, undefined));
  }

  /** In a run again: nothing goes on here, and others may still take what they took. */
  handOver(): void {
    for (const link of this.#links) if (link?.isOpen === true) link.outbox.handOver();
  }

  /** Other workers are no more. */
  close(): void {
    for (const link of this.#links)
      if (link !== undefined) this.lose(link.worker, link.life, 'the app has been closed');
  }

  /** Whether nothing has come that is not taken, and nothing that was sent waits for room. */
  get isQuiet(): boolean {
    return this.#unborn.size === 0 && this.#links.every((link) => link === undefined || !link.isOpen || link.isQuiet);
  }

  /** Messages sent to and taken from each other worker, but those that say that a phase begins: while nothing else does, they come for ever. */
  get traffic(): { readonly sent: number; readonly taken: number } {
    let sent = 0;
    let taken = 0;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      sent += link.outbox.sent - link.marks.sent;
      taken += link.inbox.taken - link.marks.taken;
    }
    return { sent, taken };
  }

  #touch(link: Link): void {
    if (!link.isTouched) {
      link.isTouched = true;
      this.#touched.push(link);
    }
    this.#parts.wake();
  }

  /** Makes visible what was sent: once a turn, or a round of them. Whether there was anything. */
  publish(): boolean {
    const touched = this.#touched;
    if (touched.length === 0) return false;
    this.#touched = [];
    this.#parts.ingests.commit();
    for (const link of touched) {
      link.isTouched = false;
      if (link.isOpen && link.outbox.publish()) link.outbox.wake();
    }
    return true;
  }

  #letGo(worker: number, actor: Actor, number: number, count: number): void {
    // Behind what was sent to the object, which is still to arrive.
    const isHome = worker === actor.worker;
    const kind = isHome ? WIRE.letGo : WIRE.letGoOf;
    this.send(
      actor.worker,
      kind,
      0,
      actor.id,
      number,
      count,
      this.references.placeOf(isHome ? this.#parts.here : worker),
    );
  }

  /** An actor that is to live elsewhere. */
  spawn(
    from: Actor,
    actor: Actor,
    type: Class,
    refClass: ReturnType<FarRefClasses['of']>,
    args: readonly unknown[],
    mailbox: Mailbox | undefined,
    way: number,
  ): FarRef {
    const link = this.#links[actor.worker];
    if (link === undefined) throw new RuntimeError('TT_PLACEMENT', `there is no worker ${actor.worker}`);
    if (!link.isOpen) throw link.failure(actor);
    const isSupervised = way !== UNSUPERVISED;
    actor.life = isSupervised ? EVERY_LIFE : link.life;
    const made = isSupervised ? this.#parts.outgoing.kept(args, type.name) : args;
    this.#announce(link, from, { actor, type, args: made, mailbox }, way);
    const ref = this.references.spawned(actor, refClass);
    if (isSupervised) this.#supervision.add({ actor, type, args: made, mailbox, way, ref });
    return ref;
  }

  #announce(
    link: Link,
    from: Actor,
    { actor, type, args, mailbox }: Omit<Supervised, 'ref' | 'way'>,
    supervised: number,
  ): void {
    const address = this.#parts.host.classes.addressOf(type);
    const name = (place: number): string => `args[${place - 2}] of new ${type.name}`;
    const values = [actor.name, mailbox, ...args];
    const [a, b, c] = values;
    link.add(WIRE.spawn, from.id, actor.id, 0, supervised, address, values.length, a, b, c, values, name);
  }

  /** An actor is to end: it is not made anew, even if its worker ends before. */
  ends(actor: Actor): void {
    this.#supervision.end(actor.id);
  }

  /** A message of the runtime's own. */
  send(
    worker: number,
    kind: number,
    from: number,
    actor: number,
    number: number,
    settles: number,
    about?: unknown,
  ): void {
    const link = this.#links[worker];
    if (link?.isOpen === true) link.addSignal(kind, from, actor, number, settles, about);
  }

  /** A worker is told of a trail, if it still is the one that has asked. */
  report(
    worker: number,
    life: number,
    kind: number,
    before: number,
    number: number,
    question: number,
    what?: string,
  ): void {
    if (this.#links[worker]?.life === life) this.send(worker, kind, 0, before, number, question, what);
  }

  /** An actor of this worker that is supervised here: until it is stopped, whoever still knows that it has a reference. */
  keepHere(actor: Actor, ref: FarRef, way: number, by: Actor): void {
    this.#arrivals.keep(actor, ref, this.#parts.here, way, by);
  }

  /** One that another worker has supervised is not to be made anew. */
  unsupervised(actor: Actor, ref: FarRef, supervisor: number): void {
    const { here } = this.#parts;
    this.references.takeBackOne(here, ref);
    this.send(supervisor, WIRE.ended, here, actor.id, 0, 0);
  }

  /** What leads to the others, those that have ended among them. */
  get links(): Link[] {
    return this.#links.filter((link) => link !== undefined);
  }

  /** Workers that messages come from. */
  get others(): number[] {
    return this.#links.flatMap((link) => (link?.isOpen === true ? [link.worker] : []));
  }

  /** Actors that are known by others and are not here yet, or not any more. */
  expectAgain(actors: readonly Known[]): void {
    for (const each of actors) this.#arrivals.expectAgain(each);
  }

  /** A run again goes on from a cut: what was under way comes when it came, and what is not known but by that is known then. */
  follow(underWay: readonly UnderWay[], actors: readonly Known[]): void {
    const isStillToCome = ({ actor }: Known): boolean => this.#unborn.has(actor.id);
    const inTime = new KnownInTime(actors.filter(isStillToCome));
    this.expectAgain(actors.filter((each) => !isStillToCome(each)));
    this.taking.followUnderWay(underWay, this.#parts.phase(), (message) => this.expectAgain(inTime.by(message)));
  }

  read(): NeighboursState {
    return {
      life: this.#life,
      links: this.#links.flatMap((link) => (link === undefined ? [] : [link.read()])),
      references: this.references.read(),
      unborn: this.#unborn.read(),
      supervised: this.#supervision.read(),
    };
  }

  /** In the place of all that was kept in mind. Whoever is a worker there has been joined before. */
  write({ life, links, references, unborn, supervised }: NeighboursState): void {
    this.#life = life;
    for (const each of links) {
      const link = this.#links[each.worker];
      if (link === undefined || (each.isOpen && link.life !== each.life))
        throw new RuntimeError(
          'TT_PLACEMENT',
          `worker ${this.#parts.here} is to go on with worker ${each.worker} in its life ${each.life}, and is joined to ${link === undefined ? 'none there' : `its life ${link.life}`}; join that one first`,
        );
      link.write(each);
    }
    this.references.write(references);
    this.#unborn.write(unborn);
    this.#supervision.write(supervised);
    for (const { actor, coming } of unborn.expected) if (coming !== undefined) this.#arrivals.findAgain(actor.id);
  }

  to({ worker }: Actor): Link {
    return this.#links[worker] as Link;
  }
}

/** As it is noted. */
type NotedLoss = { readonly why: string; readonly isReplaced: boolean; readonly isRestored: boolean };

function lossOf({ value }: HappenedEvent): NotedLoss {
  return value as NotedLoss;
}
