// What leads to one other worker and back: messages as bytes, and what has to be kept in mind until they are answered. Everything that passes by
// reference is a few numbers on the way. What comes is taken in batches between turns, in the order it was sent.

import type { Eventual } from '@turntable/core';
import { ActorCell, ANY_EPOCH, MAX_WORKERS, ENDED_EPOCH } from '../actors/actor-cell.ts';
import { FarReference, type FarReferenceClass, type FarReferenceClasses } from '../references/far-reference.ts';
import type { PassableTypeChecks } from './send/argument-copier.ts';
import { ActorLostError } from '../runtime-error.ts';
import type { References } from '../references/references.ts';
import { ReportedTrail, type DeadlineTrail } from './answer/deadline-trail.ts';
import { NO_ARGS } from './message-queue.ts';
import { Inbox } from '../transport/inbox.ts';
import { Outbox } from '../transport/outbox.ts';
import type { Bell } from '../transport/bell.ts';
import {
  WAKE,
  type Port,
  type TakeMessage,
  type TransportDeps,
  type WireReader,
  type WireWriter,
} from '../transport/wire.ts';

/** The bytes of both directions, the port, and what the other worker is woken by. */
export interface LinkEnds {
  readonly worker: number;
  readonly epoch: number;
  /** Why the life before has ended. */
  readonly lossReason?: string | undefined;
  readonly out: SharedArrayBuffer;
  readonly in: SharedArrayBuffer;
  readonly port: Port;
  readonly bell: Bell;
}

/** An eventual that waits for what another worker will say, and whose it is. */
export interface PendingReply {
  readonly eventual: Eventual;
  readonly actor: ActorCell;
  /** Who was asked. */
  readonly callee: ActorCell;
  /** What it was asked to do; its end, if it is nothing. */
  readonly call: string | undefined;
}

/** What is kept in mind of another worker until it is answered; not what the ends have agreed on for the bytes between them. */
export interface LinkState {
  readonly worker: number;
  readonly epoch: number;
  readonly isOpen: boolean;
  readonly lossReason: string | undefined;
  readonly phase: number;
  /** Numbers given so far. */
  readonly lastCallId: number;
  readonly lastEventualId: number;
  readonly pendingCalls: readonly (readonly [question: number, waiting: PendingReply])[];
  /** Eventuals of theirs. */
  readonly pendingEventuals: readonly (readonly [number: number, waiting: PendingReply])[];
  readonly trails: readonly (readonly [question: number, trail: ReportedTrail])[];
}

/** What the link needs of its worker's scheduler. */
export interface LinkOwner {
  readonly ownWorker: number;
  /** Which life of this worker it is. */
  readonly epoch: number;
  currentPhase(): number;
  readonly classes: FarReferenceClasses;
  readonly references: References;
  readonly types: PassableTypeChecks;
  readonly engine: TransportDeps['engine'];
  /** As of `Passing`. */
  referenceFor(value: object): object | undefined;
  createEventual(): Eventual;
  /** The outcome of an eventual is to go to the other worker under a number. */
  forward(eventual: object, link: Link, number: number): void;
  /** The reference to an actor that is to come here, or to what is no more. */
  expectedReference(id: number, exportId: number, type: FarReferenceClass): FarReference;
  /** What becomes of the messages of a link. */
  receiverOf(link: Link): TakeMessage;
  /** A message has been added and must be published. */
  markTouched(link: Link): void;
  /** Something has come while this worker slept. */
  onWoken(): void;
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
}

/** What stands before a reference on its way. */
const KNOWN_CLASS_TAG = 0;
const NEW_CLASS_TAG = 1;
const EVENTUAL_TAG = 2;

