// The actors in a worker's part of a snapshot, with their contents and waiting messages, read without running code. The
// input is not trusted: invalid values are left out.

import { createStandIn, type InertRoot } from '@turntable/heap/inert';
import type { RestoringAdapter } from '@turntable/heap';
import { displayId } from '../actors/actor-cell.ts';
import { kindOfNumber, WIRE } from '../messaging/message-kinds.ts';
import { asArray } from './canonical-pieces.ts';
import { ENTRY_KINDS, type MessagesPiece } from './message-pieces.ts';
import { RUNTIME_KINDS } from './runtime-objects.ts';
import { PIECE, type ActorPiece, type DeferredPiece, type InFlightMessage } from './worker-snapshot.ts';

/** A queued or in-flight message to an actor. */
export interface InertMessage {
  /** Name of the method, or the kind of another message: `construct`, `fulfil`, `reject`, `stop`. */
  readonly method: string;
  readonly args: unknown;
  /** Size in the snapshot, for a message that was in flight. */
  readonly bytes?: number;
}

export interface InertActor {
  readonly id: number;
  readonly name: string;
  /** Root object; undefined if the actor was stopped or could not be created. */
  readonly root: object | undefined;
  readonly turns: number;
  /** Queued messages, in order. */
  readonly messages: readonly InertMessage[];
  readonly timers: readonly object[];
  /** Objects that others have references to, and eventuals that others will settle. */
  readonly lent: readonly object[];
  readonly eventuals: readonly object[];
  /** Reason why the actor no longer takes messages. */
  readonly failure: unknown;
  readonly bytes: number;
}

export interface InertWorker {
  readonly actors: readonly InertActor[];
  /** Messages of other workers that were sent before the cut and taken after it, with their recipients. */
  readonly inFlight: readonly (InertMessage & { readonly from: number; readonly to: number })[];
  readonly turns: number;
  /** Tables of the scheduler. */
  readonly tables: object | undefined;
  readonly tablesBytes: number;
}

const { REFERENCE, ACTOR } = RUNTIME_KINDS;
const KIND_NAMES: Readonly<Record<number, readonly [kind: string, ...fields: string[]]>> = {
  [RUNTIME_KINDS.TELL_REFERENCE]: ['TellReference', 'to'],
  [RUNTIME_KINDS.REPLY_FORWARD]: ['Outcome', 'owner', 'to', 'call', 'replyTo'],
  [RUNTIME_KINDS.WORKER_FORWARD]: ['WorkerForward', 'to', 'eventualId'],
  [RUNTIME_KINDS.PIPELINED_CALL]: ['PipelinedCall', 'call', 'args', 'replyTo', 'trail'],
  [RUNTIME_KINDS.TRACKED_CALL]: ['TrackedCall', 'name', 'trail'],
  [RUNTIME_KINDS.DEADLINE_TRAIL]: ['DeadlineTrail', 'label', 'parent'],
  [RUNTIME_KINDS.REPORTED_TRAIL]: ['ReportedTrail', 'count'],
  [RUNTIME_KINDS.REMOTE_TRAIL]: ['RemoteTrail', 'worker', 'epoch', 'callId', 'count'],
  [RUNTIME_KINDS.SIGNAL_LISTENER]: ['SignalListener', 'number'],
};

/** Inert version of `runtimeObjects`: a root is `{ actor: 'Cart#12', class, id, worker, number: 0 }`. */
export function inertRuntimeObjects(): RestoringAdapter {
  return {
    name: 'actors',
    allocate(kind, header) {
      if (kind === REFERENCE) {
        const [, name, , id, worker, , number] = header;
        const actor = number === 0 ? { actor: `${asText(name)}#${displayId(Number(id))}` } : {};
        return createStandIn('FarRef', { ...actor, class: name, id, worker, number });
      }
      if (kind === ACTOR) return createStandIn('ActorId', { id: header[0], worker: header[1] });
      return assignFields(createStandIn(KIND_NAMES[kind]?.[0] ?? 'RuntimeObject'), kind, header);
    },
    fill: (object, kind, contents) => void assignFields(object, kind, contents),
  };
}

