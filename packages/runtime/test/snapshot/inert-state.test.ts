// The actors and messages of a snapshot, as they are read without running code, and their canonical form.
import type { InertRoot } from '@turntable/heap/inert';
import { canonicalPieces, inertActors, inertRuntimeObjects } from '@turntable/runtime/inert';
import { describe, expect, it } from 'vitest';
import { WIRE } from '../../src/messaging/message-kinds.ts';
import { ENTRY_KINDS } from '../../src/snapshot/message-pieces.ts';
import { RUNTIME_KINDS } from '../../src/snapshot/runtime-objects.ts';
import { PIECE } from '../../src/snapshot/worker-snapshot.ts';

const { TELL, SEND, MAILBOX, PARKED } = ENTRY_KINDS;
const actor = (id: number): object => ({ id, worker: 1 });
const rootsOf = (...values: unknown[]): InertRoot[] =>
  values.map((value, i) => ({ value, bytes: 100 * (i + 1) })) as unknown as InertRoot[];
const actorPiece = (id: number, fields: object = {}): object => ({
  piece: PIECE.actor,
  actor: actor(id),
  name: `Cart#${id}`,
  root: { of: id },
  turns: id,
  failure: undefined,
  timers: [],
  lent: [],
  eventuals: [],
  nativeWaiters: [],
  ...fields,
});

describe('the actors of a snapshot', () => {
  it('have their state, with all deferred parts', () => {
    const [timer, lent, laterLent, eventual, laterEventual] = Array.from({ length: 5 }, (_, i) => ({ object: i })) as [
      object,
      object,
      object,
      object,
      object,
    ];
    const { actors } = inertActors(
      rootsOf(
        { piece: PIECE.deferred, actor: actor(7), lent: [1, laterLent], eventuals: [2, laterEventual] },
        actorPiece(7, { timers: [1, timer], lent: [1, lent], eventuals: [1, eventual, 3, 'no object'] }),
        actorPiece(8, { failure: true, root: null }),
        actorPiece(9, { failure: 'a reason', root: 'no object', name: 5, turns: '12' }),
        { piece: PIECE.deferred, actor: actor(6), lent: [1, {}], eventuals: [] },
      ),
    );
    expect(actors).toEqual([
      {
        id: 7,
        name: 'Cart#7',
        root: { of: 7 },
        turns: 7,
        messages: [],
        timers: [timer],
        lent: [laterLent, lent],
        eventuals: [laterEventual, eventual],
        failure: undefined,
        bytes: 300,
      },
      {
        id: 8,
        name: 'Cart#8',
        root: undefined,
        turns: 8,
        messages: [],
        timers: [],
        lent: [],
        eventuals: [],
        failure: 'stopped',
        bytes: 300,
      },
      {
        id: 9,
        name: '?',
        root: undefined,
        turns: 12,
        messages: [],
        timers: [],
        lent: [],
        eventuals: [],
        failure: 'a reason',
        bytes: 400,
      },
    ]);
  });

  it('have their messages, from the shared queue, mailboxes and parked ones', () => {
    const messages = (queue: string, recipient: object | undefined, ...entries: unknown[]): object => ({
      piece: PIECE.messages,
      queue,
      recipient,
      entries,
    });
    const { actors } = inertActors(
      rootsOf(
        actorPiece(7),
        actorPiece(8),
        messages(
          'shared',
          undefined,
          [TELL, actor(7), 'add', [1]],
          [SEND, actor(8), 'get', [2], {}, 1, true, actor(7)],
          [MAILBOX, actor(7)],
          [PARKED, actor(7), 'no message', []],
          [SEND, actor(7), 0, ['constructed']],
          [SEND, actor(7), 4, []],
          [SEND, actor(7), 99, []],
          [TELL, actor(7), {}, []],
          [TELL, actor(5), 'for an unknown actor', []],
          [TELL, 'no actor', 'x', []],
          'no entry',
        ),
        messages(
          'mailbox',
          actor(8),
          [TELL, undefined, 'in the mailbox', [3]],
          [SEND, actor(7), 'with another name', []],
        ),
        messages('parked', undefined, [TELL, actor(8), 'parked', []]),
      ),
    );
    expect(actors.map(({ messages: all }) => all)).toEqual([
      [
        { method: 'add', args: [1] },
        { method: 'construct', args: ['constructed'] },
        { method: 'stop', args: [] },
        { method: 'kind 99', args: [] },
        { method: '?', args: [] },
      ],
      [
        { method: 'get', args: [2] },
        { method: 'in the mailbox', args: [3] },
        { method: 'with another name', args: [] },
        { method: 'parked', args: [] },
      ],
    ]);
  });

  it('are read with the messages in flight, the tables and the number of turns', () => {
    const inFlight = (kind: unknown, call: unknown, id = 7): object => ({
      piece: PIECE.inFlight,
      worker: 2,
      kind,
      id,
      call,
      args: [kind],
    });
    const tables = { piece: PIECE.tables, turns: 12 };
    const all = inertActors(
      rootsOf(
        inFlight(WIRE.call, 'add'),
        inFlight(WIRE.phase, 'none'),
        inFlight(WIRE.trackedCall, 'tracked', 8),
        inFlight(WIRE.answer, 'none'),
        tables,
        inFlight(77, 'none'),
        inFlight(WIRE.call, 5),
      ),
    );
    expect(all.inFlight).toEqual([
      { from: 2, to: 7, method: 'add', args: [WIRE.call], bytes: 100 },
      { from: 2, to: 8, method: 'tracked', args: [WIRE.trackedCall], bytes: 300 },
      { from: 2, to: 7, method: 'answer', args: [WIRE.answer], bytes: 400 },
      { from: 2, to: 7, method: 'kind 77', args: [77], bytes: 600 },
      { from: 2, to: 7, method: '?', args: [WIRE.call], bytes: 700 },
    ]);
    expect(all).toMatchObject({ actors: [], turns: 12, tables, tablesBytes: 500 });
  });

  it('are left out if they are invalid', () => {
    expect(
      inertActors(
        rootsOf(
          null,
          undefined,
          5,
          {},
          { piece: 9 },
          actorPiece(1, { actor: 'none' }),
          actorPiece(1, { actor: { id: 'x' } }),
        ),
      ),
    ).toEqual({
      actors: [],
      inFlight: [],
      turns: 0,
      tables: undefined,
      tablesBytes: 0,
    });
    expect(inertActors(rootsOf({ piece: PIECE.tables, turns: 'many' })).turns).toBe(0);
    const [only] = inertActors(
      rootsOf(actorPiece(1, { timers: 5, lent: null, eventuals: {} }), {
        piece: PIECE.messages,
        queue: 'shared',
        entries: 5,
      }),
    ).actors;
    expect(only).toMatchObject({ timers: [], lent: [], eventuals: [], messages: [] });
  });
});

