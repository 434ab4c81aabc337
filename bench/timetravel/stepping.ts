// Shared part of the benches of third-party debuggers: a recording with a turn of 100,000 statements, steps in the
// middle of it, and the time until the debugger is ready to step.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atMost, machineLine, progress, table, type Bar } from '../harness/report.ts';
import { BenchError } from '../harness/session.ts';
import { bundle } from '../harness/whole-run.ts';
import { recordLedger } from './recordings.ts';
import { percentile } from './move-times.ts';

/** Outcome of a step. */
export interface StepOutcome {
  readonly reason: string;
  readonly description: string | undefined;
}

/** A debugger paused in the recording. */
export interface BenchDebugger {
  /** Lists all tasks of the recording. */
  tasks(): Promise<readonly { readonly position: string; readonly statementLists: number }[]>;
  /** Returns whether the debugger arrived at the position. */
  moveTo(position: string): Promise<boolean>;
  forward(): Promise<StepOutcome>;
  back(): Promise<StepOutcome>;
  /** Resolves when the debugger's process has ended. */
  close(): Promise<void>;
}

export interface OpenedDebugger {
  readonly debugger: BenchDebugger;
  /** Milliseconds until the debugger was paused, in the order of the bench's `starts`. */
  readonly startTimes: readonly number[];
}

export interface SteppingBench {
  readonly name: string;
  readonly help: string;
  /** Names of the measured start times. */
  readonly starts: readonly string[];
  /** @param environment environment of the debugger's process */
  readonly open: (recording: string, environment: NodeJS.ProcessEnv) => Promise<OpenedDebugger>;
}

/** Limits in milliseconds. */
const STEP_LIMIT = 50;
const START_LIMIT = 2000;
const SIZE = { megabytes: 5, entries: 25_000, turns: 20 };
const WARMUP = 10;

/** Times that a user waits for one kind of operation. */
interface WaitTimes {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
  readonly limit: number;
}

function createWaitTimes(name: string, times: readonly number[], limit: number): WaitTimes {
  return { name, times: times.toSorted((a, b) => a - b), limit };
}

/** Moves to the middle of the turn with the most statements. */
async function moveToMiddle(client: BenchDebugger): Promise<void> {
  const longest = (await client.tasks()).reduce((one, other) =>
    other.statementLists > one.statementLists ? other : one,
  );
  const position = `${longest.position}:${Math.floor(longest.statementLists / 2)}.1`;
  if (!(await client.moveTo(position))) throw new BenchError('TT_BENCH_FAILURE', `${position} is not in the recording`);
}

async function timeSteps(
  client: BenchDebugger,
  name: string,
  step: () => Promise<StepOutcome>,
  maxCount: number,
): Promise<WaitTimes> {
  await moveToMiddle(client);
  const times: number[] = [];
  for (let i = -WARMUP; i < maxCount; i++) {
    const startedAt = performance.now();
    const { reason, description } = await step();
    if (i >= 0) times.push(performance.now() - startedAt);
    if (reason !== 'step') throw new BenchError('TT_BENCH_FAILURE', `a ${name} failed: ${description}`);
  }
  return createWaitTimes(name, times, STEP_LIMIT);
}

async function measure({ starts, open }: SteppingBench, isQuick: boolean): Promise<WaitTimes[]> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  try {
    await bundle();
    progress('a recording of a turn of 100,000 statements');
    const recording = await recordLedger(join(directory, 'ledger'), SIZE);
    const environment = { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: join(directory, 'cache') };
    const timeStart = async (): Promise<readonly number[]> => {
      const { debugger: client, startTimes } = await open(recording, environment);
      await client.close();
      return startTimes;
    };
    const first = await timeStart();
    progress(`    first opened in ${(Math.max(...first) / 1000).toFixed(1)} s`);
    const allStartTimes: (readonly number[])[] = [];
    for (let i = 0; i < (isQuick ? 2 : 5); i++) allStartTimes.push(await timeStart());
    const { debugger: client } = await open(recording, environment);
    const maxCount = isQuick ? 20 : 200;
    const stepped = [
      await timeSteps(client, 'step forward', () => client.forward(), maxCount),
      await timeSteps(client, 'step back', () => client.back(), maxCount),
    ];
    await client.close();
    const startRows = starts.map((name, i) =>
      createWaitTimes(
        name,
        allStartTimes.map((each) => each[i] ?? Number.NaN),
        START_LIMIT,
      ),
    );
    return [...stepped, ...startRows];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function steppingBench(bench: SteppingBench): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(bench.help);
  const machine = machineLine();
  const all = await measure(bench, values.quick);
  const bars: Bar[] = all.map((each) => atMost(`${each.name}, p95 ms`, percentile(each, 0.95), each.limit));
  if (values.json) {
    const rows = all.map(({ name, times }) => ({ name, times }));
    console.log(JSON.stringify({ bench: bench.name, machine, params: SIZE, rows, bars }));
    return;
  }
  const rows = all.map((each) => [
    each.name,
    String(each.times.length),
    ...[0.5, 0.95, 1].map((share) => percentile(each, share).toFixed(1)),
  ]);
  const barLines = bars.map(
    ({ what, value, limit, met }) => `${met ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(1)} (limit ${limit})`,
  );
  const header = ['', 'times', 'p50 ms', 'p95 ms', 'longest ms'];
  console.log([`bench:${bench.name}`, machine, '', table(header, rows), '', ...barLines].join('\n'));
}
