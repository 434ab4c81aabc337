// Random messages of several clients, cancelled and interrupted at any moment, to a time machine with slow drivers.
// Each request of a connected client gets one valid answer without internal errors, and all clients agree on the
// position.
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReplayError, type ReplayDriver, type Position } from '@turntable/time-machine';
import { Client, type Wire } from '@turntable/time-machine/client';
import {
  ERROR_CODES,
  METHODS,
  PROTOCOL_VERSION,
  type MethodName,
  type NotificationOf,
  type ResultOf,
} from '@turntable/time-machine/protocol';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { validationError, type JsonSchema } from '../src/protocol/schema.ts';
import { buildRunIndex } from './random-runs.ts';
import { SHOP_STEPS } from './shop-steps.ts';
import type { StatementTrace } from '../src/replay-process/statement-trace.ts';
import { traceOfStatements } from './traces.ts';

const CLIENTS = 3;
const FILE = 'file:///p/a.ts';
const about = { name: 'recordings/shop', from: undefined, verdict: 'same' };

/** A driver with three statements in each task, one of them in a call. It answers after some turns of the loop. */
function slowDriver(turns: () => number): ReplayDriver {
  let position: Position = { order: 1, list: 0, statement: 0 };
  const later = async <T>(value: T, signal?: AbortSignal): Promise<T> => {
    for (let left = turns(); left > 0; left--) {
      await setImmediate();
      if (signal?.aborted === true) throw new ReplayError('TT_ABORTED', 'the request was aborted');
    }
    return value;
  };
  const source = { file: FILE, line: 1, column: 1, endLine: 1, endColumn: 9, function: 'f' };
  const location = { ...source, ordinal: 0, kind: 'statement', code: 'c', number: 0 } as const;
  const statement = { location, startsList: true };
  const statements = [1, 2, 1].map((depth) => ({ ...statement, depth }));
  const trace = (order: number): StatementTrace =>
    traceOfStatements(order, statements, { sends: [[1, 'actor 1 of 1', 'm']], events: [[0, 'stdout', 'get /1']] });
  const entry = { name: 'x', kind: 'variable', isEnumerable: true, value: { kind: 'number', preview: '1' } };
  const search = { runTo: (_: unknown, signal?: AbortSignal) => later([], signal), close: () => {} };
  const actor = { worker: 0, id: 1, name: 'actor 1 of 1', turns: 1, waitingCount: 1, value: undefined };
  const driver = {
    get pausePoint() {
      return { position, worker: 0, epoch: 0, location: undefined };
    },
    seek: async (target: Position, signal?: AbortSignal) => {
      await later(undefined, signal);
      position = target;
    },
    traceTasks: (from: number, to: number, signal?: AbortSignal) =>
      later(
        Array.from({ length: to - from + 1 }, (_, i) => trace(from + i)),
        signal,
      ),
    stack: () => later({ frames: [{ index: 0, function: 'f', location: source }], moreAwaiting: 0 }),
    locals: () => later([entry]),
    localsAt: () => later([entry]),
    text: () => later({ text: 'x', total: 1 }),
    evaluateAt: () => later({ value: undefined, error: 'Error: outer', isPure: true, isUndone: false }),
    expand: () => later({ entries: [entry], total: 1 }),
    partsAt: () => later({ entries: [entry], total: 1 }),
    evaluate: (text: string, signal?: AbortSignal) =>
      later({ value: undefined, error: `Error: ${text}`, isPure: false, isUndone: true }, signal),
    names: () => later([{ name: 'x', kind: 'variable' }]),
    namesAt: () => later([{ name: 'x', kind: 'variable' }]),
    actors: () => later([actor]),
    mailbox: () => later({ messages: [{ subject: 'm', sender: undefined, values: undefined }], total: 1 }),
    promises: () => later({ promises: [], total: 0 }),
    heaps: () => later([{ worker: 0, graph: { rootCount: 1, nodes: [['object', 'f', 1, 0]], references: [] } }]),
    states: (_: Position, of: readonly unknown[]) => later(of.map(() => undefined)),
    searchBreakpoints: () => search,
    searchChanges: () => search,
    recentWrite: (_: unknown, signal?: AbortSignal) =>
      later({ kind: 'unwritten', part: 'x', isApproximate: false, position: undefined }, signal),
    lastWrite: (_: Position, __: unknown, signal?: AbortSignal) =>
      later({ kind: 'unwritten', part: 'x', isApproximate: false, position: undefined }, signal),
    close: () => Promise.resolve(),
  };
  return driver as unknown as ReplayDriver;
}

