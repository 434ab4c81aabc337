// The connection of a worker to one other worker: messages as bytes in both directions, and the calls and eventuals
// that await an answer. References and eventuals are sent as a few numbers. Messages are taken between turns, in
// batches, in the order in which they were sent.

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
import { WAKE, type Port, type TakeMessage, type TransportDeps } from '../transport/wire.ts';
import type { WireReader, WireWriter } from '../transport/wire.ts';

/** One end of the shared memory and the port that connect two workers. */
export interface LinkEnds {
  readonly worker: number;
  readonly epoch: number;
  readonly lossReason?: string | undefined;
  readonly out: SharedArrayBuffer;
  readonly in: SharedArrayBuffer;
  readonly port: Port;
  readonly bell: Bell;
}

/** An eventual of an actor here that awaits a message of the other worker. */
export interface PendingReply {
  readonly eventual: Eventual;
  readonly actor: ActorCell;
  /** Actor that was called. */
  readonly callee: ActorCell;
  /** Name of the called method; undefined if the end of the actor is awaited. */
  readonly call: string | undefined;
}

/** State of a link in snapshots. Excludes the state of the byte encoding, which belongs to the two threads. */
export interface LinkState {
  readonly worker: number;
  readonly epoch: number;
  readonly isOpen: boolean;
  readonly lossReason: string | undefined;
  readonly phase: number;
  readonly lastCallId: number;
  readonly lastEventualId: number;
  readonly pendingCalls: readonly (readonly [question: number, waiting: PendingReply])[];
  /** Eventuals that the other worker passed here. */
  readonly pendingEventuals: readonly (readonly [number: number, waiting: PendingReply])[];
  readonly trails: readonly (readonly [question: number, trail: ReportedTrail])[];
}

/** Access of a link to its own worker. */
export interface LinkOwner {
  readonly ownWorker: number;
  /** Epoch of this worker. */
  readonly epoch: number;
  currentPhase(): number;
  readonly classes: FarReferenceClasses;
  readonly references: References;
  readonly types: PassableTypeChecks;
  readonly engine: TransportDeps['engine'];
  /** Returns the reference or eventual that passes in place of an object. */
  referenceFor(value: object): object | undefined;
  createEventual(): Eventual;
  /** Sends the outcome of an eventual to the other worker, by number, when the eventual is settled. */
  forward(eventual: object, link: Link, number: number): void;
  /** Returns the reference for an object here that is not exported: its actor may still be created, or it is gone. */
  expectedReference(id: number, exportId: number, type: FarReferenceClass): FarReference;
  /** Returns the handler of the messages that a link takes. */
  receiverOf(link: Link): TakeMessage;
  markTouched(link: Link): void;
  onWoken(): void;
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
}

/** Possible first integers of a reference or an eventual on the wire. */
const KNOWN_CLASS_TAG = 0;
const NEW_CLASS_TAG = 1;
const EVENTUAL_TAG = 2;

export class Link {
  readonly worker: number;
  epoch: number;
  /** Represents the other worker as the sender of its messages. */
  readonly peer: ActorCell;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  isOpen = true;
  /** Reason why the link or its predecessor was closed. */
  #lossReason: string | undefined;
  /** Phase in which the next message was sent, according to the last phase marker. */
  phase = 0;
  /** Number of phase markers among the messages that were sent and taken. */
  readonly phaseMarkers = { sent: 0, taken: 0 };
  hasUnpublished = false;
  readonly #owner: LinkOwner;
  readonly #bell: Bell;
  readonly #port: Port;
  /** Calls that wait for an answer, by the ids that this worker assigned. */
  readonly #pendingCalls = new Map<number, PendingReply>();
  /** Eventuals that the other worker passed here, by the ids that it assigned to them. */
  readonly #pendingEventuals = new Map<number, PendingReply>();
  /** Deadline trails that tracked calls extend, by call id. */
  readonly #trails = new Map<number, ReportedTrail>();
  #lastCallId = 0;
  #lastEventualId = 0;
  /** Reference classes that the other end knows, with the numbers that this end assigned. */
  readonly #classNumbers = new Map<FarReferenceClass, number>();
  #classCount = 0;
  readonly #receivedClasses: FarReferenceClass[] = [];
  /** Classes and references first sent by messages that are being written. Taken back if a message is refused. */
  readonly #uncommitted: (FarReferenceClass | FarReference)[] = [];
  /** References and eventuals of the message that is being taken. Eventuals are assigned to the recipient. */
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

