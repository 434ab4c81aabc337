// Moves and states are an algebra, in recordings of random programs: a state is the same by whatever way one comes to it, and what leads somewhere leads back.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  comparePositions,
  positionOf,
  positionText,
  SurveyIndex,
  type Position,
  type Survey,
} from '@turntable/time-machine';
import type { Client } from '@turntable/time-machine/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { record, recordingIn } from '../replay/again.ts';
import { surveyOf } from './engines.ts';
import { machineOf } from './machine.ts';
import { before, expectSame, openedIn, type Opened } from './opened.ts';
import { randomPrograms, writtenTo } from './random-program.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const { ORACLE_SEED = '20261123', ORACLE_RUNS = '1' } = process.env;
const seed = ORACLE_SEED === 'random' ? Date.now() & 0x7fff_ffff : Number(ORACLE_SEED);
const runs = { seed, numRuns: inSoak(3, 20), endOnFailure: true };
const room = mkdtempSync(join(tmpdir(), 'turntable-algebra-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const programs = fc.sample(randomPrograms, { seed, numRuns: Number(ORACLE_RUNS) });

/** Some of all statements and beginnings of a recording, in order. */
async function somePlaces({ engine, survey }: Opened, count: number): Promise<Position[]> {
  const all: Position[] = [];
  for (const [i, { statements }] of (await engine.trace(1, survey.count)).entries()) {
    all.push(before(i + 1));
    for (let at = 0; at < statements.length; at += 4)
      all.push({ order: i + 1, list: statements[at] as number, statement: statements[at + 1] as number });
  }
  all.push(before(survey.count + 1));
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * (all.length - 1)) / (count - 1))] as Position);
}