export class Link {
  readonly worker: number;
  epoch: number;
  /** Stands for whoever sends from there. */
  readonly peer: ActorCell;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  isOpen = true;
  /** Why it is not, or why that of the life before is not. */
  #lossReason: string | undefined;
  /** The phase in which what comes next was sent. */
  phase = 0;
  /** Of what was sent and what was taken, so much says only that a phase begins. */
  readonly phaseMarkers = { sent: 0, taken: 0 };
  /** Whether something has been added since the last publication. */
  hasUnpublished = false;
  readonly #owner: LinkOwner;
  readonly #bell: Bell;
  readonly #port: Port;
  /** What has been asked there, by the numbers it was asked under. */
  readonly #pendingCalls = new Map<number, PendingReply>();
  /** Eventuals of theirs that have been passed here, by their numbers. */
  readonly #pendingEventuals = new Map<number, PendingReply>();
  /** What is led to by what has been asked there, if somebody wants to know. */
  readonly #trails = new Map<number, ReportedTrail>();
  #lastCallId = 0;
  #lastEventualId = 0;
  /** Classes of references that both ends know, by the numbers this end has given. */
  readonly #classNumbers = new Map<FarReferenceClass, number>();
  #classCount = 0;
  readonly #receivedClasses: FarReferenceClass[] = [];
  /** Classes and references that the messages being added are the first to carry: taken back if a message is refused. */
  readonly #uncommitted: (FarReferenceClass | FarReference)[] = [];
  /** Eventuals in the message at hand: they will belong to whom it is for. */
  #receivedReferences: FarReference[] = [];
  #receivedEventuals: { number: number; eventual: Eventual }[] = [];

  constructor(owner: LinkOwner, { worker, epoch, lossReason, out, in: inbound, port, bell }: LinkEnds) {
    this.#owner = owner;
    this.worker = worker;
    this.epoch = epoch;
    this.#lossReason = lossReason;
    this.peer = new ActorCell(-worker - 1, worker, worker === 0 ? 'the main thread' : `worker ${worker}`);
    const ports: TransportDeps = {
      types: owner.types,
      engine: owner.engine,
      referenceFor: (value) => owner.referenceFor(value),
      writeReference: (reference, writer) => this.#writeReference(reference, writer),
      readReference: (reader) => this.#readReference(reader),
      errorClassName: (prototype) => owner.errorClassName(prototype),
      errorPrototype: (name) => owner.errorPrototype(name),
    };
    this.#bell = bell;
    this.#port = port;
    this.outbox = new Outbox(out, port, ports, bell);
    this.inbox = new Inbox(inbound, port, ports, owner.receiverOf(this), () => owner.onWoken());
  }

