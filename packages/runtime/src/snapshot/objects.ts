// The runtime's own objects in a graph of the program's: references, actors, and what is to become of the outcome of an eventual. None of them leads
// on into another actor: they are written as numbers, and what they stand for is a debt of its actor.

import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import type { Adapter, Parts } from '@turntable/heap';
import { Actor, OVER } from '../actors/actor.ts';
import { SignalListener } from '../messaging/answer/deadline.ts';
import { FarRef, Teller, type FarRefClass, type FarRefClasses } from '../references/far-ref.ts';
import { Forward, Later, Passed, type Settles, type Way } from '../messaging/answer/outcomes.ts';
import { Asker, ReportedTrail, TrackedCall, Trail } from '../messaging/answer/trail.ts';
import type { Debts } from './debts.ts';

/** Numbers of the format. */
export const RUNTIME_KINDS = {
  REFERENCE: 0,
  TELLER: 1,
  ACTOR: 2,
  FORWARD: 3,
  PASSED: 4,
  LATER: 5,
  TRACKED_CALL: 6,
  TRAIL: 7,
  REPORTED_TRAIL: 8,
  ASKER: 9,
  SIGNAL_LISTENER: 10,
} as const;
const KIND = RUNTIME_KINDS;

/** Made blank. */
const FILLED: Readonly<Record<number, { readonly prototype: object }>> = {
  [KIND.FORWARD]: Forward,
  [KIND.PASSED]: Passed,
  [KIND.LATER]: Later,
  [KIND.TRACKED_CALL]: TrackedCall,
  [KIND.TRAIL]: Trail,
  [KIND.REPORTED_TRAIL]: ReportedTrail,
};

const { create, getPrototypeOf } = Object;
const { isProxy } = types;
const { assign } = Object;

/** What is needed to have them again. */
export interface Revival {
  readonly classes: FarRefClasses;
  /** Questions, deadlines and trails of the life in which it was written are over. */
  readonly isAnotherLife: boolean;
  /** The one of that id, made when it is first asked for. */
  actor(id: number, worker: number, life: number): Actor;
  /** To an object of the actor of that id; 0 is its root. */
  reference(type: FarRefClass, id: number, worker: number, life: number, number: number): FarRef;
  /** Of the deadline of that number. */
  signalListener(number: number): object;
  /** What leads to the worker that this stands for. */
  linkTo(peer: Actor): Way;
  /** When everything has been read: the eventual of that ticket. */
  whenPaid(ticket: number, use: (eventual: Eventual) => void): void;
}

export function runtimeObjects(side: { readonly debts: Debts } | Revival): Adapter {
  return {
    name: 'actors',
    asks: 'objects',
    native: true,
    claims: isOurs,
    take: 'debts' in side ? (value) => takeApart(value, side.debts) : () => undefined,
    allocate: (kind, header) => allocate(side as Revival, kind, header),
    fill: (object, kind, contents) => fill(side as Revival, object, kind, contents),
  };
}

const PLAIN = new Set<unknown>([
  Actor.prototype,
  ...Object.values(FILLED).map(({ prototype }) => prototype),
  Asker.prototype,
  SignalListener.prototype,
]);

function isOurs(prototype: object | null): boolean {
  // A Proxy is nobody's prototype here, and asking it runs code.
  for (let each = prototype; each !== null && !isProxy(each); each = getPrototypeOf(each) as object | null)
    if (each === FarRef.prototype || each === Teller.prototype) return true;
  return PLAIN.has(prototype);
}

function whole(kind: number, header: readonly unknown[], contents: readonly unknown[] = []): Parts {
  return { kind, header, contents, whole: true };
}

