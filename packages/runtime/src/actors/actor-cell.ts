// An actor: an isolated object graph, and the state of its mailbox. Its timers, suspended frames and pending reactions
// belong to its context, which keeps the actor alive. An actor of another worker is a cell without a graph.

import type { Context, HomeActor } from '@turntable/core';
import type { Recipient } from '../messaging/message-queue.ts';
import { checkOptionNames } from '../option-names.ts';
import { RuntimeError } from '../runtime-error.ts';

/** Number of possible worker indices. An actor's id is its ordinal times this number, plus its spawner's index. */
export const MAX_WORKERS = 64;
/** Ordinals and export ids of epoch `n` start after `n` times this number, so that no two epochs share ids. */
export const ORDINALS_PER_EPOCH = 2 ** 32;
/** Epoch of the peer of a closed link. */
export const ENDED_EPOCH = -1;
/** Epoch of a supervised actor, which has the same id in every epoch of its worker. */
export const ANY_EPOCH = 2 ** 30 - 1;

/** Observer of the end of an actor; `termination.ts` has the kinds. */
export interface TerminationWatcher {
  readonly kind: string;
}

/** Limits of the messages that wait for an actor. */
export interface MailboxOptions {
  /** Number of waiting messages at which senders are held, except senders that have reached their own marks. */
  readonly mark?: number;
  /** Maximum number of waiting messages; further messages are rejected with `TT_MAILBOX_FULL`. */
  readonly limit?: number;
}

export function checkMailboxOptions(options: MailboxOptions): void {
  checkOptionNames('mailbox', options, ['mark', 'limit']);
  const { mark, limit } = options;
  for (const [name, value] of [['mark', mark] as const, ['limit', limit] as const])
    if (value !== undefined && !(typeof value === 'number' && value >= 1))
      throw new RuntimeError(
        'TT_OPTIONS',
        `mailbox.${name} must be a number of messages, at least 1, not ${String(value)}`,
      );
}

const DEFAULT_MARK = 10_000;
/** Limit that no mailbox reaches. `Infinity` would cost each actor a heap number. */
const NO_LIMIT = 2 ** 30 - 1;

export class ActorCell implements HomeActor, Recipient {
  readonly id: number;
  readonly worker: number;
  /** Epoch of the worker, for an actor of another worker. */
  epoch = 0;
  /** Name in errors and stats, or the class from which it is derived when it is first needed. */
  #name: string | { readonly name: string };
  /** Owner of everything that is created in the actor's turns. `ownContext` is Node's async context of the actor. */
  context: Context;
  ownContext: object | undefined = undefined;
  waiting = 0;
  /** The root, which only the actor itself can reach, and its `FarReference`. */
  root: object | undefined = undefined;
  rootRef: object | undefined = undefined;
  mailbox: object | undefined = undefined;
  parked: object | undefined = undefined;
  isParked = false;
  isHeld = false;
  mark = DEFAULT_MARK;
  limit = NO_LIMIT;
  /** Senders that this actor holds: actors of this worker, and workers of other senders. */
  heldSenders: ActorCell[] | undefined = undefined;
  heldWorkers: number[] | undefined = undefined;
  turns = 0;
  /** Estimated time spent in turns, in milliseconds. */
  busy = 0;
  /** Number of turns at which the actor was added to the census: 0 for its creation, negative if it was not added. */
  censusTurn = -1;
  /** Number of exported objects, the root excluded. */
  exportCount = 0;
  /** Reason why the actor can no longer receive messages; undefined while it can. */
  failure: RuntimeError | undefined = undefined;
  /** Last phase whose snapshot needs no piece of the actor, which was written or created in that phase. */
  writtenPhase = 0;
  /** Watchers to notify when `failure` is set. */
  watchers: TerminationWatcher[] | undefined = undefined;

  /** @param name the name, or the class that it is derived from */
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

/** `writtenPhase` of a cell that is in no snapshot. */
const NEVER_WRITTEN = 2 ** 30 - 1;

/** Returns a cell for an actor that is gone, or for the owner of an object that is gone. */
export function createBrokenActor(id: number, worker: number, failure: RuntimeError): ActorCell {
  const actor = new ActorCell(id, worker, `actor ${displayId(id)}`);
  actor.failure = failure;
  actor.writtenPhase = NEVER_WRITTEN;
  return actor;
}

export function creatorOf(id: number): number {
  return id % MAX_WORKERS;
}

/** Ordinal of an actor: its number among the actors that its creator spawned. */
export function ordinalOf(id: number): number {
  return Math.floor(id / MAX_WORKERS);
}

/** Returns the id for users: the ordinal, with the creator's index and epoch unless the main thread is the creator. */
export function displayId(id: number): string {
  const creator = creatorOf(id);
  const ordinal = ordinalOf(id);
  if (creator === 0) return String(ordinal);
  return ordinal < ORDINALS_PER_EPOCH
    ? `${ordinal}@${creator}`
    : `${ordinal % ORDINALS_PER_EPOCH}@${creator}.${Math.floor(ordinal / ORDINALS_PER_EPOCH) + 1}`;
}
