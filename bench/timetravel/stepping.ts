// What benches of debuggers have in common that others have made: a recording of a turn of 100,000 statements, steps in its midst, and how long it takes until somebody can make one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atMost, machineLine, progress, table, type Bar } from '../harness/report.ts';
import { BenchError } from '../harness/session.ts';
import { bundle } from '../harness/whole-run.ts';
import { recordLedger } from './recordings.ts';
import { percentile } from './travelling.ts';

/** Where a step has led. */
export interface Stepped {
  readonly reason: string;
  readonly description: string | undefined;
}

/** A debugger that stands in the recording. */
export interface Debugger {
  /** All stretches that there are. */
  stretches(): Promise<readonly { readonly position: string; readonly lists: number }[]>;
  /** Whether it is there then. */
  goTo(position: string): Promise<boolean>;
  forward(): Promise<Stepped>;
  back(): Promise<Stepped>;
  /** Until nothing of it is left. */
  close(): Promise<void>;
}

export interface Opened {
  readonly debugger: Debugger;
  /** Milliseconds until all stood still, in the order of the bench's `starts`. */
  readonly took: readonly number[];
}

export interface SteppingBench {
  readonly name: string;
  readonly help: string;
  /** What somebody waits for until all stand still. */
  readonly starts: readonly string[];
  /** @param environment of its process */
  readonly open: (recording: string, environment: NodeJS.ProcessEnv) => Promise<Opened>;
}

/** Milliseconds. */
const STEP_LIMIT = 50;
const START_LIMIT = 2000;
const SIZE = { megabytes: 5, entries: 25_000, turns: 20 };
const WARMUP = 10;

/** What somebody waits for. */
interface Waited {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
  readonly limit: number;
}

function waited(name: string, times: readonly number[], limit: number): Waited {
  return { name, times: times.toSorted((a, b) => a - b), limit };
}

/** Into the midst of the turn that has most statements. */
async function toMidst(its: Debugger): Promise<void> {
  const longest = (await its.stretches()).reduce((one, other) => (other.lists > one.lists ? other : one));
  const position = `${longest.position}:${Math.floor(longest.lists / 2)}.1`;
  if (!(await its.goTo(position))) throw new BenchError('TT_BENCH_FAILURE', `${position} is not there`);
}

async function steps(its: Debugger, name: string, step: () => Promise<Stepped>, most: number): Promise<Waited> {
  await toMidst(its);
  const times: number[] = [];
  for (let i = -WARMUP; i < most; i++) {
    const began = performance.now();
    const { reason, description } = await step();
    if (i >= 0) times.push(performance.now() - began);
    if (reason !== 'step') throw new BenchError('TT_BENCH_FAILURE', `a ${name} has led nowhere: ${description}`);
  }
  return waited(name, times, STEP_LIMIT);
}

async function measured({ starts, open }: SteppingBench, isQuick: boolean): Promise<Waited[]> {
  const room = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  try {
    await bundle();
    progress('a recording of a turn of 100,000 statements');
    const recording = await recordLedger(join(room, 'ledger'), SIZE);
    const environment = { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: join(room, 'cache') };
    const opened = async (): Promise<readonly number[]> => {
      const { debugger: its, took } = await open(recording, environment);
      await its.close();
      return took;
    };
    const first = await opened();
    progress(`    opened the first time in ${(Math.max(...first) / 1000).toFixed(1)} s`);
    const took: (readonly number[])[] = [];
    for (let i = 0; i < (isQuick ? 2 : 5); i++) took.push(await opened());
    const { debugger: its } = await open(recording, environment);
    const most = isQuick ? 20 : 200;
    const stepped = [
      await steps(its, 'step forward', () => its.forward(), most),
      await steps(its, 'step back', () => its.back(), most),
    ];
    await its.close();
    const began = starts.map((name, i) =>
      waited(
        name,
        took.map((each) => each[i] ?? Number.NaN),
        START_LIMIT,
      ),
    );
    return [...stepped, ...began];
  } finally {
    rmSync(room, { recursive: true, force: true });
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
  const all = await measured(bench, values.quick);
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
  const told = bars.map(
    ({ what, value, limit, met }) => `${met ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(1)} (limit ${limit})`,
  );
  const header = ['', 'times', 'p50 ms', 'p95 ms', 'longest ms'];
  console.log([`bench:${bench.name}`, machine, '', table(header, rows), '', ...told].join('\n'));
}
