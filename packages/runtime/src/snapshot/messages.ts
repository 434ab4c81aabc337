// What waits for the actors of a worker, as it is written down: each entry of its queue as a list. What a message settles belongs to who has sent
// it, and is named as that actor's.

import type { Actor } from '../actors/actor.ts';
import type { Class } from '../host.ts';
import { CONSTRUCT, FULFIL, kindOfNumber, numberOfKind, REJECT } from '../messaging/message-kinds.ts';
import type { QueueEntry, QueueState, Where } from '../messaging/queue-state.ts';
import type { Birth } from '../actors/unborn.ts';
import type { Debts } from './debts.ts';
import { nameOf } from './objects.ts';
import { damaged, type Restored } from './restored.ts';

type Entry = QueueEntry<Actor>;
type Written = readonly unknown[];

/** Numbers of the format. */
export const ENTRY_KINDS = { TOLD: 0, SENT: 1, MAILBOX: 2, ASIDE: 3 } as const;
const { TOLD, SENT, MAILBOX, ASIDE } = ENTRY_KINDS;
const CONSTRUCTS = numberOfKind(CONSTRUCT);

/** Some of what waited beside each other, in its order; each place has one of these at least. */
export interface MessagesPiece {
  readonly where: Where;
  /** Nobody in the queue of all. */
  readonly recipient: Actor | undefined;
  readonly entries: readonly Written[];
}

export function writeMessages(
  entries: readonly Entry[],
  where: Where,
  recipient: Actor | undefined,
  debts: Debts,
): MessagesPiece {
  return { where, recipient, entries: entries.map((entry) => writeEntry(entry, debts)) };
}

export function readMessages(pieces: readonly MessagesPiece[], restored: Restored): QueueState<Actor> {
  const all: Entry[] = [];
  const apart = new Map<Actor, { mailbox: Entry[] | undefined; aside: Entry[] | undefined }>();
  for (const { where, recipient, entries } of pieces) {
    const read = entries.map((entry) => readEntry(entry, restored));
    if (where === 'all') all.push(...read);
    else {
      const actor = recipient as Actor;
      const places = apart.get(actor) ?? { mailbox: undefined, aside: undefined };
      apart.set(actor, places);
      places[where] = [...(places[where] ?? []), ...read];
    }
  }
  return { all, apart: [...apart].map(([recipient, places]) => ({ recipient, ...places })) };
}

/** Which actors of a worker are still to be made, of what. */
export function birthsIn(
  pieces: readonly MessagesPiece[],
): Map<Actor, Pick<NonNullable<Birth['of']>, 'type' | 'args'>> {
  const births = new Map<Actor, Pick<NonNullable<Birth['of']>, 'type' | 'args'>>();
  for (const { entries } of pieces)
    for (const [what, recipient, call, args, type] of entries)
      if (what === SENT && call === CONSTRUCTS)
        births.set(recipient as Actor, { type: type as Class, args: args as readonly unknown[] });
  return births;
}

function writeEntry(entry: Entry, debts: Debts): Written {
  const { what, recipient } = entry;
  if (what === 'mailbox') return [MAILBOX, recipient];
  if (what === 'aside') return [ASIDE, recipient];
  if (what === 'told') return [TOLD, recipient, entry.call, entry.args];
  const { call, args, target, settles, sender } = entry;
  // An outcome is its recipient's.
  const owner = call === FULFIL || call === REJECT ? recipient : sender;
  return [SENT, recipient, numberOfKind(call) ?? call, args, target, ...nameOf(settles as never, owner, debts), sender];
}

function readEntry(written: Written, restored: Restored): Entry {
  const [what, recipient, call, args] = written as [number, Actor, unknown, readonly unknown[]];
  switch (what) {
    case MAILBOX:
      return { what: 'mailbox', recipient };
    case ASIDE:
      return { what: 'aside', recipient };
    case TOLD:
      return { what: 'told', recipient, call: call as string, args };
    case SENT: {
      const [target, name, isTicket, sender] = written.slice(4);
      const kind = typeof call === 'number' ? kindOfNumber(call) : call;
      if (kind === undefined) throw damaged(`there is no kind ${String(call)} of message`);
      const settles = restored.settles(name, isTicket);
      return { what: 'sent', recipient, call: kind, args, target, settles, sender: sender as Actor };
    }
    default:
      throw damaged(`there is no kind ${String(what)} of entry`);
  }
}