describe('an object of the runtime', () => {
  const { allocate, fill } = inertRuntimeObjects();
  const made = (kind: number, header: readonly unknown[]): object => {
    const object = allocate(kind, header as never, undefined as never) as object;
    return { kind: Object.getPrototypeOf(object)?.constructor?.name as unknown, ...object };
  };

  it('has its fields by their names', () => {
    expect(made(RUNTIME_KINDS.REFERENCE, ['key', 'Cart', {}, 12 * 64, 3, 0, 0])).toMatchObject({
      actor: 'Cart#12',
      class: 'Cart',
      id: 768,
      worker: 3,
      number: 0,
    });
    const lent = made(RUNTIME_KINDS.REFERENCE, ['key', 'Cart', {}, 12 * 64 + 2, 3, 0, 5]);
    expect(lent).toMatchObject({ class: 'Cart', number: 5 });
    expect(lent).not.toHaveProperty('actor');
    expect(made(RUNTIME_KINDS.REFERENCE, ['key', 5, {}, 64 + 2, 3, 0, 0])).toMatchObject({ actor: '?#1@2' });
    expect(made(RUNTIME_KINDS.ACTOR, [7, 1])).toMatchObject({ id: 7, worker: 1 });
    expect(made(RUNTIME_KINDS.PIPELINED_CALL, ['get', [1], 2, 3, 'more'])).toMatchObject({
      call: 'get',
      args: [1],
      replyTo: 2,
      trail: 3,
      4: 'more',
    });
    expect(made(RUNTIME_KINDS.TRACKED_CALL, ['get'])).toMatchObject({ name: 'get' });
    expect(made(99, ['a'])).toMatchObject({ 0: 'a' });
  });

  it('gets its contents later', () => {
    const object = allocate(RUNTIME_KINDS.DEADLINE_TRAIL, [] as never, undefined as never) as object;
    fill(object, RUNTIME_KINDS.DEADLINE_TRAIL, ['a label', null] as never);
    expect({ ...object }).toEqual({ label: 'a label', parent: null });
  });
});

