// What leads to one other worker and back: messages as bytes, and what has to be kept in mind until they are answered. Everything that passes by
// reference is a few numbers on the way. What comes is taken in batches between turns, in the order it was sent.

import type { Eventual } from '@turntable/core';
import { Actor, EVERY_LIFE, MOST_WORKERS, OVER } from '../actors/actor.ts';
import { FarRef, type FarRefClass, type FarRefClasses } from '../references/far-ref.ts';
import type { TypeChecks } from './send/passing.ts';
import { ActorLostError } from '../runtime-error.ts';
import type { References } from '../references/references.ts';
import { ReportedTrail, type Trail } from './answer/trail.ts';
import { NOTHING } from './message-queue.ts';
import { Inbox } from '../transport/inbox.ts';
import { Outbox } from '../transport/outbox.ts';
import type { Bell } from '../transport/wake-up.ts';
import {
  WAKE,
  type Port,
  type TakeMessage,
  type WirePorts,
  type WireReader,
  type WireWriter,
} from '../transport/wire.ts';

/** The bytes of both directions, the port, and what the other worker is woken by. */
export interface LinkParts {
  readonly worker: number;
  readonly life: number;
  /** Why the life before has ended. */
  readonly before?: string | undefined;
  readonly out: SharedArrayBuffer;
  readonly in: SharedArrayBuffer;
  readonly port: Port;
  readonly bell: Bell;
}

/** An eventual that waits for what another worker will say, and whose it is. */
export interface Waiting {
  readonly eventual: Eventual;
  readonly actor: Actor;
  /** Who was asked. */
  readonly asked: Actor;
  /** What it was asked to do; its end, if it is nothing. */
  readonly call: string | undefined;
}

/** What is kept in mind of another worker until it is answered; not what the ends have agreed on for the bytes between them. */
export interface LinkState {
  readonly worker: number;
  readonly life: number;
  readonly isOpen: boolean;
  readonly lost: string | undefined;
  readonly phase: number;
  /** Numbers given so far. */
  readonly questions: number;
  readonly eventuals: number;
  readonly asked: readonly (readonly [question: number, waiting: Waiting])[];
  /** Eventuals of theirs. */
  readonly passed: readonly (readonly [number: number, waiting: Waiting])[];
  readonly trails: readonly (readonly [question: number, trail: ReportedTrail])[];
}

/** What the link needs of its worker's scheduler. */
export interface LinkOwner {
  readonly here: number;
  /** Which life of this worker it is. */
  readonly life: number;
  phase(): number;
  readonly classes: FarRefClasses;
  readonly references: References;
  readonly types: TypeChecks;
  readonly engine: WirePorts['engine'];
  /** As of `Passing`. */
  reference(value: object): object | undefined;
  createEventual(): Eventual;
  /** The outcome of an eventual is to go to the other worker under a number. */
  forward(eventual: object, link: Link, number: number): void;
  /** The reference to an actor that is to come here, or to what is no more. */
  expected(id: number, number: number, type: FarRefClass): FarRef;
  /** What becomes of the messages of a link. */
  takerOf(link: Link): TakeMessage;
  /** A message has been added and must be published. */
  touch(link: Link): void;
  /** Something has come while this worker slept. */
  woken(): void;
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
}

/** What stands before a reference on its way. */
const KNOWN_CLASS = 0;
const NEW_CLASS = 1;
const EVENTUAL = 2;

export class Link {
  readonly worker: number;
  life: number;
  /** Stands for whoever sends from there. */
  readonly peer: Actor;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  isOpen = true;
  /** Why it is not, or why that of the life before is not. */
  #lost: string | undefined;
  /** The phase in which what comes next was sent. */
  phase = 0;
  /** Of what was sent and what was taken, so much says only that a phase begins. */
  readonly marks = { sent: 0, taken: 0 };
  /** Whether something has been added since the last publication. */
  isTouched = false;
  readonly #owner: LinkOwner;
  readonly #bell: Bell;
  readonly #port: Port;
  /** What has been asked there, by the numbers it was asked under. */
  readonly #asked = new Map<number, Waiting>();
  /** Eventuals of theirs that have been passed here, by their numbers. */
  readonly #passed = new Map<number, Waiting>();
  /** What is led to by what has been asked there, if somebody wants to know. */
  readonly #trails = new Map<number, ReportedTrail>();
  #questions = 0;
  #eventuals = 0;
  /** Classes of references that both ends know, by the numbers this end has given. */
  readonly #classNumbers = new Map<FarRefClass, number>();
  #classCount = 0;
  readonly #classes: FarRefClass[] = [];
  /** Classes and references that the messages being added are the first to carry: taken back if a message is refused. */
  readonly #added: (FarRefClass | FarRef)[] = [];
  /** Eventuals in the message at hand: they will belong to whom it is for. */
  #counted: FarRef[] = [];
  #arrived: { number: number; eventual: Eventual }[] = [];

