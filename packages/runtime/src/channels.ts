// Node's diagnostics channels of each thread: `turntable.spawn`, `turntable.send`, `turntable.turn`, `turntable.settle`
// and `turntable.snapshot`. Subscribers receive plain data. An error of a subscriber is an uncaught exception and stops
// no turn. Events that a subscriber causes are not published. `observed` has flags for the channels with subscribers: a
// check of the channels cost 5 to 40 ns per message in the runtime, since V8 inlined less, although it cost nothing in
// bench/prototype/channels.mjs.

import { channel, type Channel } from 'node:diagnostics_channel';

/** Description of an actor in events. */
export interface ActorLabel {
  readonly actor: number;
  readonly name: string;
  readonly worker: number;
}

export interface SpawnEvent extends ActorLabel {
  readonly class: string;
  /** The spawner. */
  readonly from: ActorLabel;
}

/** A call that is being sent, before it can be refused, held or lost. */
export interface SendEvent extends ActorLabel {
  readonly method: string;
  /** Whether the sender wants the result. */
  readonly asks: boolean;
  readonly from: ActorLabel;
}

/** Kind of a turn's message: a call, the construction of the root, a returned outcome, or a request to stop. */
export type TurnKind = 'call' | 'construct' | 'fulfil' | 'reject' | 'stop';

/** Start or end of a turn. Both events have the same `turn`: the number of turns that the worker has started. */
export interface TurnEvent extends ActorLabel {
  readonly at: 'start' | 'end';
  readonly turn: number;
  readonly kind: TurnKind;
  /** Name of the called method; undefined unless `kind` is `call`. */
  readonly method: string | undefined;
  /** The sender of the message; unknown for a `tell` that was sent without subscribers. */
  readonly from: ActorLabel | undefined;
}

/** Settlement of an eventual with the outcome of a call, published in the turn that settles the eventual. */
export interface SettleEvent extends ActorLabel {
  readonly rejected: boolean;
  /** The actor that answered. */
  readonly from: ActorLabel;
}

/** A pause of a worker for a snapshot (`cut`, `piece`), or the completion of the worker's part (`whole`). */
export interface SnapshotEvent {
  readonly at: 'cut' | 'piece' | 'whole';
  readonly phase: number;
  readonly worker: number;
  /** The actor of a piece; undefined for queued messages and tables. */
  readonly name: string | undefined;
  /** Length of the pause in milliseconds. */
  readonly pause: number;
  /** Size of the part so far. */
  readonly bytes: number;
}

/** The fields of an actor that events need. */
export interface ObservableActor {
  readonly id: number;
  readonly name: string;
  readonly worker: number;
}

/** Subject of a turn in the queue: a method name, a tracked call, or the kind of another message. */
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

/** Counts observers of turns other than subscribers, so that a turn checks a single flag. */
export function countTurnObservers(change: 1 | -1): void {
  observerCount += change;
  updateObserved();
}

/** Methods of a channel that change its subscribers. Wrapped, since Node does not report subscriptions. */
const CHANNEL_METHODS = ['subscribe', 'unsubscribe', 'bindStore', 'unbindStore'] as const;

for (const each of [spawns, sends, turns, settlements]) {
  for (const name of CHANNEL_METHODS) {
    Object.defineProperty(each, name, {
      // Looked up on each call: Node replaces the channel's prototype when it gets its first subscriber.
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
  // Prevents recursion: a subscriber that sends would receive an event for its own message.
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

/** Display name of a turn's subject. */
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
