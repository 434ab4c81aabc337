// An actor: an object graph nobody else reaches, and the messages that wait for it. Its context keeps it: whatever of it is still to
// run, a timer, a frame, a reaction, belongs to that context. Actors of other workers are known by the same class, without a graph.

import type { Context, HomeActor } from '@turntable/core';
import type { Recipient } from '../messaging/message-queue.ts';
import { RuntimeError } from '../runtime-error.ts';

/** Ids of actors are given by who spawns them: the worker's index is what is left when they are divided by this. */
export const MAX_WORKERS = 64;
/** A worker that takes the place of one that has ended is another life of it: what it numbers begins so much further on. */
export const ORDINALS_PER_EPOCH = 2 ** 32;
/** Of what stands for a worker whose life has ended. */
export const ENDED_EPOCH = -1;
/** Of an actor that is made anew when its worker is lost. */
export const ANY_EPOCH = 2 ** 30 - 1;

/** Observer of the end of an actor; `endings.ts` has the kinds. */
export interface TerminationWatcher {
  readonly kind: string;
}

export interface MailboxOptions {
  /** Senders have no turns while more wait, unless as many wait for themselves. */
  readonly mark?: number;
  /** What comes when so many wait is rejected with `TT_MAILBOX_FULL`. */
  readonly limit?: number;
}

/** Fails if it says what cannot be. */
export function checkMailboxOptions({ mark, limit }: MailboxOptions): void {
  for (const [name, value] of [['mark', mark] as const, ['limit', limit] as const])
    if (value !== undefined && !(typeof value === 'number' && value >= 1))
      throw new RuntimeError('TT_OPTIONS', `mailbox.${name}: a number of messages, at least 1, not ${String(value)}`);
}

/** Messages that may wait for an actor before its senders are held. */
const DEFAULT_MARK = 10_000;
/** More than fit into memory. An infinite number would be an object of each actor's own. */
const NO_LIMIT = 2 ** 30 - 1;

export class ActorCell implements HomeActor, Recipient {
  readonly id: number;
  /** Where it lives. */
  readonly worker: number;
  /** Which life of its worker it belongs to, if it lives elsewhere. */
  epoch = 0;
  /** For messages about it; put together when it is asked for, if all there is to be said is its class. */
  #name: string | { readonly name: string };
  /** What belongs to whom: everything that is made in a turn belongs to its actor. With the host's context, once callbacks may come. */
  context: Context;
  ownContext: object | undefined = undefined;
  waiting = 0;
  /** Its root, which nobody but itself can meet, and the reference to that, a `FarRef`. */
  root: object | undefined = undefined;
  rootRef: object | undefined = undefined;
  mailbox: object | undefined = undefined;
  parked: object | undefined = undefined;
  isParked = false;
  isHeld = false;
  /** When so many messages wait for it, senders are held, and beyond `limit` they are refused. */
  mark = DEFAULT_MARK;
  limit = NO_LIMIT;
  /** Who is held on its account: actors, and workers of other senders. */
  heldSenders: ActorCell[] | undefined = undefined;
  heldWorkers: number[] | undefined = undefined;
  turns = 0;
  /** Milliseconds that turns have taken, or seem to have. */
  busy = 0;
  /** From which turn on it is in the census: 0 from its birth, negative as long as it is not. */
  censusTurn = -1;
  /** Objects of it, beside its root, that others have references to. */
  exportCount = 0;
  /** Why nothing can be sent to it any more. */
  failure: RuntimeError | undefined = undefined;
  /** The last phase in whose snapshot it stands or will not stand: it was written, or was made in that phase. */
  writtenPhase = 0;
  /** Who wants to be told when that happens. */
  watchers: TerminationWatcher[] | undefined = undefined;

  /** `name`: its own, or its class. */
  constructor(id: number, worker: number, name: string | { readonly name: string }, context?: Context) {
    this.id = id;
    this.worker = worker;
    this.#name = name;
    this.context = context ?? { home: this, store: undefined, trail: undefined };
  }

  get name(): string {
    if (typeof this.#name !== 'string') this.#name = `${this.#name.name}#${displayId(this.id)}`;
    return this.#name;
  }

  set name(name: string) {
    this.#name = name;
  }

  setMailbox({ mark = DEFAULT_MARK, limit = NO_LIMIT }: MailboxOptions): void {
    this.mark = Math.min(mark, limit);
    this.limit = limit;
  }
}

/** In no snapshot: `writtenIn` of what only says why there is nothing. */
const NEVER_WRITTEN = 2 ** 30 - 1;

/** Has the place of an actor, or of an object of one, that is no more. */
export function createBrokenActor(id: number, worker: number, failure: RuntimeError): ActorCell {
  const actor = new ActorCell(id, worker, `actor ${displayId(id)}`);
  actor.failure = failure;
  actor.writtenPhase = NEVER_WRITTEN;
  return actor;
}

/** Who has given an id. */
export function creatorOf(id: number): number {
  return id % MAX_WORKERS;
}

/** The number of those that its creator has spawned. */
export function ordinalOf(id: number): number {
  return Math.floor(id / MAX_WORKERS);
}

/** As people see it: its ordinal, and which worker has given it if that is not the main thread, in which of its lives. */
export function displayId(id: number): string {
  const creator = creatorOf(id);
  const ordinal = ordinalOf(id);
  if (creator === 0) return String(ordinal);
  return ordinal < ORDINALS_PER_EPOCH
    ? `${ordinal}@${creator}`
    : `${ordinal % ORDINALS_PER_EPOCH}@${creator}.${Math.floor(ordinal / ORDINALS_PER_EPOCH) + 1}`;
}