function serverOf(turns: () => number): TimeMachineServer {
  const body = { head: { line: 1, column: 1 }, start: { line: 1, column: 1 }, end: { line: 2, column: 1 } };
  const deps: TimeMachineDeps = {
    current: slowDriver(turns),
    scout: slowDriver(turns),
    findSource: () => 'function f(x) {}',
    sourceFiles: () => [FILE],
    findFunctions: () => [{ name: 'f', owner: undefined, parameters: ['x'], ...body }],
    findStatements: () => [{ line: 1, column: 1, endLine: 1, endColumn: 9, function: 'f', kind: 'statement' }],
  };
  return new TimeMachineServer(buildRunIndex(SHOP_STEPS), about, '1.2.3', deps);
}

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

const TEXTS = [
  '',
  '*',
  '0.1',
  '0.2:1.1',
  '1.9:7.7',
  '9.9',
  '-1',
  'start',
  'end',
  '50%',
  '+0.5s',
  '0:1',
  'actor 1*',
  'm',
  '[',
  '/(/',
  'a.ts',
  'a.ts:1',
  'f',
  'this.x',
  'x',
  '\u0000',
  '__proto__',
];
const text = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ maxLength: 8, unit: 'binary' }));

function valid({ anyOf, enum: values, const: only, ...json }: JsonSchema): fc.Arbitrary<unknown> {
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valid));
  if (values !== undefined) return fc.constantFrom(...values);
  if (only !== undefined) return fc.constant(only);
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, items = {}, properties = {}, required = [] } = json;
  switch (type) {
    case 'string':
      return text;
    case 'integer':
      return fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 12) }) },
        fc.constant(maximum),
      );
    case 'number':
      return fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constantFrom(0.5, 1e300));
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valid(items), { maxLength: Math.min(json.maxItems ?? 3, 3) });
    default: {
      const { additionalProperties } = json;
      if (additionalProperties !== undefined && additionalProperties !== false)
        return fc.dictionary(text, valid(additionalProperties), { maxKeys: 3 });
      const parts = Object.entries(properties).map(([name, each]) => [name, valid(each)] as const);
      return fc.record(Object.fromEntries(parts), { requiredKeys: [...required] });
    }
  }
}

type Moves = ResultOf<'hello'>['moves'];

/** Parameters of `move` and `find` for existing moves. */
function moveParamsOf(moves: Moves, method: 'move' | 'find'): fc.Arbitrary<unknown> {
  return fc.constantFrom(...moves).chain(({ id, directions, parameters }) => {
    const arbitraries = parameters.map(
      ({ name, kind }) => [name, kind === 'text' ? text : fc.oneof(text, fc.nat(9))] as const,
    );
    const optional = parameters.flatMap(({ name, defaultDescription }) =>
      defaultDescription === undefined ? [] : [name],
    );
    const needed = parameters.map(({ name }) => name).filter((name) => !optional.includes(name));
    return fc.record(
      {
        move: fc.constant(id),
        ...(directions.length === 0 ? {} : { direction: fc.constantFrom(...directions) }),
        arguments: fc.record(Object.fromEntries(arbitraries), { requiredKeys: needed }),
        ...(method === 'find' ? { from: fc.constantFrom('0.1', '0.2:2.1', '0.3:9.9', '1.1', '1.2', '7.7') } : {}),
      },
      { requiredKeys: ['move', ...(needed.length === 0 ? [] : ['arguments' as const])] },
    );
  });
}

type ClientAction =
  | { readonly what: 'ask'; readonly client: number; readonly method: string; readonly params: unknown }
  | { readonly what: 'say'; readonly client: number; readonly text: string }
  | { readonly what: 'cancel'; readonly client: number; readonly requestsBack: number }
  | { readonly what: 'hang up'; readonly client: number }
  | { readonly what: 'wait'; readonly turns: number };

