// Canonical form of a worker's part of a snapshot. The order of pieces depends on the time left for writing them, and
// the names of eventuals on the order of their mentions, so equal states can have different parts. The input is not
// trusted: unexpected values are kept unchanged.

import type { InertRoot } from '@turntable/heap/inert';
import { MAX_WORKERS } from '../actors/actor-cell.ts';
import { ENTRY_KINDS, type MessagesPiece } from './message-pieces.ts';
import { PIECE, type ActorPiece, type DeferredPiece, type InFlightMessage } from './worker-snapshot.ts';

export type NamedPiece = readonly [name: string, value: unknown];

type Fields = Readonly<Record<string, unknown>>;

/** Fields that contain times or depend on the garbage collector. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set(['census', 'leftMs', 'untilMs']);

export interface CanonicalPieces {
  /** Pieces of the roots. Any other actor appears where it is referenced; an unreferenced one may have no piece. */
  readonly pieces: readonly NamedPiece[];
  /** Returns the piece of the actor that a reference or an actor's name denotes. */
  pieceOf(object: object): unknown;
  /** Returns the value of a stand-in's field, with an eventual in place of its ticket. */
  canonicalField(object: object, key: PropertyKey, value: unknown): unknown;
}

/** @param roots pieces in any order */
export function canonicalPieces(roots: readonly Pick<InertRoot, 'value'>[]): CanonicalPieces {
  const pieces = roots.map(({ value }) => (value ?? {}) as Fields);
  const ofKind = (kind: number): Fields[] => pieces.filter(({ piece }) => piece === kind);
  const actors = ofKind(PIECE.actor) as unknown as ActorPiece[];
  const deferred = [...actors, ...(ofKind(PIECE.deferred) as unknown as DeferredPiece[])];
  const eventualsByTicket = new Map<unknown, unknown>();
  for (const { eventuals } of deferred)
    for (const [ticket, eventual] of pairsOf(eventuals)) eventualsByTicket.set(ticket, eventual);
  const eventual = (ticket: unknown): unknown => eventualsByTicket.get(ticket) ?? ticket;
  actors.sort((a, b) => idOf(a.actor) - idOf(b.actor));
  const deferredByActor = Map.groupBy(deferred, ({ actor }) => idOf(actor));
  const actorPieces = new Map(
    actors.map((piece) => [idOf(piece.actor), canonicalActor(piece, deferredByActor.get(idOf(piece.actor)) ?? [])]),
  );
  const ordered = [
    ...ofKind(PIECE.tables).map((tables): NamedPiece => ['tables', canonicalTables(tables, eventual)]),
    ...actors
      .filter(isRoot)
      .map((piece): NamedPiece => [`actor ${idOf(piece.actor)}`, actorPieces.get(idOf(piece.actor))]),
    ...canonicalMessages(ofKind(PIECE.messages) as unknown as MessagesPiece[], eventual),
    ...canonicalInFlight(ofKind(PIECE.inFlight) as unknown as InFlightMessage[]),
  ];
  return {
    pieces: ordered,
    pieceOf: (object) => (isActorName(object) ? actorPieces.get(idOf(object)) : undefined),
    canonicalField: (object, key, value) => (key === 'replyTo' && holdsTicket(object) ? eventual(value) : value),
  };
}

/** Whether an actor is the main program, or is kept alive by a timer or the host. */
function isRoot({ actor, timers, nativeWaiters }: ActorPiece): boolean {
  return idOf(actor) < MAX_WORKERS || asArray(timers).length > 0 || asArray(nativeWaiters).length > 0;
}

/** Whether an object is a reference or the mention of an actor. */
function isActorName(object: object): boolean {
  return 'id' in object && 'worker' in object;
}

/** Whether an object is a reply target, as `inertRuntimeObjects` reads it, whose flag says that it holds a ticket. */
function holdsTicket(object: object): boolean {
  return (object as Fields)['4'] === true && 'call' in object && 'owner' in object;
}

/** @param deferred pieces with deferred parts of this actor */
function canonicalActor(piece: ActorPiece, deferred: readonly DeferredPiece[]): unknown {
  // The objects that the host holds are left out, since they depend on the garbage collector.
  const { lent: _lent, eventuals: _eventuals, hostHeld: _held, actor, timers, ...fields } = piece;
  const lent = deferred.flatMap((each) => pairsOf(each.lent));
  const byNumber = lent.toSorted(([a], [b]) => exportIdOf(a) - exportIdOf(b));
  return { ...fields, actor, timers: sortedTimers(timers), lent: byNumber };
}

