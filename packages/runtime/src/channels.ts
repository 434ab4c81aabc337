// Node's diagnostics channels of each thread: `turntable.spawn`, `turntable.send`, `turntable.turn`, `turntable.settle`. Subscribers are given plain data.
// An error of a subscriber is an uncaught exception and stops no turn; events it causes are not published. `observed` says which channels have subscribers:
// to ask the channels for each message took 5 to 40 ns in the runtime, since V8 inlined less, though nothing in bench/prototype/channels.mjs.

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
  /** Whose message it is; unknown of what was told when nobody looked on. */
  readonly from: Party | undefined;
}

/** The outcome of what the actor has asked is there; it is told in the turn that settles the eventual. */
export interface SettleEvent extends Party {
  readonly rejected: boolean;
  /** Who has answered. */
  readonly from: Party;
}

/** A worker was kept by a snapshot: to begin it, to write an actor, or it has its part. */
export interface SnapshotEvent {
  readonly at: 'cut' | 'piece' | 'whole';
  readonly phase: number;
  readonly worker: number;
  /** Of a piece, whose it is; what waits belongs to nobody. */
  readonly name: string | undefined;
  /** Milliseconds. */
  readonly pause: number;
  /** So far. */
  readonly bytes: number;
}

/** What is needed of an actor. */
export interface Observed {
  readonly id: number;
  readonly name: string;
  readonly worker: number;
}

/** What is called, as the queue has it: a method's name, that of a tracked call, or the kind of another message. */
export type Called = string | { readonly name: string } | { readonly kind: Exclude<TurnKind, 'call'> };

const spawns: Channel = channel('turntable.spawn');
const sends: Channel = channel('turntable.send');
const turns: Channel = channel('turntable.turn');
const settlements: Channel = channel('turntable.settle');
const snapshots: Channel = channel('turntable.snapshot');

/** Whether spawns, sends, and turns or settlements have subscribers, and whether turns have observers of any kind. */
export const observed = { spawns: false, sends: false, turns: false, hasCompany: false };
let companies = 0;

function look(): void {
  observed.spawns = spawns.hasSubscribers;
  observed.sends = sends.hasSubscribers;
  observed.turns = turns.hasSubscribers || settlements.hasSubscribers;
  observed.hasCompany = observed.turns || companies > 0;
}

/** Somebody else keeps company with turns of this thread, or does no more: one look tells of all. */
export function keepCompany(change: 1 | -1): void {
  companies += change;
  look();
}

/** Node tells nobody that somebody subscribes; but it calls these methods of the channel, by whichever door. */
const CHANGING = ['subscribe', 'unsubscribe', 'bindStore', 'unbindStore'] as const;

for (const each of [spawns, sends, turns, settlements]) {
  for (const name of CHANGING) {
    Object.defineProperty(each, name, {
      // The prototype is another one once there are subscribers.
      value(this: Channel, ...args: unknown[]): unknown {
        const { [name]: change } = Object.getPrototypeOf(this) as Record<string, (...args: unknown[]) => unknown>;
        const answer = change === undefined ? undefined : Reflect.apply(change, this, args);
        look();
        return answer;
      },
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }
}
look();

let isPublishing = false;

function publish(to: Channel, event: SpawnEvent | SendEvent | TurnEvent | SettleEvent | SnapshotEvent): void {
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

export function publishSnapshot(event: SnapshotEvent): void {
  if (snapshots.hasSubscribers) publish(snapshots, event);
}

export function publishSpawn(actor: Observed, type: { readonly name: string }, from: Observed): void {
  publish(spawns, { ...party(actor), class: type.name, from: party(from) });
}

export function publishSend(actor: Observed, method: string, asks: boolean, from: Observed): void {
  publish(sends, { ...party(actor), method, asks, from: party(from) });
}

function methodOf(called: Called): string | undefined {
  return typeof called === 'string' ? called : 'name' in called ? called.name : undefined;
}

/** For people. */
export function calledName(called: Called): string {
  return methodOf(called) ?? (called as { readonly kind: string }).kind;
}

export function publishTurn(
  at: 'start' | 'end',
  turn: number,
  actor: Observed,
  called: Called,
  from: Observed | undefined,
): void {
  const kind = typeof called === 'object' && 'kind' in called ? called.kind : 'call';
  publish(turns, {
    at,
    turn,
    ...party(actor),
    kind,
    method: methodOf(called),
    from: from === undefined ? undefined : party(from),
  });
}

export function publishSettle(actor: Observed, rejected: boolean, from: Observed): void {
  publish(settlements, { ...party(actor), rejected, from: party(from) });
}