function clientActions(moves: Moves): fc.Arbitrary<ClientAction[]> {
  const client = fc.nat(CLIENTS - 1);
  const names = Object.keys(METHODS) as MethodName[];
  const method = fc.constantFrom(...names, 'move' as const, 'find' as const).chain((method) =>
    fc.record({
      what: fc.constant('ask' as const),
      client,
      method: fc.constant(method),
      params: fc.oneof(
        { weight: 4, arbitrary: valid(METHODS[method].params.json) },
        ...(method === 'move' || method === 'find' ? [{ weight: 12, arbitrary: moveParamsOf(moves, method) }] : []),
        fc.jsonValue(),
      ),
    }),
  );
  const messageText = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":"cancel"}'),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({ jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.jsonValue(), method: text })
      .map((value) => JSON.stringify(value)),
  );
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: method },
      { weight: 2, arbitrary: fc.record({ what: fc.constant('say' as const), client, text: messageText }) },
      { weight: 5, arbitrary: fc.record({ what: fc.constant('cancel' as const), client, requestsBack: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ what: fc.constant('hang up' as const), client }) },
      { weight: 4, arbitrary: fc.record({ what: fc.constant('wait' as const), turns: fc.nat(4) }) },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  );
}

// ── Clients ─────────────────────────────────────────────────────────────────────────────────────

interface Answer {
  readonly id?: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: unknown;
}

/** The current position in an answer, if the method has it. */
function positionIn(method: string, result: unknown): string | undefined {
  if (method === 'hello' || method === 'move') return (result as ResultOf<'hello' | 'move'>).cursor.position;
  return method === 'cursor' ? (result as ResultOf<'cursor'>).position : undefined;
}

class TestClient {
  readonly #wire: Wire;
  /** Methods of unanswered requests, by their ids. */
  readonly open = new Map<number, string>();
  readonly problems: string[] = [];
  /** The position according to the last message. */
  cursorPosition: string | undefined;
  #last = 0;
  #hasHungUp = false;

