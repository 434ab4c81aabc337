// A worker's part of a snapshot in canonical order: pieces are written when there is time or need, and eventuals are named as they are mentioned, so equal
// states have parts that differ. The input is not trusted: unexpected values are kept as they are.

import type { InertRoot } from '@turntable/heap/inert';
import { MOST_WORKERS } from '../actors/actor.ts';
import { ENTRY_KINDS, type MessagesPiece } from './messages.ts';
import { PIECE, type ActorPiece, type DebtsPiece, type UnderWay } from './worker-snapshot.ts';

export type NamedPiece = readonly [name: string, value: unknown];

type Fields = Readonly<Record<string, unknown>>;

/** Times, and what the collector decides. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['census', 'left', 'until']);

export interface CanonicalPieces {
  /** What is there by itself. Other actors are where something leads to them: of one that nothing leads to, it is chance whether it was written. */
  readonly pieces: readonly NamedPiece[];
  /** The piece of an actor that a reference or an actor's name leads to. */
  leadsTo(object: object): unknown;
  /** What a field of a stand-in holds, with an eventual in the place of its name. */
  shown(object: object, key: PropertyKey, value: unknown): unknown;
}

/** Of pieces in any order. */
export function canonicalPieces(roots: readonly Pick<InertRoot, 'value'>[]): CanonicalPieces {
  const pieces = roots.map(({ value }) => (value ?? {}) as Fields);
  const of = (kind: number): Fields[] => pieces.filter(({ piece }) => piece === kind);
  const actors = of(PIECE.actor) as unknown as ActorPiece[];
  const debts = [...actors, ...(of(PIECE.debts) as unknown as DebtsPiece[])];
  const named = new Map<unknown, unknown>();
  for (const { eventuals } of debts) for (const [ticket, eventual] of pairsOf(eventuals)) named.set(ticket, eventual);
  const eventual = (ticket: unknown): unknown => named.get(ticket) ?? ticket;
  actors.sort((a, b) => idOf(a.actor) - idOf(b.actor));
  const written = new Map(actors.map((piece) => [idOf(piece.actor), actorOf(piece, debts)]));
  const inOrder = [
    ...of(PIECE.tables).map((tables): NamedPiece => ['tables', tablesOf(tables, eventual)]),
    ...actors
      .filter(isThereByItself)
      .map((piece): NamedPiece => [`actor ${idOf(piece.actor)}`, written.get(idOf(piece.actor))]),
    ...waiting(of(PIECE.messages) as unknown as MessagesPiece[], eventual),
    ...underWay(of(PIECE.underWay) as unknown as UnderWay[]),
  ];
  return {
    pieces: inOrder,
    leadsTo: (object) => (isName(object) ? written.get(idOf(object)) : undefined),
    shown: (object, key, value) => (key === 'settles' && namesTicket(object) ? eventual(value) : value),
  };
}

/** The main program, and who is waited for by a clock or by something outside. */
function isThereByItself({ actor, timers, waiting: outside }: ActorPiece): boolean {
  return idOf(actor) < MOST_WORKERS || listOf(timers).length > 0 || listOf(outside).length > 0;
}

/** A reference, or an actor as it is mentioned. */
function isName(object: object): boolean {
  return 'id' in object && 'worker' in object;
}

/** What is to become of an outcome, as `inertRuntimeObjects` reads it: behind what it settles stands whether that is a name of this part's. */
function namesTicket(object: object): boolean {
  return (object as Fields)['4'] === true && 'call' in object && 'owner' in object;
}

function actorOf(piece: ActorPiece, debts: readonly DebtsPiece[]): unknown {
  // What the outside has is the collector's to say.
  const { lent: _lent, eventuals: _eventuals, held: _held, actor, timers, ...own } = piece;
  const id = idOf(actor);
  const lent = debts.filter((each) => idOf(each.actor) === id).flatMap((each) => pairsOf(each.lent));
  const byNumber = lent.toSorted(([a], [b]) => numberOf(a) - numberOf(b));
  return { ...own, actor, timers: timersOf(timers), lent: byNumber };
}