  constructor(owner: LinkOwner, { worker, life, before, out, in: inward, port, bell }: LinkParts) {
    this.#owner = owner;
    this.worker = worker;
    this.life = life;
    this.#lost = before;
    this.peer = new Actor(-worker - 1, worker, worker === 0 ? 'the main thread' : `worker ${worker}`);
    const ports: WirePorts = {
      types: owner.types,
      engine: owner.engine,
      reference: (value) => owner.reference(value),
      writeReference: (reference, writer) => this.#write(reference, writer),
      readReference: (reader) => this.#read(reader),
      errorClassName: (prototype) => owner.errorClassName(prototype),
      errorPrototype: (name) => owner.errorPrototype(name),
    };
    this.#bell = bell;
    this.#port = port;
    this.outbox = new Outbox(out, port, ports, bell);
    this.inbox = new Inbox(inward, port, ports, owner.takerOf(this), () => owner.woken());
  }

  /** Adds a message as `Outbox.add` does, and forgets the classes and references of a refused message. */
  add(
    kind: number,
    sender: number,
    actor: number,
    target: number,
    settles: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
    name: (place: number) => string,
  ): void {
    // Another message may be in progress: an accessor of its arguments has sent this one.
    const mark = this.#added.length;
    try {
      this.outbox.add(kind, sender, actor, target, settles, call, count, a, b, c, many, name);
    } catch (error) {
      for (const each of this.#added.splice(mark)) {
        if (FarRef.has(each)) this.#owner.references.takeBackOne(this.worker, each);
        else this.#classNumbers.delete(each);
      }
      throw error;
    }
    if (this.#added.length > mark) this.#added.length = mark;
    this.#owner.touch(this);
  }

  /** The outcome of a question, or of an eventual that was passed, by its number. */
  addOutcome(kind: number, sender: number, settles: number, value: unknown, name: () => string): void {
    this.add(kind, sender, 0, 0, settles, undefined, 1, value, undefined, undefined, NOTHING, name);
  }

  /** A message of the runtime's own, with one argument at most. */
  addSignal(kind: number, sender: number, actor: number, target: number, settles: number, about: unknown): void {
    const count = about === undefined ? 0 : 1;
    this.add(kind, sender, actor, target, settles, undefined, count, about, undefined, undefined, NOTHING, noName);
  }

  /** The number under which an answer will come. */
  ask(eventual: Eventual, actor: Actor, asked: Actor, call: string | undefined): number {
    const number = ++this.#questions;
    this.#asked.set(number, { eventual, actor, asked, call });
    return number;
  }

  unask(number: number): void {
    this.#asked.delete(number);
    if (this.#trails.size > 0) this.#trails.delete(number);
  }

  /** What a question leads to there is part of a trail here. */
  track(question: number, trail: Trail): void {
    this.#trails.set(question, new ReportedTrail(trail));
  }

  trailOf(question: number): ReportedTrail | undefined {
    return this.#trails.get(question);
  }

  /** So many messages at most; answers how many were taken. */
  drain(most: number): number {
    const count = this.inbox.drain(most);
    if (count > 0 && this.inbox.isRoomWanted() && this.#bell.ring()) this.#port.postMessage(WAKE);
    return count;
  }

  /** Nothing has come that is not taken, and what was sent has left. */
  get isQuiet(): boolean {
    return this.outbox.spilled === 0 && this.inbox.isEmpty();
  }

  #write(reference: object, out: WireWriter): void {
    if (!FarRef.has(reference)) {
      const number = ++this.#eventuals;
      out.integer(EVENTUAL);
      out.integer(number);
      this.#owner.forward(reference, this, number);
      return;
    }
    const type = FarRef.classOf(reference);
    const known = this.#classNumbers.get(type);
    if (known === undefined) {
      const number = this.#classCount++;
      this.#classNumbers.set(type, number);
      this.#added.push(type);
      const { key, name, methods } = type.interface;
      out.integer(NEW_CLASS);
      out.integer(number);
      out.text(key);
      out.text(name);
      out.text(methods.join('\n'));
    } else {
      out.integer(KNOWN_CLASS);
      out.integer(known);
    }
    const actor = FarRef.actorOf(reference);
    // One that is made anew has every life, which is 0 here.
    const life =
      actor.life === EVERY_LIFE ? 0 : 1 + (actor.worker === this.#owner.here ? this.#owner.life : actor.life);
    out.integer(actor.worker + MOST_WORKERS * life);
    out.integer(actor.id);
    out.integer(FarRef.numberOf(reference));
    // What goes home needs no keeping.
    if (actor.worker === this.worker) return;
    this.#owner.references.give(reference, this.worker);
    this.#added.push(reference);
  }

  #read(from: WireReader): object {
    const what = from.integer();
    const number = from.integer();
    if (what === EVENTUAL) {
      const eventual = this.#owner.createEventual();
      this.#arrived.push({ number, eventual });
      return eventual;
    }
    if (what === NEW_CLASS) {
      const key = from.text();
      const name = from.text();
      const methods = from.text();
      this.#classes[number] = this.#owner.classes.named({
        key,
        name,
        methods: methods === '' ? [] : methods.split('\n'),
      });
    }
    const type = this.#classes[number] as FarRefClass;
    const home = from.integer();
    const actor = from.integer();
    const place = from.integer();
    const { references, here } = this.#owner;
    const worker = home % MOST_WORKERS;
    if (worker === here) return references.find(actor, place) ?? this.#owner.expected(actor, place, type);
    const life = home < MOST_WORKERS ? EVERY_LIFE : Math.floor(home / MOST_WORKERS) - 1;
    const ref = references.take(this.worker, worker, life, actor, place, type);
    if (this.phase < this.#owner.phase()) this.#counted.push(ref);
    return ref;
  }

  /** Of the message at hand, if it was sent before this worker's phase: references that were counted, and eventuals with their numbers, in turn. */
  brought(): { readonly references: readonly FarRef[]; readonly eventuals: readonly (number | Eventual)[] } {
    const references = this.#counted;
    this.#counted = [];
    return { references, eventuals: this.#arrived.flatMap(({ number, eventual }) => [number, eventual]) };
  }

  /** What a message has brought is there again, before it is taken again. */
  bringAgain({ references, eventuals }: ReturnType<Link['brought']>): void {
    for (const ref of references) this.#owner.references.takeAgain(this.worker, ref);
    for (let i = 0; i < eventuals.length; i += 2)
      this.#arrived.push({ number: eventuals[i] as number, eventual: eventuals[i + 1] as Eventual });
  }

  /** The eventuals of the message at hand are its recipient's. */
  arrived(actor: Actor): void {
    if (this.#arrived.length === 0) return;
    for (const { number, eventual } of this.#arrived)
      this.#passed.set(number, { eventual, actor, asked: this.peer, call: '' });
    this.#arrived = [];
  }

  /** Who waits for an answer, or for what becomes of an eventual. */
  answered(number: number): Waiting | undefined {
    const waiting = this.#asked.get(number);
    this.unask(number);
    return waiting;
  }

  settled(number: number): Waiting | undefined {
    const waiting = this.#passed.get(number);
    this.#passed.delete(number);
    return waiting;
  }

  /** Whether an actor that lived there has ended with it. */
  hasLost(actor: Actor): boolean {
    return !this.isOpen || actor.life < this.life;
  }

  failure(actor: Actor): ActorLostError {
    return new ActorLostError(`${actor.name} is lost: ${this.#lost ?? `${this.peer.name} has ended`}`);
  }

  /** The other end is gone: everybody who waits for it. */
  *abandon(why: string): Iterable<Waiting> {
    this.#close(why);
    yield* this.#asked.values();
    yield* this.#passed.values();
    this.#asked.clear();
    this.#passed.clear();
    this.#trails.clear();
  }

  #close(why: string | undefined): void {
    this.isOpen = false;
    this.#lost = why;
    // What is still to go there goes nowhere, also where this is gone on from and another one is there.
    this.peer.life = OVER;
  }

  read(): LinkState {
    const { worker, life, isOpen, phase } = this;
    return {
      worker,
      life,
      isOpen,
      phase,
      lost: this.#lost,
      questions: this.#questions,
      eventuals: this.#eventuals,
      asked: [...this.#asked],
      passed: [...this.#passed],
      trails: [...this.#trails],
    };
  }

  /** Why the worker that it has led to has ended, if it has. */
  get end(): string | undefined {
    return this.isOpen ? undefined : this.#lost;
  }

  /** In the place of all that was kept in mind. Where it leads nowhere any more, it does not matter who is joined to it now. */
  write({ life, isOpen, phase, lost, questions, eventuals, asked, passed, trails }: Omit<LinkState, 'worker'>): void {
    this.life = life;
    this.isOpen = isOpen;
    this.phase = phase;
    this.#lost = lost;
    if (!isOpen) this.#close(lost);
    this.#questions = questions;
    this.#eventuals = eventuals;
    this.#asked.clear();
    this.#passed.clear();
    this.#trails.clear();
    for (const [number, waiting] of asked) this.#asked.set(number, waiting);
    for (const [number, waiting] of passed) this.#passed.set(number, waiting);
    for (const [number, trail] of trails) this.#trails.set(number, trail);
  }
}

function noName(): string {
  return 'a message of the runtime';
}