  constructor(wire: Wire) {
    this.#wire = wire;
    wire.onText((received) => this.#receive(JSON.parse(received) as Answer));
    this.request('hello', { version: PROTOCOL_VERSION });
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  get hasHungUp(): boolean {
    return this.#hasHungUp;
  }

  request(method: string, params: unknown): void {
    if (this.#hasHungUp) return;
    this.open.set(++this.#last, method);
    this.#send({ id: this.#last, method, params });
  }

  sendText(text: string): void {
    this.#wire.send(text);
  }

  cancel(back: number): void {
    this.#send({ method: 'cancel', params: { id: Math.max(0, this.#last - back) } });
  }

  hangUp(): void {
    this.#hasHungUp = true;
    this.open.clear();
    this.#wire.close();
  }

  #receive({ id, result, error, method, params }: Answer): void {
    if (this.#hasHungUp) return;
    if (method === 'moved') this.cursorPosition = (params as NotificationOf<'moved'>).cursor.position;
    if (method !== undefined) return;
    const requested = this.open.get(id ?? 0);
    if (error?.code === ERROR_CODES.internal) this.problems.push(`${requested}: ${error.message}`);
    // An invalid message is answered as well, perhaps with the id of a request.
    if (requested === undefined) return;
    this.open.delete(id ?? 0);
    if (error === undefined) this.cursorPosition = positionIn(requested, result) ?? this.cursorPosition;
    const problem =
      error === undefined ? validationError(METHODS[requested as MethodName].result, result, requested) : undefined;
    if (problem !== undefined) this.problems.push(problem);
  }
}

async function waitLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

async function helloOf(server: TimeMachineServer): Promise<ResultOf<'hello'>> {
  const client = new Client(server.openWire());
  const seenCursors = await client.hello('last');
  expect(await client.request('cursor', {})).toEqual(seenCursors.cursor);
  client.close();
  return seenCursors;
}

test('every request is answered, in any order, cancelled or not', { timeout: 120_000 }, async () => {
  const { moves } = await helloOf(serverOf(() => 0));
  await fc.assert(
    fc.asyncProperty(clientActions(moves), fc.nat(6), fc.infiniteStream(fc.nat(3)), async (all, loopTurns, chance) => {
      const server = serverOf(() => chance.next().value ?? 0);
      const callers = Array.from({ length: CLIENTS }, () => new TestClient(server.openWire()));
      // Clients may send requests before `hello` is answered.
      await waitLoopTurns(loopTurns);
      for (const act of all) {
        if (act.what === 'wait') {
          await waitLoopTurns(act.turns);
          continue;
        }
        const caller = callers[act.client] as TestClient;
        if (act.what === 'ask') caller.request(act.method, act.params);
        else if (act.what === 'say') caller.sendText(act.text);
        else if (act.what === 'cancel') caller.cancel(act.requestsBack);
        else caller.hangUp();
      }
      // More turns than all requests together take: a request that is unanswered now stays unanswered.
      for (let turn = 0; turn < 10_000 && callers.some(({ open }) => open.size > 0); turn++) await setImmediate();
      expect(callers.flatMap(({ open }) => [...open.values()])).toEqual([]);
      expect(callers.flatMap(({ problems }) => problems)).toEqual([]);
      const { position } = (await helloOf(server)).cursor;
      await waitLoopTurns(1);
      for (const { cursorPosition } of callers.filter(({ hasHungUp }) => !hasHungUp))
        expect(cursorPosition).toBe(position);
      await server.close();
    }),
    { numRuns: 200 },
  );
});

/** Moments during a move at which another client acts: turns of the event loop, then turns of the job queue. */
const MOMENTS = Array.from({ length: 12 }, (_, turns) => Array.from({ length: 30 }, (__, jobs) => ({ turns, jobs })));

async function waitMoment({ turns, jobs }: { readonly turns: number; readonly jobs: number }): Promise<void> {
  await waitLoopTurns(turns);
  for (let job = 0; job < jobs; job++) await undefined;
}

/** A move between tasks, and a move into a task, which needs a driver. */
const MOVE_CASES = [
  [{ move: 'goto', arguments: { target: 'end' } }, '1.2'],
  [{ move: 'step' }, '0.1:1.1'],
] as const;

describe.each(MOVE_CASES)('during a move (%o)', (move, moved) => {
  test('a client that connects learns the target of the move at any moment', async () => {
    const seenCursors = new Set<string>();
    for (const moment of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
      await one.hello('one');
      const moving = one.request('move', move);
      await waitMoment(moment);
      const cursorPosition: string[] = [];
      other.onMoved = ({ cursor }) => cursorPosition.push(cursor.position);
      cursorPosition.push((await other.hello('other')).cursor.position);
      expect((await moving).cursor.position).toBe(moved);
      await setTimeout(1);
      expect(cursorPosition.at(-1), JSON.stringify(moment)).toBe(moved);
      seenCursors.add(cursorPosition.join(', '));
      await server.close();
    }
    // In the greeting, or in a notification after it.
    expect([...seenCursors]).toEqual(expect.arrayContaining([`0.1, ${moved}`, moved]));
  });

  test('a cancelled move does not change the position, at any moment', async () => {
    let cancelledCount = 0;
    for (const moment of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
      const { cursor } = await one.hello('one');
      await other.hello('other');
      const cursorPosition: string[] = [];
      other.onMoved = ({ cursor: { position } }) => cursorPosition.push(position);
      const controller = new AbortController();
      const moving = one.request('move', move, { signal: controller.signal }).catch(() => undefined);
      await waitMoment(moment);
      controller.abort();
      const result = await moving;
      if (result === undefined) cancelledCount++;
      expect(await other.request('cursor', {}), JSON.stringify(moment)).toEqual(result?.cursor ?? cursor);
      await setTimeout(1);
      expect(cursorPosition).toEqual(result === undefined ? [] : [result.cursor.position]);
      await server.close();
    }
    expect(cancelledCount).toBeGreaterThan(0);
    expect(cancelledCount).toBeLessThan(MOMENTS.flat().length);
  });

  test('a move whose client has disconnected does not change the position later, at any moment', async () => {
    for (const moment of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
      await one.hello('one');
      one.request('move', move).catch(() => {});
      await waitMoment(moment);
      one.close();
      const { cursor } = await other.hello('other');
      await waitLoopTurns(10);
      expect(await other.request('cursor', {}), JSON.stringify(moment)).toEqual(cursor);
      await server.close();
    }
  });
});
