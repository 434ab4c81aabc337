// Any messages of several clients, in any order, cancelled and hung up in any moment, to a time machine whose engines take their time: each request of who is still there is answered once, as the
// schemas say, nobody is told of an error of ours, who is still there knows where all stand, and whoever comes then is answered as if nothing had been.
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineError, type RecordedEngine, type Position } from '@turntable/time-machine';
import { Client, type Wire } from '@turntable/time-machine/client';
import { ERRORS, METHODS, type MethodName, type NotificationOf, type ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import type { TracedStretch } from '@turntable/time-machine/replay-process';
import { problemOf, type JsonSchema } from '../src/protocol/schema.ts';
import { surveyOf } from './random-runs.ts';
import { SHOP } from './shop.ts';

const CLIENTS = 3;
const about = { name: 'recordings/shop', from: undefined, verdict: 'same' };

/** It has three statements in each stretch, one in the call of another, and answers after some turns of the event loop, unless nobody wants it any more. */
function slowEngine(turns: () => number): RecordedEngine {
  let position: Position = { order: 1, list: 0, statement: 0 };
  const later = async <T>(value: T, signal?: AbortSignal): Promise<T> => {
    for (let left = turns(); left > 0; left--) {
      await setImmediate();
      if (signal?.aborted === true) throw new EngineError('TT_ABORTED', 'nobody wants to go there any more');
    }
    return value;
  };
  const place = { file: 'file:///p/a.ts', line: 1, column: 1, endLine: 1, endColumn: 9, function: 'f' };
  const its = { ...place, ordinal: 0, first: 0, kind: 'statement', code: 'c', number: 0 } as const;
  const traced: TracedStretch = {
    places: [its],
    statements: [1, 1, 0, 1, 2, 1, 0, 2, 3, 1, 0, 1],
    isCut: false,
    sends: [[1, 'actor 1 of 1', 'm']],
    happenings: [[0, 'stdout', 'get /1']],
  };
  const entry = { name: 'x', is: 'variable', isEnumerable: true, value: { kind: 'number', preview: '1' } };
  const search = { upTo: (_: unknown, signal?: AbortSignal) => later([], signal), close: () => {} };
  const actor = { worker: 0, id: 1, name: 'actor 1 of 1', turns: 1, waiting: 1, value: undefined };
  const engine = {
    get stop() {
      return { position, worker: 0, life: 0, place: undefined };
    },
    to: async (wanted: Position, signal?: AbortSignal) => {
      await later(undefined, signal);
      position = wanted;
    },
    trace: (from: number, to: number, signal?: AbortSignal) =>
      later(
        Array.from({ length: to - from + 1 }, () => traced),
        signal,
      ),
    frames: () => later([{ index: 0, function: 'f', place, above: 0 }]),
    locals: () => later([entry]),
    localsAt: () => later([entry]),
    text: () => later({ text: 'x', total: 1 }),
    evaluateAt: () => later({ value: undefined, error: 'Error: outer', isPure: true, isTakenBack: false }),
    expand: () => later({ entries: [entry], total: 1 }),
    evaluate: (text: string, signal?: AbortSignal) =>
      later({ value: undefined, error: `Error: ${text}`, isPure: false, isTakenBack: true }, signal),
    actors: () => later([actor]),
    mailbox: () => later({ messages: [{ what: 'm', from: undefined, values: undefined }], total: 1 }),
    promises: () => later({ promises: [], total: 0 }),
    states: (_: Position, of: readonly unknown[]) => later(of.map(() => undefined)),
    search: () => search,
    changes: () => search,
    wroteNear: (_: unknown, signal?: AbortSignal) =>
      later({ is: 'unwritten', part: 'x', isWhole: false, position: undefined }, signal),
    wrote: (_: Position, __: unknown, signal?: AbortSignal) =>
      later({ is: 'unwritten', part: 'x', isWhole: false, position: undefined }, signal),
    close: () => Promise.resolve(),
  };
  return engine as unknown as RecordedEngine;
}

function serverOf(turns: () => number): TimeMachineServer {
  const inside = { standing: slowEngine(turns), scout: slowEngine(turns), sourceOf: () => 'text' };
  return new TimeMachineServer(surveyOf(SHOP), about, '1.2.3', inside);
}

// ── What is sent ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const TEXTS = [
  '',
  '*',
  '0.1',
  '0.2:1.1',
  '1.9:7.7',
  '9.9',
  '-1',
  'actor 1*',
  'm',
  '[',
  '/(/',
  'a.ts',
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

/** What `move` and `find` take, of a move that there is. */
function going(moves: Moves, method: 'move' | 'find'): fc.Arbitrary<unknown> {
  return fc.constantFrom(...moves).chain(({ id, directions, parameters }) => {
    const given = parameters.map(
      ({ name, kind }) => [name, kind === 'pattern' ? text : fc.oneof(text, fc.nat(9))] as const,
    );
    const optional = parameters.flatMap(({ name, otherwise }) => (otherwise === undefined ? [] : [name]));
    const needed = parameters.map(({ name }) => name).filter((name) => !optional.includes(name));
    return fc.record(
      {
        move: fc.constant(id),
        ...(directions.length === 0 ? {} : { direction: fc.constantFrom(...directions) }),
        arguments: fc.record(Object.fromEntries(given), { requiredKeys: needed }),
        ...(method === 'find' ? { from: fc.constantFrom('0.1', '0.2:2.1', '0.3:9.9', '1.1', '1.2', '7.7') } : {}),
      },
      { requiredKeys: ['move', ...(needed.length === 0 ? [] : ['arguments' as const])] },
    );
  });
}

type Act =
  | { readonly what: 'ask'; readonly client: number; readonly method: string; readonly params: unknown }
  | { readonly what: 'say'; readonly client: number; readonly text: string }
  | { readonly what: 'cancel'; readonly client: number; readonly back: number }
  | { readonly what: 'hang up'; readonly client: number }
  | { readonly what: 'wait'; readonly turns: number };

function acts(moves: Moves): fc.Arbitrary<Act[]> {
  const client = fc.nat(CLIENTS - 1);
  const names = Object.keys(METHODS) as MethodName[];
  const asked = fc.constantFrom(...names, 'move' as const, 'find' as const).chain((method) =>
    fc.record({
      what: fc.constant('ask' as const),
      client,
      method: fc.constant(method),
      params: fc.oneof(
        { weight: 4, arbitrary: valid(METHODS[method].params.json) },
        ...(method === 'move' || method === 'find' ? [{ weight: 12, arbitrary: going(moves, method) }] : []),
        fc.jsonValue(),
      ),
    }),
  );
  const said = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":"cancel"}'),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({ jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.jsonValue(), method: text })
      .map((value) => JSON.stringify(value)),
  );
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: asked },
      { weight: 2, arbitrary: fc.record({ what: fc.constant('say' as const), client, text: said }) },
      { weight: 5, arbitrary: fc.record({ what: fc.constant('cancel' as const), client, back: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ what: fc.constant('hang up' as const), client }) },
      { weight: 4, arbitrary: fc.record({ what: fc.constant('wait' as const), turns: fc.nat(4) }) },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  );
}