  /** Adds a message as `Outbox.add` does, and forgets the classes and references of a refused message. */
  add(
    kind: number,
    sender: number,
    actor: number,
    exportId: number,
    replyTo: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
    name: (place: number) => string,
  ): void {
    // Another message may be in progress: an accessor of its arguments has sent this one.
    const committed = this.#uncommitted.length;
    try {
      this.outbox.add(kind, sender, actor, exportId, replyTo, call, count, a, b, c, args, name);
    } catch (error) {
      for (const each of this.#uncommitted.splice(committed)) {
        if (FarReference.has(each)) this.#owner.references.unpinOne(this.worker, each);
        else this.#classNumbers.delete(each);
      }
      throw error;
    }
    if (this.#uncommitted.length > committed) this.#uncommitted.length = committed;
    this.#owner.markTouched(this);
  }

  /** The outcome of a question, or of an eventual that was passed, by its number. */
  addOutcome(kind: number, sender: number, replyTo: number, value: unknown, name: () => string): void {
    this.add(kind, sender, 0, 0, replyTo, undefined, 1, value, undefined, undefined, NO_ARGS, name);
  }

  /** A message of the runtime's own, with one argument at most. */
  addSignal(kind: number, sender: number, actor: number, exportId: number, replyTo: number, argument: unknown): void {
    const count = argument === undefined ? 0 : 1;
    this.add(
      kind,
      sender,
      actor,
      exportId,
      replyTo,
      undefined,
      count,
      argument,
      undefined,
      undefined,
      NO_ARGS,
      signalName,
    );
  }

  /** The number under which an answer will come. */
  registerCall(eventual: Eventual, actor: ActorCell, callee: ActorCell, call: string | undefined): number {
    const callId = ++this.#lastCallId;
    this.#pendingCalls.set(callId, { eventual, actor, callee, call });
    return callId;
  }

  forgetCall(callId: number): void {
    this.#pendingCalls.delete(callId);
    if (this.#trails.size > 0) this.#trails.delete(callId);
  }

  /** What a question leads to there is part of a trail here. */
  trackCall(callId: number, trail: DeadlineTrail): void {
    this.#trails.set(callId, new ReportedTrail(trail));
  }

  trailOfCall(callId: number): ReportedTrail | undefined {
    return this.#trails.get(callId);
  }

  /** So many messages at most; answers how many were taken. */
  drain(maxMessages: number): number {
    const count = this.inbox.drain(maxMessages);
    if (count > 0 && this.inbox.takeRoomWanted() && this.#bell.ring()) this.#port.postMessage(WAKE);
    return count;
  }

  /** Nothing has come that is not taken, and what was sent has left. */
  get isQuiet(): boolean {
    return this.outbox.spilled === 0 && this.inbox.isEmpty();
  }

  #writeReference(reference: object, writer: WireWriter): void {
    if (!FarReference.has(reference)) {
      const id = ++this.#lastEventualId;
      writer.integer(EVENTUAL_TAG);
      writer.integer(id);
      this.#owner.forward(reference, this, id);
      return;
    }
    const type = FarReference.classOf(reference);
    const known = this.#classNumbers.get(type);
    if (known === undefined) {
      const id = this.#classCount++;
      this.#classNumbers.set(type, id);
      this.#uncommitted.push(type);
      const { key, name, methods } = type.interface;
      writer.integer(NEW_CLASS_TAG);
      writer.integer(id);
      writer.text(key);
      writer.text(name);
      writer.text(methods.join('\n'));
    } else {
      writer.integer(KNOWN_CLASS_TAG);
      writer.integer(known);
    }
    const actor = FarReference.actorOf(reference);
    // One that is made anew has every life, which is 0 here.
    const epochCode =
      actor.epoch === ANY_EPOCH ? 0 : 1 + (actor.worker === this.#owner.ownWorker ? this.#owner.epoch : actor.epoch);
    writer.integer(actor.worker + MAX_WORKERS * epochCode);
    writer.integer(actor.id);
    writer.integer(FarReference.exportIdOf(reference));
    // What goes home needs no keeping.
    if (actor.worker === this.worker) return;
    this.#owner.references.pin(reference, this.worker);
    this.#uncommitted.push(reference);
  }

  #readReference(reader: WireReader): object {
    const tag = reader.integer();
    const id = reader.integer();
    if (tag === EVENTUAL_TAG) {
      const eventual = this.#owner.createEventual();
      this.#receivedEventuals.push({ number: id, eventual });
      return eventual;
    }
    if (tag === NEW_CLASS_TAG) {
      const key = reader.text();
      const name = reader.text();
      const methods = reader.text();
      this.#receivedClasses[id] = this.#owner.classes.ofInterface({
        key,
        name,
        methods: methods === '' ? [] : methods.split('\n'),
      });
    }
    const type = this.#receivedClasses[id] as FarReferenceClass;
    const incarnationCode = reader.integer();
    const actor = reader.integer();
    const exportId = reader.integer();
    const { references, ownWorker } = this.#owner;
    const worker = incarnationCode % MAX_WORKERS;
    if (worker === ownWorker)
      return references.find(actor, exportId) ?? this.#owner.expectedReference(actor, exportId, type);
    const epoch = incarnationCode < MAX_WORKERS ? ANY_EPOCH : Math.floor(incarnationCode / MAX_WORKERS) - 1;
    const ref = references.receive(this.worker, worker, epoch, actor, exportId, type);
    if (this.phase < this.#owner.currentPhase()) this.#receivedReferences.push(ref);
    return ref;
  }

  /** Of the message at hand, if it was sent before this worker's phase: references that were counted, and eventuals with their numbers, in turn. */
  takeReceived(): { readonly references: readonly FarReference[]; readonly eventuals: readonly (number | Eventual)[] } {
    const references = this.#receivedReferences;
    this.#receivedReferences = [];
    return { references, eventuals: this.#receivedEventuals.flatMap(({ number, eventual }) => [number, eventual]) };
  }

  /** What a message has brought is there again, before it is taken again. */
  restoreReceived({ references, eventuals }: ReturnType<Link['takeReceived']>): void {
    for (const ref of references) this.#owner.references.receiveExisting(this.worker, ref);
    for (let i = 0; i < eventuals.length; i += 2)
      this.#receivedEventuals.push({ number: eventuals[i] as number, eventual: eventuals[i + 1] as Eventual });
  }

  /** The eventuals of the message at hand are its recipient's. */
  assignEventuals(actor: ActorCell): void {
    if (this.#receivedEventuals.length === 0) return;
    for (const { number, eventual } of this.#receivedEventuals)
      this.#pendingEventuals.set(number, { eventual, actor, callee: this.peer, call: '' });
    this.#receivedEventuals = [];
  }

  /** Who waits for an answer, or for what becomes of an eventual. */
  takeCall(callId: number): PendingReply | undefined {
    const pending = this.#pendingCalls.get(callId);
    this.forgetCall(callId);
    return pending;
  }

  takeEventual(eventualId: number): PendingReply | undefined {
    const pending = this.#pendingEventuals.get(eventualId);
    this.#pendingEventuals.delete(eventualId);
    return pending;
  }

  /** Whether an actor that lived there has ended with it. */
  hasLostActor(actor: ActorCell): boolean {
    return !this.isOpen || actor.epoch < this.epoch;
  }

  lostError(actor: ActorCell): ActorLostError {
    return new ActorLostError(`${actor.name} is lost: ${this.#lossReason ?? `${this.peer.name} has ended`}`);
  }

  /** The other end is gone: everybody who waits for it. */
  *abandon(reason: string): Iterable<PendingReply> {
    this.#close(reason);
    yield* this.#pendingCalls.values();
    yield* this.#pendingEventuals.values();
    this.#pendingCalls.clear();
    this.#pendingEventuals.clear();
    this.#trails.clear();
  }

  #close(reason: string | undefined): void {
    this.isOpen = false;
    this.#lossReason = reason;
    // What is still to go there goes nowhere, also where this is gone on from and another one is there.
    this.peer.epoch = ENDED_EPOCH;
  }

  getState(): LinkState {
    const { worker, epoch, isOpen, phase } = this;
    return {
      worker,
      epoch,
      isOpen,
      phase,
      lossReason: this.#lossReason,
      lastCallId: this.#lastCallId,
      lastEventualId: this.#lastEventualId,
      pendingCalls: [...this.#pendingCalls],
      pendingEventuals: [...this.#pendingEventuals],
      trails: [...this.#trails],
    };
  }

  /** Why the worker that it has led to has ended, if it has. */
  get lossReason(): string | undefined {
    return this.isOpen ? undefined : this.#lossReason;
  }

  /** In the place of all that was kept in mind. Where it leads nowhere any more, it does not matter who is joined to it now. */
  setState({
    epoch,
    isOpen,
    phase,
    lossReason,
    lastCallId,
    lastEventualId,
    pendingCalls,
    pendingEventuals,
    trails,
  }: Omit<LinkState, 'worker'>): void {
    this.epoch = epoch;
    this.isOpen = isOpen;
    this.phase = phase;
    this.#lossReason = lossReason;
    if (!isOpen) this.#close(lossReason);
    this.#lastCallId = lastCallId;
    this.#lastEventualId = lastEventualId;
    this.#pendingCalls.clear();
    this.#pendingEventuals.clear();
    this.#trails.clear();
    for (const [number, pending] of pendingCalls) this.#pendingCalls.set(number, pending);
    for (const [number, pending] of pendingEventuals) this.#pendingEventuals.set(number, pending);
    for (const [number, trail] of trails) this.#trails.set(number, trail);
  }
}

function signalName(): string {
  return 'a message of the runtime';
}
