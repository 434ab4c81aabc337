// Moves and states form an algebra, checked on recordings of random programs: a position has the same state whichever
// way a replay reaches it, and every move has an inverse.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  comparePositions,
  parsePosition,
  formatPosition,
  TaskGraph,
  type Position,
  type RunIndex,
} from '@turntable/time-machine';
import type { Client } from '@turntable/time-machine/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { buildRunIndex } from './replay-drivers.ts';
import { createClient } from './time-machine-server.ts';
import { taskStart, expectSame, openDriver, positionsIn, type OpenedDriver } from './opened-driver.ts';
import { randomPrograms, writeProgram } from './random-program.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const { ORACLE_SEED = '20261123', ORACLE_RUNS = '1' } = process.env;
const seed = ORACLE_SEED === 'random' ? Date.now() & 0x7fff_ffff : Number(ORACLE_SEED);
const runs = { seed, numRuns: inSoak(2, 20), endOnFailure: true };
const scratch = mkdtempSync(join(tmpdir(), 'turntable-algebra-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const programs = fc.sample(randomPrograms, { seed, numRuns: Number(ORACLE_RUNS) });

/** A sample of a recording's task starts and statements, in order. */
async function samplePositions({ driver, runIndex }: OpenedDriver, count: number): Promise<Position[]> {
  const all: Position[] = [];
  for (const trace of await driver.traceTasks(1, runIndex.count))
    all.push(taskStart(trace.order), ...positionsIn(trace));
  all.push(taskStart(runIndex.count + 1));
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * (all.length - 1)) / (count - 1))] as Position);
}