describe.for(programs.map((program, i) => [i, program] as const))('a random program (%i)', ([i, program]) => {
  const directory = join(room, `${i}`);
  const recordings = join(directory, 'recordings');

  beforeAll(() => {
    writtenTo(directory, program);
    // With cuts between snapshots, behind which its survey has states.
    record(recordings, ['--snapshots', 'work=10ms', 'main.mjs'], {}, directory);
  });

  test('is in the same state by whatever way one comes to a place, and goes on as recorded behind all that', async () => {
    const forth = await openedIn(recordings, { spacing: 0 });
    const places = await somePlaces(forth, 16);
    const straight: unknown[] = [];
    for (const place of places) {
      await forth.engine.to(place);
      straight.push(await forth.engine.digests());
    }
    const its = await openedIn(recordings, { compares: true });
    const near = fc.record({ at: fc.nat(places.length - 1), steps: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(near, { minLength: 3, maxLength: 5 }), async (walk) => {
        for (const { at, steps } of walk) {
          const place = places[at] as Position;
          await its.engine.to(place);
          expect(await its.engine.digests(), JSON.stringify(place)).toEqual(straight[at]);
          if (steps === 0 || place.order > its.survey.count) continue;
          // Forth and back again.
          for (let step = 0; step < steps; step++) await its.engine.next();
          await its.engine.to(place);
          expect(await its.engine.digests(), JSON.stringify(place)).toEqual(straight[at]);
        }
      }),
      runs,
    );
    expect(its.engine.ways.back).toBeGreaterThan(0);
    await expectSame(its);
  });

  test('paused at each statement of its longest turns, and given up there, is what it is behind them', async () => {
    const its = await openedIn(recordings, { compares: true });
    const { engine, survey } = its;
    const traced = (await engine.trace(2, survey.count)).map(({ statements }, i) => ({ order: i + 2, statements }));
    const ofSize = traced.filter(
      ({ order, statements }) => SurveyIndex.of(survey).kind(order) === 'call' && statements.length <= 240,
    );
    const longest = ofSize.toSorted((one, other) => other.statements.length - one.statements.length).slice(0, 2);
    for (const { order, statements } of longest.toSorted((one, other) => one.order - other.order)) {
      await engine.to(before(order));
      const ahead = await engine.digests();
      await engine.to(before(order + 1));
      const behind = await engine.digests();
      for (let at = 0; at < statements.length; at += 4) {
        await engine.to({ order, list: statements[at] as number, statement: statements[at + 1] as number });
        // From every other one to its end, from the others to its beginning.
        const [place, its] = at % 8 === 0 ? [order, ahead] : [order + 1, behind];
        await engine.to(before(place));
        expect(await engine.digests(), `${order}: ${at / 4}`).toEqual(its);
      }
    }
    await expectSame(its);
  });

  test('is gone through in the order of positions, and back again, by any kind of move', async () => {
    const moves = await Moves.of(recordings);
    const { survey } = moves;
    const kinds = ['stretch', 'turn', 'actor', 'worker', 'entry', 'into', 'output', 'exception', 'rejection', 'device'];
    await fc.assert(
      fc.asyncProperty(fc.nat(survey.count - 1), fc.constantFrom(...kinds), fc.nat(3), async (at, kind, into) => {
        let from: Position = before(at + 1);
        for (let i = 0; i < into; i++) from = (await moves.find('into', 'forward', from)) ?? from;
        const first = await moves.find(kind, 'forward', from);
        if (first === undefined) return;
        expect(comparePositions(first, from)).toBeGreaterThan(0);
        const back = await moves.find(kind, 'backward', first);
        if (back !== undefined) expect(await moves.find(kind, 'forward', back)).toEqual(first);
        const second = await moves.find(kind, 'forward', first);
        if (second === undefined) return;
        expect(comparePositions(second, first)).toBeGreaterThan(0);
        expect(await moves.find(kind, 'backward', second)).toEqual(first);
      }),
      { ...runs, numRuns: inSoak(20, 200) },
    );
  });

  test('has its messages lead to and fro', async () => {
    const moves = await Moves.of(recordings);
    const { survey } = moves;
    const index = SurveyIndex.of(survey);
    let joined = 0;
    for (let order = 1; order <= survey.count; order++) {
      const here = before(order);
      const receivers = index.receivers(order);
      for (const which of [0, receivers.length - 1].filter((n) => receivers[n] !== undefined)) {
        const there = (await moves.find('receiver', undefined, here, { which: which + 1 })) as Position;
        expect(comparePositions(there, here)).toBeGreaterThan(0);
        expect(await moves.find('sender', undefined, there)).toEqual(here);
        joined++;
      }
      const sender = await moves.find('sender', undefined, here);
      if (sender !== undefined) expect(index.receivers(sender.order)).toContain(order);
      const resolver = await moves.find('resolver', undefined, here);
      if (resolver !== undefined) expect(resolver).toEqual(sender);
      const birth = await moves.find('birth', undefined, here);
      if (birth === undefined) continue;
      expect(await moves.find('sender', undefined, birth)).toEqual(await moves.find('spawner', undefined, here));
    }
    expect(joined).toBeGreaterThan(20);
  });

  test('comes by its breakpoints forward and backward alike', async () => {
    const moves = await Moves.of(recordings);
    const { client, survey } = moves;
    const [first, end] = [before(1), before(survey.count + 1)];
    const line = program.actors.split('\n').findIndex((text) => text.includes('note(what)')) + 1;
    const wishes = [
      { file: 'actors.mjs', line, condition: 'this.log.length % 3 === 0' },
      { file: 'actors.mjs', line: line + 3 },
      { kind: 'sent', condition: 'this.n % 2 === 0' },
      { kind: 'spawned' },
    ];
    let hits = 0;
    for (const wish of wishes) {
      const { id } = await client.request('break', wish);
      const there = await moves.all('breakpoint', 'forward', first);
      const back = await moves.all('breakpoint', 'backward', end);
      expect(there).toEqual(there.toSorted(comparePositions));
      expect(back.toReversed(), JSON.stringify(wish)).toEqual(there);
      hits += there.length;
      await client.request('unbreak', { id });
    }
    expect(hits).toBeGreaterThan(5);
  });
});

/** Where moves lead in a recording. */
class Moves {
  readonly client: Client;
  readonly survey: Survey;

  static async of(recordings: string): Promise<Moves> {
    const wishes = { phase: undefined, isForced: false, isAnew: false, debug: true, spacing: 0 };
    const { survey } = await surveyOf(recordingIn(recordings), wishes);
    return new Moves(await machineOf(recordings), survey);
  }

  constructor(client: Client, survey: Survey) {
    this.client = client;
    this.survey = survey;
  }

  async find(
    move: string,
    direction: 'forward' | 'backward' | undefined,
    from: Position,
    its: Record<string, number> = {},
  ): Promise<Position | undefined> {
    const { phases, count } = SurveyIndex.of(this.survey);
    const wanted = { move, arguments: its, from: positionText(from, phases), ...(direction && { direction }) };
    const { found, where } = await this.client.request('find', wanted);
    return found ? positionOf(where.position, phases, count) : undefined;
  }

  /** Each to which one leads, one behind the other. */
  async all(move: string, direction: 'forward' | 'backward', from: Position): Promise<Position[]> {
    const found: Position[] = [];
    for (let at = await this.find(move, direction, from); at !== undefined; at = await this.find(move, direction, at))
      found.push(at);
    return found;
  }
}