  /** Adds a message, as `Outbox.add` does. If that throws, the classes and references of the message are taken back. */
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
    // Messages nest: an accessor among the arguments may send another one.
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

  /** Sends the outcome of a call or of a passed eventual. `replyTo`: the id of the call or eventual. */
  addOutcome(kind: number, sender: number, replyTo: number, value: unknown, name: () => string): void {
    this.add(kind, sender, 0, 0, replyTo, undefined, 1, value, undefined, undefined, NO_ARGS, name);
  }

  /** Sends a message of the runtime, with at most one argument. */
  addSignal(kind: number, sender: number, actor: number, target: number, replyTo: number, value: unknown): void {
    const count = value === undefined ? 0 : 1;
    this.add(kind, sender, actor, target, replyTo, undefined, count, value, undefined, undefined, NO_ARGS, signalName);
  }

  registerCall(eventual: Eventual, actor: ActorCell, callee: ActorCell, call: string | undefined): number {
    const callId = ++this.#lastCallId;
    this.#pendingCalls.set(callId, { eventual, actor, callee, call });
    return callId;
  }

  forgetCall(callId: number): void {
    this.#pendingCalls.delete(callId);
    if (this.#trails.size > 0) this.#trails.delete(callId);
  }

  /** Adds to a trail the messages that a call causes on the other worker. */
  trackCall(callId: number, trail: DeadlineTrail): void {
    this.#trails.set(callId, new ReportedTrail(trail));
  }

  trailOfCall(callId: number): ReportedTrail | undefined {
    return this.#trails.get(callId);
  }

  drain(maxMessages: number): number {
    const count = this.inbox.drain(maxMessages);
    if (count > 0 && this.inbox.takeRoomWanted() && this.#bell.ring()) this.#port.postMessage(WAKE);
    return count;
  }

  /** Whether no message waits in either direction. */
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
    // Code 0 means `ANY_EPOCH`: the reference stays valid when its actor is respawned.
    const epochCode =
      actor.epoch === ANY_EPOCH ? 0 : 1 + (actor.worker === this.#owner.ownWorker ? this.#owner.epoch : actor.epoch);
    writer.integer(actor.worker + MAX_WORKERS * epochCode);
    writer.integer(actor.id);
    writer.integer(FarReference.exportIdOf(reference));
    // A reference to an object of the receiving worker needs no pin.
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
      const names = reader.text();
      const methods = names === '' ? [] : names.split('\n');
      this.#receivedClasses[id] = this.#owner.classes.ofInterface({ key, name, methods });
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

  /**
   * Takes the references and eventuals of the message that is being taken. Eventuals follow their numbers in the list.
   * References are included only if the message was sent before this worker's phase.
   */
  takeReceived(): { readonly references: readonly FarReference[]; readonly eventuals: readonly (number | Eventual)[] } {
    const references = this.#receivedReferences;
    this.#receivedReferences = [];
    return { references, eventuals: this.#receivedEventuals.flatMap(({ number, eventual }) => [number, eventual]) };
  }

  restoreReceived({ references, eventuals }: ReturnType<Link['takeReceived']>): void {
    for (const ref of references) this.#owner.references.receiveExisting(this.worker, ref);
    for (let i = 0; i < eventuals.length; i += 2)
      this.#receivedEventuals.push({ number: eventuals[i] as number, eventual: eventuals[i + 1] as Eventual });
  }

  /** Makes an actor the owner of the eventuals in the message that is being taken. */
  assignEventuals(actor: ActorCell): void {
    if (this.#receivedEventuals.length === 0) return;
    for (const { number, eventual } of this.#receivedEventuals)
      this.#pendingEventuals.set(number, { eventual, actor, callee: this.peer, call: '' });
    this.#receivedEventuals = [];
  }

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

  /** Whether the actor was on the other worker and is lost. */
  hasLostActor(actor: ActorCell): boolean {
    return !this.isOpen || actor.epoch < this.epoch;
  }

  lostError(actor: ActorCell): ActorLostError {
    return new ActorLostError(`${actor.name} is lost: ${this.#lossReason ?? `${this.peer.name} has ended`}`);
  }

  /** Closes the link and returns all eventuals that await its messages. */
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
    // Ended even after a restore, when this link may belong to another epoch, so that nothing is sent to the peer.
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

  /** Reason why the link was closed; undefined while it is open. */
  get lossReason(): string | undefined {
    return this.isOpen ? undefined : this.#lossReason;
  }

  /** Replaces the state. The state of a closed link may have another epoch, since nothing uses a closed link. */
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