describe('the canonical form of a state', () => {
  const canonical = (...values: unknown[]): Record<string, unknown> =>
    Object.fromEntries(canonicalPieces(values.map((value) => ({ value }))).pieces);
  /** The greatest id of a main program is below it. */
  const FIRST = 64;

  it('has the pieces of main programs, and of actors that timers or the host keep alive', () => {
    const timer = (number: unknown): object => ({ number });
    const pieces = canonical(
      actorPiece(FIRST + 2, { nativeWaiters: [{}] }),
      actorPiece(FIRST),
      actorPiece(FIRST + 1, { timers: [1, timer(7), 2, timer(3)] }),
      actorPiece(FIRST - 1, { hostHeld: ['left out'], eventuals: [1, {}] }),
      actorPiece(3),
    );
    expect(Object.keys(pieces)).toEqual(['actor 3', `actor ${FIRST - 1}`, `actor ${FIRST + 1}`, `actor ${FIRST + 2}`]);
    expect(pieces[`actor ${FIRST + 1}`]).toMatchObject({ timers: [timer(3), timer(7)], name: `Cart#${FIRST + 1}` });
    for (const field of ['hostHeld', 'eventuals']) expect(pieces[`actor ${FIRST - 1}`]).not.toHaveProperty(field);
  });

  it('has what an actor has lent in one order, wherever it was written', () => {
    const lent = (number: number): readonly [object, string] => [{ number }, `object ${number}`];
    const one = canonical(actorPiece(3, { lent: [...lent(5), ...lent(1)] }), {
      piece: PIECE.deferred,
      actor: actor(3),
      lent: lent(3),
    });
    const other = canonical(
      { piece: PIECE.deferred, actor: actor(3), lent: [...lent(3), ...lent(1)] },
      actorPiece(3, { lent: lent(5) }),
    );
    expect(one).toEqual(other);
    expect(one['actor 3']).toMatchObject({ lent: [lent(1), lent(3), lent(5)] });
  });

  it('gives the piece of an actor for a reference to it', () => {
    const { pieceOf } = canonicalPieces([actorPiece(FIRST + 3), actorPiece(3)].map((value) => ({ value })));
    expect(pieceOf({ id: FIRST + 3, worker: 1 })).toMatchObject({ name: `Cart#${FIRST + 3}` });
    expect(pieceOf({ id: FIRST + 3 })).toBeUndefined();
    expect(pieceOf({ worker: 1 })).toBeUndefined();
    expect(pieceOf({ id: 99, worker: 1 })).toBeUndefined();
  });

  it('has eventuals in place of their tickets', () => {
    const eventual = { state: 'pending' };
    const owner = actorPiece(3, { eventuals: [7, eventual] });
    const { canonicalField } = canonicalPieces([{ value: owner }]);
    const target = { owner: 1, to: 2, call: 'get', replyTo: 7, 4: true };
    expect(canonicalField(target, 'replyTo', 7)).toBe(eventual);
    expect(canonicalField(target, 'replyTo', 8)).toBe(8);
    expect(canonicalField(target, 'to', 7)).toBe(7);
    for (const other of [
      { ...target, 4: false },
      { owner: 1, 4: true },
      { call: 1, 4: true },
    ])
      expect(canonicalField(other, 'replyTo', 7)).toBe(7);
    const queue = (entry: readonly unknown[]): unknown =>
      canonical(owner, { piece: PIECE.messages, queue: 'shared', entries: [entry] })['waiting shared '];
    expect(queue([SEND, 'to', 'get', [], 'target', 7, true, 'sender'])).toEqual([
      [SEND, 'to', 'get', [], 'target', eventual, true, 'sender'],
    ]);
    expect(queue([SEND, 'to', 'get', [], 'target', 7, false, 'sender'])).toEqual([
      [SEND, 'to', 'get', [], 'target', 7, false, 'sender'],
    ]);
    expect(queue([TELL, 'to', 'get', [], 'target', 7, true])).toEqual([[TELL, 'to', 'get', [], 'target', 7, true]]);
  });

  it('joins the pieces of each queue, and sorts the queues', () => {
    const messages = (queue: string, recipient: number | undefined, ...calls: string[]): object => ({
      piece: PIECE.messages,
      queue,
      recipient: recipient === undefined ? undefined : actor(recipient),
      entries: calls.map((call) => [TELL, call]),
    });
    const entriesOf = (...calls: string[]): unknown => calls.map((call) => [TELL, call]);
    const pieces = canonical(
      messages('shared', undefined, 'a'),
      messages('mailbox', 8, 'b'),
      messages('shared', undefined, 'c', 'd'),
      messages('mailbox', 7, 'e'),
    );
    expect(pieces).toEqual({
      'waiting mailbox 7': entriesOf('e'),
      'waiting mailbox 8': entriesOf('b'),
      'waiting shared ': entriesOf('a', 'c', 'd'),
    });
    expect(Object.keys(pieces)).toEqual(['waiting mailbox 7', 'waiting mailbox 8', 'waiting shared ']);
  });

  it('has the messages in flight of each worker, in the order in which they were sent', () => {
    const message = (worker: unknown, call: string): object => ({ piece: PIECE.inFlight, worker, call });
    const pieces = canonical({ ...message(10, 'a'), references: 'left out' }, message(2, 'b'), message('10', 'c'));
    expect(Object.entries(pieces)).toEqual([
      ['from worker 2', [message(2, 'b')]],
      ['from worker 10', [message(10, 'a'), message('10', 'c')]],
    ]);
  });

  it('has the tables without times, garbage and names of eventuals', () => {
    const eventual = { state: 'pending' };
    const tables = {
      piece: PIECE.tables,
      turns: 3,
      census: 'left out',
      workerLinks: {
        worker: 1,
        links: [
          {
            worker: 2,
            phase: 9,
            pendingCalls: [[5, { eventual: 7, leftMs: 3, call: 'get' }]],
            pendingEventuals: [[6, { eventual: 8, untilMs: 4 }]],
          },
        ],
        references: { sent: 1, remoteActors: [{ id: 4, held: [{ ref: 'left out', count: 2 }] }] },
      },
      deadlines: { next: 1, waiting: [{ replyTo: 7, leftMs: 5, id: 1 }] },
      trackedCalls: [{ eventual: 7, id: 2 }],
      appRequests: [{ eventual: 7, id: 3 }],
    };
    expect(canonical(actorPiece(3, { eventuals: [7, eventual] }), tables)['tables']).toEqual({
      piece: PIECE.tables,
      turns: 3,
      workerLinks: {
        worker: 1,
        links: [
          {
            worker: 2,
            phase: undefined,
            pendingCalls: [[5, { eventual, call: 'get' }]],
            pendingEventuals: [[6, { eventual: 8 }]],
          },
        ],
        references: { sent: 1, remoteActors: [{ id: 4, held: [{ ref: undefined, count: 2 }] }] },
      },
      deadlines: { next: 1, waiting: [{ replyTo: eventual, id: 1 }] },
      trackedCalls: [{ eventual, id: 2 }],
      appRequests: [{ eventual, id: 3 }],
    });
  });

  it('is made of any values', () => {
    for (const value of [
      null,
      5,
      { piece: PIECE.tables },
      { piece: PIECE.messages, entries: 5 },
      { piece: PIECE.actor },
      { piece: PIECE.inFlight },
      { piece: PIECE.deferred, lent: 5 },
    ])
      expect(() => canonical(value)).not.toThrow();
  });
});