// ── Who sends ────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Answer {
  readonly id?: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: unknown;
}

/** What one that is answered so is told of where all stand. */
function toldOf(asked: string, result: unknown): string | undefined {
  if (asked === 'hello' || asked === 'move') return (result as ResultOf<'hello' | 'move'>).where.position;
  return asked === 'where' ? (result as ResultOf<'where'>).position : undefined;
}

class Caller {
  readonly #wire: Wire;
  /** Those that are to be answered, by their ids. */
  readonly open = new Map<number, string>();
  readonly problems: string[] = [];
  /** Where all stand, by what it was told last. */
  stands: string | undefined;
  #last = 0;
  #isGone = false;

  constructor(wire: Wire) {
    this.#wire = wire;
    wire.onText((received) => this.#hear(JSON.parse(received) as Answer));
    this.ask('hello', { version: 1 });
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  ask(method: string, params: unknown): void {
    if (this.#isGone) return;
    this.open.set(++this.#last, method);
    this.#send({ id: this.#last, method, params });
  }

  say(given: string): void {
    this.#wire.send(given);
  }

  cancel(back: number): void {
    this.#send({ method: 'cancel', params: { id: Math.max(0, this.#last - back) } });
  }

  hangUp(): void {
    this.#isGone = true;
    this.open.clear();
    this.#wire.close();
  }

  #hear({ id, result, error, method, params }: Answer): void {
    if (this.#isGone) return;
    if (method === 'moved') this.stands = (params as NotificationOf<'moved'>).where.position;
    if (method !== undefined) return;
    const asked = this.open.get(id ?? 0);
    if (error?.code === ERRORS.internal) this.problems.push(`${asked}: ${error.message}`);
    // What was said that is no request is answered as well, perhaps by a number of one.
    if (asked === undefined) return;
    this.open.delete(id ?? 0);
    if (error === undefined) this.stands = toldOf(asked, result) ?? this.stands;
    const problem = error === undefined ? problemOf(METHODS[asked as MethodName].result, result, asked) : undefined;
    if (problem !== undefined) this.problems.push(problem);
  }
}

async function turnsOfLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

async function greeted(server: TimeMachineServer): Promise<ResultOf<'hello'>> {
  const client = new Client(server.wire());
  const told = await client.hello('last');
  expect(await client.request('where', {})).toEqual(told.where);
  client.close();
  return told;
}

test('whatever clients say, and whenever they give it up, all are answered', { timeout: 120_000 }, async () => {
  const { moves } = await greeted(serverOf(() => 0));
  await fc.assert(
    fc.asyncProperty(acts(moves), fc.nat(6), fc.infiniteStream(fc.nat(3)), async (all, early, chance) => {
      const server = serverOf(() => chance.next().value ?? 0);
      const callers = Array.from({ length: CLIENTS }, () => new Caller(server.wire()));
      // They may go on before they are greeted.
      await turnsOfLoop(early);
      for (const act of all) {
        if (act.what === 'wait') {
          await turnsOfLoop(act.turns);
          continue;
        }
        const caller = callers[act.client] as Caller;
        if (act.what === 'ask') caller.ask(act.method, act.params);
        else if (act.what === 'say') caller.say(act.text);
        else if (act.what === 'cancel') caller.cancel(act.back);
        else caller.hangUp();
      }
      // As many turns as all together may take; who is not answered then never is.
      for (let turn = 0; turn < 10_000 && callers.some(({ open }) => open.size > 0); turn++) await setImmediate();
      expect(callers.flatMap(({ open }) => [...open.values()])).toEqual([]);
      expect(callers.flatMap(({ problems }) => problems)).toEqual([]);
      const { position } = (await greeted(server)).where;
      await turnsOfLoop(1);
      for (const { stands } of callers.filter(({ isGone }) => !isGone)) expect(stands).toBe(position);
      await server.close();
    }),
    { numRuns: 200 },
  );
});

/** Moments in which somebody else does something while a move is being made: turns of the loop after it was asked for, and turns of jobs after those. */
const MOMENTS = Array.from({ length: 12 }, (_, turns) => Array.from({ length: 30 }, (__, jobs) => ({ turns, jobs })));

async function moment({ turns, jobs }: { readonly turns: number; readonly jobs: number }): Promise<void> {
  await turnsOfLoop(turns);
  for (let job = 0; job < jobs; job++) await undefined;
}

/** One that is found without an engine, and one that is not. */
const GOINGS = [
  ['end', '1.2'],
  ['into', '0.1:1.1'],
] as const;

describe.each(GOINGS)('while somebody moves (%s)', (move, moved) => {
  test('who comes is told where that leads, in whatever moment it comes', async () => {
    const told = new Set<string>();
    for (const when of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.wire()), new Client(server.wire())];
      await one.hello('one');
      const moving = one.request('move', { move });
      await moment(when);
      const stands: string[] = [];
      other.onMoved = ({ where }) => stands.push(where.position);
      stands.push((await other.hello('other')).where.position);
      expect((await moving).where.position).toBe(moved);
      await setTimeout(1);
      expect(stands.at(-1), JSON.stringify(when)).toBe(moved);
      told.add(stands.join(', '));
      await server.close();
    }
    // As it was greeted, and behind that.
    expect([...told]).toEqual(expect.arrayContaining([`0.1, ${moved}`, moved]));
  });

  test('what is given up moves nobody, in whatever moment that is', async () => {
    let givenUp = 0;
    for (const when of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.wire()), new Client(server.wire())];
      const { where } = await one.hello('one');
      await other.hello('other');
      const stands: string[] = [];
      other.onMoved = ({ where: { position } }) => stands.push(position);
      const controller = new AbortController();
      const moving = one.request('move', { move }, { signal: controller.signal }).catch(() => undefined);
      await moment(when);
      controller.abort();
      const landed = await moving;
      if (landed === undefined) givenUp++;
      expect(await other.request('where', {}), JSON.stringify(when)).toEqual(landed?.where ?? where);
      await setTimeout(1);
      expect(stands).toEqual(landed === undefined ? [] : [landed.where.position]);
      await server.close();
    }
    expect(givenUp).toBeGreaterThan(0);
    expect(givenUp).toBeLessThan(MOMENTS.flat().length);
  });

  test('who hangs up moves nobody from then on, in whatever moment that is', async () => {
    for (const when of MOMENTS.flat()) {
      const server = serverOf(() => 1);
      const [one, other] = [new Client(server.wire()), new Client(server.wire())];
      await one.hello('one');
      one.request('move', { move }).catch(() => {});
      await moment(when);
      one.close();
      const { where } = await other.hello('other');
      await turnsOfLoop(10);
      expect(await other.request('where', {}), JSON.stringify(when)).toEqual(where);
      await server.close();
    }
  });
});