describe.for(programs.map((program, i) => [i, program] as const))('a random program (%i)', ([i, program]) => {
  const directory = join(scratch, `${i}`);
  const recordings = join(directory, 'recordings');

  beforeAll(() => {
    writeProgram(directory, program);
    // With cuts between snapshots; the run index has checkpoints there.
    record(recordings, ['--snapshots', 'work=10ms', 'main.mjs'], {}, directory);
  });

  test('reaches the same state at a position by any route, then continues as recorded', async () => {
    const fromStart = await openDriver(recordings, { spacing: 0 });
    const positions = await samplePositions(fromStart, inSoak(8, 16));
    const expected: unknown[] = [];
    for (const position of positions) {
      await fromStart.driver.seek(position);
      expected.push(await fromStart.driver.digests());
    }
    const indexed = await openDriver(recordings, { comparesStates: true });
    const near = fc.record({ at: fc.nat(positions.length - 1), steps: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(near, { minLength: 3, maxLength: 5 }), async (walk) => {
        for (const { at, steps } of walk) {
          const position = positions[at] as Position;
          await indexed.driver.seek(position);
          expect(await indexed.driver.digests(), JSON.stringify(position)).toEqual(expected[at]);
          if (steps === 0 || position.order > indexed.runIndex.count) continue;
          // Step away and seek back.
          for (let step = 0; step < steps; step++) await indexed.driver.stepForward();
          await indexed.driver.seek(position);
          expect(await indexed.driver.digests(), JSON.stringify(position)).toEqual(expected[at]);
        }
      }),
      runs,
    );
    expect(indexed.driver.seekCounts.inPlace).toBeGreaterThan(0);
    await expectSame(indexed);
  });

  test('has the recorded states before and after its longest turns when it was paused within them', async () => {
    const indexed = await openDriver(recordings, { comparesStates: true });
    const { driver, runIndex } = indexed;
    const traced = await driver.traceTasks(2, runIndex.count);
    const ofSize = traced.filter(({ order, count }) => TaskGraph.of(runIndex).kind(order) === 'call' && count <= 60);
    const longest = ofSize.toSorted((one, other) => other.count - one.count).slice(0, 2);
    for (const trace of longest.toSorted((one, other) => one.order - other.order)) {
      const { order } = trace;
      await driver.seek(taskStart(order));
      const stateBefore = await driver.digests();
      await driver.seek(taskStart(order + 1));
      const stateAfter = await driver.digests();
      for (const [at, position] of positionsIn(trace).entries()) {
        await driver.seek(position);
        // Alternate between the start of the task and its end.
        const [next, expected] = at % 2 === 0 ? [order, stateBefore] : [order + 1, stateAfter];
        await driver.seek(taskStart(next));
        expect(await driver.digests(), `${order}: ${at}`).toEqual(expected);
      }
    }
    await expectSame(indexed);
  });

  test('orders the results of every kind of move and finds the same ones backward', async () => {
    const moves = await Moves.of(recordings);
    const { runIndex } = moves;
    const kinds = [
      'task',
      'turn',
      'actor',
      'worker',
      'callback',
      'step',
      'output',
      'exception',
      'caught',
      'rejection',
      'device',
    ];
    await fc.assert(
      fc.asyncProperty(fc.nat(runIndex.count - 1), fc.constantFrom(...kinds), fc.nat(3), async (at, kind, steps) => {
        let from: Position = taskStart(at + 1);
        for (let i = 0; i < steps; i++) from = (await moves.find('step', 'forward', from)) ?? from;
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
      { ...runs, numRuns: inSoak(10, 200) },
    );
  });

  test('links every message to its sender and back', async () => {
    const moves = await Moves.of(recordings);
    const { runIndex } = moves;
    const index = TaskGraph.of(runIndex);
    let joined = 0;
    for (let order = 1; order <= runIndex.count; order++) {
      const start = taskStart(order);
      const receivers = index.receivers(order);
      for (const which of [0, receivers.length - 1].filter((n) => receivers[n] !== undefined)) {
        const receiver = (await moves.find('receiver', undefined, start, { number: which + 1 })) as Position;
        expect(comparePositions(receiver, start)).toBeGreaterThan(0);
        expect(await moves.find('sender', undefined, receiver)).toEqual(start);
        joined++;
      }
      const sender = await moves.find('sender', undefined, start);
      if (sender !== undefined) expect(index.receivers(sender.order)).toContain(order);
      const resolver = await moves.find('resolver', undefined, start);
      if (resolver !== undefined) expect(resolver).toEqual(sender);
      const birth = await moves.find('birth', undefined, start);
      if (birth === undefined) continue;
      expect(await moves.find('sender', undefined, birth)).toEqual(await moves.find('spawner', undefined, start));
    }
    expect(joined).toBeGreaterThan(20);
  });

  test('finds the same breakpoint hits forward and backward', async () => {
    const moves = await Moves.of(recordings);
    const { client, runIndex } = moves;
    const [first, end] = [taskStart(1), taskStart(runIndex.count + 1)];
    const line = program.actors.split('\n').findIndex((text) => text.includes('note(what)')) + 1;
    const options = [
      { file: 'actors.mjs', line, condition: 'this.log.length % 3 === 0' },
      { file: 'actors.mjs', line: line + 3 },
      { kind: 'send', condition: 'this.n % 2 === 0' },
      { kind: 'spawn' },
    ];
    let hits = 0;
    for (const option of options) {
      const { id } = await client.request('addBreakpoint', option);
      const forward = await moves.all('continue', 'forward', first);
      const backward = await moves.all('continue', 'backward', end);
      expect(forward).toEqual(forward.toSorted(comparePositions));
      expect(backward.toReversed(), JSON.stringify(option)).toEqual(forward);
      hits += forward.length;
      await client.request('removeBreakpoint', { id });
    }
    expect(hits).toBeGreaterThan(5);
  });
});

/** Finds the targets of moves in a recording. */
class Moves {
  readonly client: Client;
  readonly runIndex: RunIndex;

  static async of(recordings: string): Promise<Moves> {
    const options = { phase: undefined, isForced: false, isFresh: false, debug: true, spacing: 0 };
    const { runIndex } = await buildRunIndex(recordingIn(recordings), options);
    return new Moves(await createClient(recordings), runIndex);
  }

  constructor(client: Client, runIndex: RunIndex) {
    this.client = client;
    this.runIndex = runIndex;
  }

  async find(
    move: string,
    direction: 'forward' | 'backward' | undefined,
    from: Position,
    args: Record<string, number> = {},
  ): Promise<Position | undefined> {
    const { phases, count } = TaskGraph.of(this.runIndex);
    const wanted = { move, arguments: args, from: formatPosition(from, phases), ...(direction && { direction }) };
    const { found, isEdge, cursor } = await this.client.request('find', wanted);
    return found && isEdge !== true ? parsePosition(cursor.position, phases, count) : undefined;
  }

  /** All targets of a repeated move, in the order of the visits. */
  async all(move: string, direction: 'forward' | 'backward', from: Position): Promise<Position[]> {
    const found: Position[] = [];
    for (let at = await this.find(move, direction, from); at !== undefined; at = await this.find(move, direction, at))
      found.push(at);
    return found;
  }
}