function takeApart(value: object, debts: Debts): Parts | undefined {
  if (FarRef.has(value)) {
    debts.meetReference(value);
    const { id, worker, life } = FarRef.actorOf(value);
    const { key, name, methods } = FarRef.classOf(value).interface;
    return whole(KIND.REFERENCE, [key, name, methods.join('\n'), id, worker, life, FarRef.numberOf(value)]);
  }
  if (value instanceof Teller) return whole(KIND.TELLER, [Teller.refOf(value)]);
  if (value instanceof Actor) {
    debts.meet(value);
    return whole(KIND.ACTOR, [value.id, value.worker, value.life]);
  }
  if (value instanceof Forward) {
    const { owner, to, settles, call } = value;
    return whole(KIND.FORWARD, [], [owner, to, call, ...nameOf(settles, to, debts)]);
  }
  if (value instanceof Passed) return whole(KIND.PASSED, [], [value.link.peer, value.number]);
  if (value instanceof Later) return whole(KIND.LATER, [], [value.call, value.args, value.settles, value.trail]);
  if (value instanceof TrackedCall) return whole(KIND.TRACKED_CALL, [], [value.name, value.trail]);
  if (value instanceof Trail) {
    const { what, before, report, number, deadline, next, isOver } = value;
    return whole(KIND.TRAIL, [], [what, before, report, number, deadline, isOver, ...next]);
  }
  if (value instanceof ReportedTrail) return whole(KIND.REPORTED_TRAIL, [], [value.count, ...[...value.known].flat()]);
  if (value instanceof SignalListener) return whole(KIND.SIGNAL_LISTENER, [value.number]);
  if (value instanceof Asker) return whole(KIND.ASKER, [value.worker, value.life, value.question, value.count]);
  return undefined;
}

/** What is to be settled, as others name it: the number of another worker's question, or the ticket of an eventual. */
export function nameOf(settles: Settles, owner: Actor, debts: Debts): [name: number | undefined, isTicket: boolean] {
  return Eventual.has(settles) ? [debts.ticketOf(settles, owner), true] : [settles as number | undefined, false];
}

function allocate(revival: Revival, kind: number, header: readonly unknown[]): object {
  switch (kind) {
    case KIND.REFERENCE: {
      const [key, name, methods, id, worker, life, number] = header as [
        string,
        string,
        string,
        number,
        number,
        number,
        number,
      ];
      const type = revival.classes.named({ key, name, methods: methods === '' ? [] : methods.split('\n') });
      return revival.reference(type, id, worker, life, number);
    }
    case KIND.TELLER:
      return FarRef.tellerOf(header[0] as FarRef);
    case KIND.ACTOR: {
      const [id, worker, life] = header as [number, number, number];
      return revival.actor(id, worker, life);
    }
    case KIND.SIGNAL_LISTENER:
      return revival.signalListener(header[0] as number);
    case KIND.ASKER: {
      const [worker, life, question, count] = header as [number, number, number, number];
      return new Asker(worker, revival.isAnotherLife ? OVER : life, question, count);
    }
    default: {
      const type = FILLED[kind];
      if (type === undefined) throw new TypeError(`the runtime has no kind ${kind}`);
      return create(type.prototype) as object;
    }
  }
}

function fill(revival: Revival, object: object, kind: number, contents: readonly unknown[]): void {
  switch (kind) {
    case KIND.FORWARD: {
      const [owner, to, call, name, isTicket] = contents;
      assign(object, { owner, to, call, settles: name });
      if (isTicket === true) revival.whenPaid(name as number, (eventual) => assign(object, { settles: eventual }));
      return;
    }
    case KIND.PASSED:
      return void assign(object, { link: revival.linkTo(contents[0] as Actor), number: contents[1] });
    case KIND.LATER: {
      const [call, args, settles, trail] = contents;
      return void assign(object, { call, args, settles, trail });
    }
    case KIND.TRACKED_CALL:
      return void assign(object, { name: contents[0], trail: contents[1] });
    case KIND.TRAIL: {
      const [what, before, report, number, of, isOver, ...next] = contents;
      const deadline = revival.isAnotherLife ? 0 : of;
      return void assign(object, { what, before, report, number, deadline, isOver, next: new Set(next) });
    }
    case KIND.REPORTED_TRAIL: {
      const [count, ...entries] = contents;
      const known = new Map<number, Trail>();
      for (let i = 0; i < entries.length; i += 2) known.set(entries[i] as number, entries[i + 1] as Trail);
      return void assign(object, { count, known });
    }
  }
}
