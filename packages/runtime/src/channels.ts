// Node's diagnostics channels of each thread: `turntable.spawn`, `turntable.send`, `turntable.turn`, `turntable.settle`. Subscribers are given plain data.
// An error of a subscriber is an uncaught exception and stops no turn; events it causes are not published. `observed` says which channels have subscribers:
// to ask the channels for each message took 5 to 40 ns in the runtime, since V8 inlined less, though nothing in bench/prototype/channels.mjs.

import { channel, type Channel } from 'node:diagnostics_channel';

/** An actor, as it is told of. */
export interface ActorLabel {
  readonly actor: number;
  readonly name: string;
  readonly worker: number;
}

export interface SpawnEvent extends ActorLabel {
  readonly class: string;
  /** Who has spawned it. */
  readonly from: ActorLabel;
}

/** A call as it is sent: before it is refused, held or lost. */
export interface SendEvent extends ActorLabel {
  readonly method: string;
  /** Whether anybody wants to know what comes of it. */
  readonly asks: boolean;
  readonly from: ActorLabel;
}

/** What a turn is about: a call, the making of the root, an outcome that comes back, or a request to stop. */
export type TurnKind = 'call' | 'construct' | 'fulfil' | 'reject' | 'stop';

/** The end has the `turn` of its start, the number of turns that the worker has begun. */
export interface TurnEvent extends ActorLabel {
  readonly at: 'start' | 'end';
  readonly turn: number;
  readonly kind: TurnKind;
  /** Of a call. */
  readonly method: string | undefined;
  /** Whose message it is; unknown of what was told when nobody looked on. */
  readonly from: ActorLabel | undefined;
}

/** The outcome of what the actor has asked is there; it is told in the turn that settles the eventual. */
export interface SettleEvent extends ActorLabel {
  readonly rejected: boolean;
  /** Who has answered. */
  readonly from: ActorLabel;
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
export interface ObservableActor {
  readonly id: number;
  readonly name: string;
  readonly worker: number;
}

/** What is called, as the queue has it: a method's name, that of a tracked call, or the kind of another message. */
export type TurnSubject = string | { readonly name: string } | { readonly kind: Exclude<TurnKind, 'call'> };

const spawns: Channel = channel('turntable.spawn');
const sends: Channel = channel('turntable.send');
const turns: Channel = channel('turntable.turn');
const settlements: Channel = channel('turntable.settle');
const snapshots: Channel = channel('turntable.snapshot');

/** Whether spawns, sends, and turns or settlements have subscribers, and whether turns have observers of any kind. */
export const observed = { spawns: false, sends: false, turns: false, hasObservers: false };
let observerCount = 0;

function updateObserved(): void {
  observed.spawns = spawns.hasSubscribers;
  observed.sends = sends.hasSubscribers;
  observed.turns = turns.hasSubscribers || settlements.hasSubscribers;
  observed.hasObservers = observed.turns || observerCount > 0;
}

/** Somebody else keeps company with turns of this thread, or does no more: one look tells of all. */
export function countTurnObservers(change: 1 | -1): void {
  observerCount += change;
  updateObserved();
}

/** Node tells nobody that somebody subscribes; but it calls these methods of the channel, by whichever door. */
const CHANNEL_METHODS = ['subscribe', 'unsubscribe', 'bindStore', 'unbindStore'] as const;

for (const each of [spawns, sends, turns, settlements]) {
  for (const name of CHANNEL_METHODS) {
    Object.defineProperty(each, name, {
      // The prototype is another one once there are subscribers.
      value(this: Channel, ...args: unknown[]): unknown {
        const { [name]: method } = Object.getPrototypeOf(this) as Record<string, (...args: unknown[]) => unknown>;
        const answer = method === undefined ? undefined : Reflect.apply(method, this, args);
        updateObserved();
        return answer;
      },
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }
}
updateObserved();

let isPublishing = false;

function publish(target: Channel, event: SpawnEvent | SendEvent | TurnEvent | SettleEvent | SnapshotEvent): void {
  // Otherwise a subscriber that sends would be told of it, and send.
  if (isPublishing) return;
  isPublishing = true;
  try {
    target.publish(event);
  } finally {
    isPublishing = false;
  }
}

function actorLabel({ id, name, worker }: ObservableActor): ActorLabel {
  return { actor: id, name, worker };
}

export function publishSnapshot(event: SnapshotEvent): void {
  if (snapshots.hasSubscribers) publish(snapshots, event);
}

export function publishSpawn(actor: ObservableActor, type: { readonly name: string }, from: ObservableActor): void {
  publish(spawns, { ...actorLabel(actor), class: type.name, from: actorLabel(from) });
}

export function publishSend(actor: ObservableActor, method: string, asks: boolean, from: ObservableActor): void {
  publish(sends, { ...actorLabel(actor), method, asks, from: actorLabel(from) });
}

function methodName(subject: TurnSubject): string | undefined {
  return typeof subject === 'string' ? subject : 'name' in subject ? subject.name : undefined;
}

/** For people. */
export function turnSubjectName(subject: TurnSubject): string {
  return methodName(subject) ?? (subject as { readonly kind: string }).kind;
}

export function publishTurn(
  at: 'start' | 'end',
  turn: number,
  actor: ObservableActor,
  subject: TurnSubject,
  from: ObservableActor | undefined,
): void {
  const kind = typeof subject === 'object' && 'kind' in subject ? subject.kind : 'call';
  publish(turns, {
    at,
    turn,
    ...actorLabel(actor),
    kind,
    method: methodName(subject),
    from: from === undefined ? undefined : actorLabel(from),
  });
}

export function publishSettle(actor: ObservableActor, rejected: boolean, from: ObservableActor): void {
  publish(settlements, { ...actorLabel(actor), rejected, from: actorLabel(from) });
}