function assignFields(object: object, kind: number, values: readonly unknown[]): object {
  const names = KIND_NAMES[kind]?.slice(1) ?? [];
  values.forEach((value, i) => ((object as Record<string, unknown>)[names[i] ?? `${i}`] = value));
  return object;
}

/** Returns the id of a mentioned actor. */
function idOf(value: unknown): number | undefined {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'number' ? id : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '?';
}

function objectsIn(value: unknown, [from, step]: readonly [from: number, step: number] = [0, 1]): object[] {
  const list = asArray(value);
  const found: object[] = [];
  for (let i = from; i < list.length; i += step)
    if (typeof list[i] === 'object' && list[i] !== null) found.push(list[i] as object);
  return found;
}

function methodOf(call: unknown): string {
  if (typeof call !== 'number') return asText(call);
  return kindOfNumber(call)?.kind ?? `kind ${call}`;
}

const WIRE_KIND_NAMES = new Map<unknown, string>(Object.entries(WIRE).map(([name, number]) => [number, name]));

/** @param roots pieces in the order in which they were written */
export function inertActors(roots: readonly InertRoot[]): InertWorker {
  const actors = new Map<number, { -readonly [K in keyof InertActor]: InertActor[K] } & MutableLists>();
  const inFlight: InertWorker['inFlight'][number][] = [];
  const deferred: (readonly [DeferredPiece, number])[] = [];
  const messagePieces: MessagesPiece[] = [];
  let tables: object | undefined;
  let tablesBytes = 0;
  for (const { value, bytes } of roots) {
    const { piece } = (value ?? {}) as { piece?: unknown };
    if (piece === PIECE.tables) [tables, tablesBytes] = [value as object, bytes];
    else if (piece === PIECE.messages) messagePieces.push(value as MessagesPiece);
    else if (piece === PIECE.inFlight && (value as InFlightMessage).kind !== WIRE.phase)
      inFlight.push({ ...inFlightMessage(value as InFlightMessage), bytes });
    else if (piece === PIECE.actor) {
      const { actor, name, root, turns, failure, timers } = value as ActorPiece;
      const id = idOf(actor);
      if (id === undefined) continue;
      actors.set(id, {
        id,
        name: asText(name),
        root: typeof root === 'object' && root !== null ? root : undefined,
        turns: Number(turns),
        messages: [],
        timers: objectsIn(timers, [1, 2]),
        lent: [],
        eventuals: [],
        failure: failure === true ? 'stopped' : failure,
        bytes,
      });
      deferred.push([value as ActorPiece, 0]);
    } else if (piece === PIECE.deferred) deferred.push([value as DeferredPiece, bytes]);
  }
  for (const [{ actor, lent, eventuals }, bytes] of deferred) {
    const owner = actors.get(idOf(actor) ?? Number.NaN);
    if (owner === undefined) continue;
    owner.lent.push(...objectsIn(lent, [1, 2]));
    owner.eventuals.push(...objectsIn(eventuals, [1, 2]));
    owner.bytes += bytes;
  }
  for (const { queue, recipient, entries } of messagePieces)
    for (const entry of asArray(entries)) {
      const [kind, recipientName, call, args] = asArray(entry);
      if (kind !== ENTRY_KINDS.TELL && kind !== ENTRY_KINDS.SEND) continue;
      const id = idOf(queue === 'shared' ? recipientName : (recipient ?? recipientName));
      actors.get(id ?? Number.NaN)?.messages.push({ method: methodOf(call), args });
    }
  return { actors: [...actors.values()], inFlight, turns: turnCountOf(tables), tables, tablesBytes };
}

/** Lists of an actor while they are collected. */
interface MutableLists {
  readonly messages: InertMessage[];
  readonly lent: object[];
  readonly eventuals: object[];
}

function inFlightMessage({ worker, kind, id, call, args }: InFlightMessage): InertWorker['inFlight'][number] {
  const isCall = kind === WIRE.call || kind === WIRE.trackedCall;
  const method = isCall ? asText(call) : (WIRE_KIND_NAMES.get(kind) ?? `kind ${kind}`);
  return { from: Number(worker), to: Number(id), method, args };
}

function turnCountOf(tables: object | undefined): number {
  const { turns } = (tables ?? {}) as { turns?: unknown };
  return typeof turns === 'number' ? turns : 0;
}
