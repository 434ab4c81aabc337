// What a worker's actors do, told to whoever subscribes to Node's diagnostics channels: `turntable.spawn`, `turntable.send`,
// `turntable.turn`, `turntable.settle`, each thread's own. Subscribers are given plain data, never an object of an actor. They
// look on: what they throw is an uncaught exception and stops no turn, and what they cause at once is not told in its turn.
// Callers ask `hasSubscribers` first, which V8 folds into a comparison (bench/prototype/channels.mjs); nothing is made before that.

import { channel, type Channel } from 'node:diagnostics_channel';

/** An actor, as it is told of. */
export interface Party {
  readonly actor: number;
  readonly name: string;
  readonly worker: number;
}

export interface SpawnEvent extends Party {
  readonly class: string;
  /** Who has spawned it. */
  readonly from: Party;
}

/** A call as it is sent: before it is refused, held or lost. */
export interface SendEvent extends Party {
  readonly method: string;
  /** Whether anybody wants to know what comes of it. */
  readonly asks: boolean;
  readonly from: Party;
}

/** What a turn is about: a call, the making of the root, an outcome that comes back, or a request to stop. */
export type TurnKind = 'call' | 'construct' | 'fulfil' | 'reject' | 'stop';

/** The end has the `turn` of its start, the number of turns that the worker has begun. */
export interface TurnEvent extends Party {
  readonly at: 'start' | 'end';
  readonly turn: number;
  readonly kind: TurnKind;
  /** Of a call. */
  readonly method: string | undefined;
  /** Whose message it is. */
  readonly from: Party;
}

/** The outcome of what the actor has asked is there; it is told in the turn that settles the eventual. */
export interface SettleEvent extends Party {
  readonly rejected: boolean;
  /** Who has answered. */
  readonly from: Party;
}

/** What is needed of an actor. */
export interface Observed {
  readonly id: number;
  readonly name: string;
  readonly worker: number;
}

/** What is called, as the queue has it: a method's name, that of a tracked call, or the kind of another message. */
export type Called = string | { readonly name: string } | { readonly kind: Exclude<TurnKind, 'call'> };

export const spawns: Channel = channel('turntable.spawn');
export const sends: Channel = channel('turntable.send');
export const turns: Channel = channel('turntable.turn');
export const settlements: Channel = channel('turntable.settle');

let isPublishing = false;

function publish(to: Channel, event: SpawnEvent | SendEvent | TurnEvent | SettleEvent): void {
  // Otherwise a subscriber that sends would be told of it, and send.
  if (isPublishing) return;
  isPublishing = true;
  try {
    to.publish(event);
  } finally {
    isPublishing = false;
  }
}

function party({ id, name, worker }: Observed): Party {
  return { actor: id, name, worker };
}

export function publishSpawn(actor: Observed, type: { readonly name: string }, from: Observed): void {
  publish(spawns, { ...party(actor), class: type.name, from: party(from) });
}

export function publishSend(actor: Observed, method: string, asks: boolean, from: Observed): void {
  publish(sends, { ...party(actor), method, asks, from: party(from) });
}

export function publishTurn(at: 'start' | 'end', turn: number, actor: Observed, called: Called, from: Observed): void {
  const kind = typeof called === 'object' && 'kind' in called ? called.kind : 'call';
  const method = typeof called === 'string' ? called : 'name' in called ? called.name : undefined;
  publish(turns, { at, turn, ...party(actor), kind, method, from: party(from) });
}

export function publishSettle(actor: Observed, rejected: boolean, from: Observed): void {
  publish(settlements, { ...party(actor), rejected, from: party(from) });
}
