// Serialized form of a worker's queued messages: one list per entry of the queue. The reply target of a message belongs
// to the sender, so its ticket is deferred to the sender.

import type { ActorCell } from '../actors/actor-cell.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import { CONSTRUCT, FULFIL, kindOfNumber, numberOfKind, REJECT } from '../messaging/message-kinds.ts';
import type { QueueEntry, QueueState, QueueName } from '../messaging/queue-state.ts';
import type { ActorCreation } from '../actors/pending-actors.ts';
import type { DeferredReferences } from './deferred-references.ts';
import { replyToName } from './runtime-objects.ts';
import { damagedSnapshotError, type RestoredWorker } from './restored-worker.ts';

type Entry = QueueEntry<ActorCell>;
type SerializedEntry = readonly unknown[];

/** Kinds of entries, as numbered in the format. */
export const ENTRY_KINDS = { TELL: 0, SEND: 1, MAILBOX: 2, PARKED: 3 } as const;
const { TELL, SEND, MAILBOX, PARKED } = ENTRY_KINDS;
const CONSTRUCT_NUMBER = numberOfKind(CONSTRUCT);

/** Some messages of one queue, in order. Each nonempty queue has at least one such piece. */
export interface MessagesPiece {
  readonly queue: QueueName;
  /** Recipient of the messages; undefined for the shared queue. */
  readonly recipient: ActorCell | undefined;
  readonly entries: readonly SerializedEntry[];
}

export function writeMessages(
  entries: readonly Entry[],
  queue: QueueName,
  recipient: ActorCell | undefined,
  deferred: DeferredReferences,
): MessagesPiece {
  return { queue, recipient, entries: entries.map((entry) => writeEntry(entry, deferred)) };
}

export function readMessages(pieces: readonly MessagesPiece[], restored: RestoredWorker): QueueState<ActorCell> {
  const shared: Entry[] = [];
  const perRecipient = new Map<ActorCell, { mailbox: Entry[] | undefined; parked: Entry[] | undefined }>();
  for (const { queue, recipient, entries } of pieces) {
    const read = entries.map((entry) => readEntry(entry, restored));
    if (queue === 'shared') shared.push(...read);
    else {
      const actor = recipient as ActorCell;
      const queues = perRecipient.get(actor) ?? { mailbox: undefined, parked: undefined };
      perRecipient.set(actor, queues);
      queues[queue] = [...(queues[queue] ?? []), ...read];
    }
  }
  return { shared, perRecipient: [...perRecipient].map(([recipient, queues]) => ({ recipient, ...queues })) };
}

/** Returns the actors of a worker that are still to be created, with their classes and arguments. */
export function creationsIn(
  pieces: readonly MessagesPiece[],
): Map<ActorCell, Pick<NonNullable<ActorCreation['spec']>, 'type' | 'args'>> {
  const creations = new Map<ActorCell, Pick<NonNullable<ActorCreation['spec']>, 'type' | 'args'>>();
  for (const { entries } of pieces)
    for (const [kind, recipient, call, args, type] of entries)
      if (kind === SEND && call === CONSTRUCT_NUMBER)
        creations.set(recipient as ActorCell, { type: type as ActorConstructor, args: args as readonly unknown[] });
  return creations;
}

function writeEntry(entry: Entry, deferred: DeferredReferences): SerializedEntry {
  const { kind, recipient } = entry;
  if (kind === 'mailbox') return [MAILBOX, recipient];
  if (kind === 'parked') return [PARKED, recipient];
  if (kind === 'tell') return [TELL, recipient, entry.call, entry.args];
  const { call, args, target, replyTo, sender } = entry;
  // The eventual of an outcome belongs to the recipient.
  const owner = call === FULFIL || call === REJECT ? recipient : sender;
  return [
    SEND,
    recipient,
    numberOfKind(call) ?? call,
    args,
    target,
    ...replyToName(replyTo as never, owner, deferred),
    sender,
  ];
}

function readEntry(serialized: SerializedEntry, restored: RestoredWorker): Entry {
  const [entryKind, recipient, call, args] = serialized as [number, ActorCell, unknown, readonly unknown[]];
  switch (entryKind) {
    case MAILBOX:
      return { kind: 'mailbox', recipient };
    case PARKED:
      return { kind: 'parked', recipient };
    case TELL:
      return { kind: 'tell', recipient, call: call as string, args };
    case SEND: {
      const [target, name, isTicket, sender] = serialized.slice(4);
      const kind = typeof call === 'number' ? kindOfNumber(call) : call;
      if (kind === undefined) throw damagedSnapshotError(`unknown kind of message: ${String(call)}`);
      const replyTo = restored.resolveReplyTo(name, isTicket);
      return { kind: 'send', recipient, call: kind, args, target, replyTo, sender: sender as ActorCell };
    }
    default:
      throw damagedSnapshotError(`unknown kind of entry: ${String(entryKind)}`);
  }
}