/** Returns the timers in order of creation. */
function sortedTimers(timers: unknown): unknown[] {
  return pairsOf(timers)
    .map(([, timer]) => timer)
    .toSorted((a, b) => Number(asFields(a)['number']) - Number(asFields(b)['number']));
}

/** Joins the pieces of each queue, which are in the order of its messages. */
function canonicalMessages(pieces: readonly MessagesPiece[], eventual: (ticket: unknown) => unknown): NamedPiece[] {
  const queues = new Map<string, unknown[]>();
  for (const { queue, recipient, entries } of pieces) {
    const queueKey = `${queue} ${recipient === undefined ? '' : idOf(recipient)}`;
    const existing = queues.get(queueKey);
    const named = asArray(entries).map((entry) => canonicalEntry(asArray(entry), eventual));
    if (existing === undefined) queues.set(queueKey, named);
    else existing.push(...named);
  }
  return [...queues]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([queueKey, entries]) => [`waiting ${queueKey}`, entries]);
}

const TARGET_INDEX = 4;

function canonicalEntry(entry: readonly unknown[], eventual: (ticket: unknown) => unknown): readonly unknown[] {
  if (entry[0] !== ENTRY_KINDS.SEND) return entry;
  const [name, isTicket, ...rest] = entry.slice(TARGET_INDEX + 1);
  return [...entry.slice(0, TARGET_INDEX + 1), isTicket === true ? eventual(name) : name, isTicket, ...rest];
}

/** Returns the messages of each worker, in the order in which they were sent. */
function canonicalInFlight(pieces: readonly InFlightMessage[]): NamedPiece[] {
  return [...Map.groupBy(pieces, ({ worker }) => Number(worker))]
    .toSorted(([a], [b]) => a - b)
    .map(([worker, messages]) => [
      `from worker ${worker}`,
      messages.map(({ references: _references, ...message }) => message),
    ]);
}

function canonicalTables(tables: Fields, eventual: (ticket: unknown) => unknown): unknown {
  const { workerLinks, deadlines, trackedCalls, appRequests } = tables;
  const { links, references } = asFields(workerLinks);
  const { remoteActors } = asFields(references);
  const withEventual = (value: unknown, field: string): unknown => {
    const fields = asFields(value);
    return { ...withoutVolatile(fields), [field]: eventual(fields[field]) };
  };
  const canonicalPair = (entry: unknown): unknown => {
    const [number, reply] = asArray(entry);
    return [number, withEventual(reply, 'eventual')];
  };
  return {
    ...withoutVolatile(tables),
    workerLinks: {
      ...asFields(workerLinks),
      links: asArray(links).map((link) => {
        const { pendingCalls, pendingEventuals } = asFields(link);
        // The phase of a link is left out: it only says up to where its markers were read.
        return {
          ...asFields(link),
          phase: undefined,
          pendingCalls: asArray(pendingCalls).map(canonicalPair),
          pendingEventuals: asArray(pendingEventuals).map(canonicalPair),
        };
      }),
      references: {
        ...asFields(references),
        remoteActors: asArray(remoteActors).map((remoteActor) => {
          const { held } = asFields(remoteActor);
          return {
            ...asFields(remoteActor),
            held: asArray(held).map((item) => ({ ...asFields(item), ref: undefined })),
          };
        }),
      },
    },
    deadlines: {
      ...asFields(deadlines),
      waiting: asArray(asFields(deadlines)['waiting']).map((item) => withEventual(item, 'replyTo')),
    },
    trackedCalls: asArray(trackedCalls).map((item) => withEventual(item, 'eventual')),
    appRequests: asArray(appRequests).map((item) => withEventual(item, 'eventual')),
  };
}

function withoutVolatile(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !VOLATILE_FIELDS.has(name)));
}

function asFields(value: unknown): Fields {
  return (typeof value === 'object' && value !== null ? value : {}) as Fields;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function pairsOf(value: unknown): (readonly [unknown, unknown])[] {
  const list = asArray(value);
  return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]] as const);
}

/** Returns the id of an inert actor or reference. */
function idOf(value: unknown): number {
  return Number(asFields(value)['id']);
}

function exportIdOf(ref: unknown): number {
  return Number(asFields(ref)['number']);
}