/** In the order in which they were made. */
function timersOf(timers: unknown): unknown[] {
  return pairsOf(timers)
    .map(([, timer]) => timer)
    .toSorted((a, b) => Number(fieldsOf(a)['number']) - Number(fieldsOf(b)['number']));
}

/** Pieces of a place stand in the order of what waits there. */
function waiting(pieces: readonly MessagesPiece[], eventual: (ticket: unknown) => unknown): NamedPiece[] {
  const places = new Map<string, unknown[]>();
  for (const { where, recipient, entries } of pieces) {
    const place = `${where} ${recipient === undefined ? '' : idOf(recipient)}`;
    const those = places.get(place);
    const named = listOf(entries).map((entry) => entryOf(listOf(entry), eventual));
    if (those === undefined) places.set(place, named);
    else those.push(...named);
  }
  return [...places].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([place, all]) => [`waiting ${place}`, all]);
}

const TARGET = 4;

function entryOf(entry: readonly unknown[], eventual: (ticket: unknown) => unknown): readonly unknown[] {
  if (entry[0] !== ENTRY_KINDS.SENT) return entry;
  const [name, isTicket, ...rest] = entry.slice(TARGET + 1);
  return [...entry.slice(0, TARGET + 1), isTicket === true ? eventual(name) : name, isTicket, ...rest];
}

/** Of each worker in the order in which they were sent. */
function underWay(pieces: readonly UnderWay[]): NamedPiece[] {
  const workers = [...new Set(pieces.map(({ worker }) => Number(worker)))].toSorted((a, b) => a - b);
  return workers.map((worker) => [
    `from worker ${worker}`,
    pieces.filter((each) => Number(each.worker) === worker).map(({ references: _references, ...message }) => message),
  ]);
}

function tablesOf(tables: Fields, eventual: (ticket: unknown) => unknown): unknown {
  const { neighbours, deadlines, tracked, asked } = tables;
  const { links, references } = fieldsOf(neighbours);
  const { strangers } = fieldsOf(references);
  const named = (value: unknown, field: string): unknown => {
    const fields = fieldsOf(value);
    return { ...without(fields), [field]: eventual(fields[field]) };
  };
  const each = (entry: unknown): unknown => {
    const [number, of] = listOf(entry);
    return [number, named(of, 'eventual')];
  };
  return {
    ...without(tables),
    neighbours: {
      ...fieldsOf(neighbours),
      links: listOf(links).map((link) => {
        const { asked: questions, passed } = fieldsOf(link);
        // How far its markers were read is nobody's state.
        return {
          ...fieldsOf(link),
          phase: undefined,
          asked: listOf(questions).map(each),
          passed: listOf(passed).map(each),
        };
      }),
      references: {
        ...fieldsOf(references),
        strangers: listOf(strangers).map((stranger) => {
          const { held } = fieldsOf(stranger);
          return { ...fieldsOf(stranger), held: listOf(held).map((one) => ({ ...fieldsOf(one), ref: undefined })) };
        }),
      },
    },
    deadlines: {
      ...fieldsOf(deadlines),
      waiting: listOf(fieldsOf(deadlines)['waiting']).map((one) => named(one, 'settles')),
    },
    tracked: listOf(tracked).map((one) => named(one, 'eventual')),
    asked: listOf(asked).map((one) => named(one, 'eventual')),
  };
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !OF_THE_MOMENT.has(name)));
}

function fieldsOf(value: unknown): Fields {
  return (typeof value === 'object' && value !== null ? value : {}) as Fields;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function pairsOf(value: unknown): (readonly [unknown, unknown])[] {
  const list = listOf(value);
  return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]] as const);
}

/** Of an actor or a reference, as they are read. */
function idOf(value: unknown): number {
  return Number(fieldsOf(value)['id']);
}

function numberOf(ref: unknown): number {
  return Number(fieldsOf(ref)['number']);
}
