// npm run bench:timetravel: how long it takes to move in a recording, near and far, forward and back, and to read the
// variables there.

import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atMost, machineLine, progress, table, type Bar, type Table } from '../harness/report.ts';
import { bundle } from '../harness/whole-run.ts';
import { TimeMachineProcess } from './time-machine-process.ts';
import { LONG_FORMS, longTaskTimes } from './long-tasks.ts';
import { recordAirline, recordLedger, recordMany, type LoadSize } from './recordings.ts';
import {
  falseConditionTimes,
  lastWriteTimes,
  percentile,
  seekTimes,
  stepTimes,
  type MoveTimes,
  type Samples,
} from './move-times.ts';

const HELP = `how long it takes to move in a recording and to read the variables there: steps
and turns, in a turn of 100,000 statements; seeks in a recording of Acme Air;
finding the last write; and the cost of a breakpoint whose condition is false.
See bench:probes for the cost of being able to pause.

npm run bench:timetravel -- [options]
  --quick          less than a minute: smaller recordings, fewer samples
  --json           print one JSON object instead of the tables
  --only NAME      only steps, long, seek, conditions, writes or large (repeatable);
                   large runs only on request: a million turns, 10,000 actors,
                   200 MB of heap
  --recording DIR  use this recording of Acme Air instead of making one:
  --seconds N      seconds of load (60); 600 for the ten minutes of the bar
  --rate N         requests a second (100)
  --snapshots WHEN when to snapshot, as in turntable record (work=250ms)
  --help`;

interface Size extends LoadSize {
  readonly megabytes: readonly number[];
  readonly entries: number;
  readonly turns: number;
  readonly samples: Samples;
  readonly seeks: Samples;
  /** Seeks with a pause between them. */
  readonly looks: Samples;
  readonly writes: Samples;
  /** Number of hits whose condition is false. */
  readonly hits: number;
  readonly rounds: number;
  /** Numbers of statements of long tasks. */
  readonly longTasks: readonly number[];
}

const FULL: Size = {
  megabytes: [5, 50],
  entries: 25_000,
  turns: 60,
  samples: { maxCount: 200, warmup: 10, seconds: 20 },
  seeks: { maxCount: 40, warmup: 1, seconds: 60 },
  looks: { maxCount: 15, warmup: 1, seconds: 30 },
  writes: { maxCount: 20, warmup: 1, seconds: 6 },
  hits: 1_000_000,
  rounds: 3,
  longTasks: [1_000_000, 10_000_000],
  seconds: 60,
  rate: 100,
  customers: 1000,
  snapshots: 'work=250ms',
};
const QUICK: Size = {
  ...FULL,
  megabytes: [5],
  turns: 20,
  samples: { maxCount: 20, warmup: 2, seconds: 3 },
  seeks: { maxCount: 5, warmup: 0, seconds: 8 },
  looks: { maxCount: 3, warmup: 0, seconds: 8 },
  writes: { maxCount: 3, warmup: 0, seconds: 4 },
  hits: 100_000,
  rounds: 1,
  longTasks: [1_000_000],
  seconds: 3,
  customers: 100,
  snapshots: 'requests=100',
};
const LIMITS = { 'step forward': 10, 'step back': 50, 'turn back': 50 } as const;
const SEEK_LIMIT = 1000;
/** Pause between seeks, in milliseconds. */
const LOOK_MS = 1000;
const WRITE_LIMIT = 1000;
/** Expressions in the actor of ledger.ts: one that its turns write constantly, one written by its constructor. */
const WRITE_CASES = { 'just now': 'this.#sum', 'at the beginning': 'this.#data' } as const;
/** Limits of the first step in a task, in milliseconds, by its statements; and of the debugger's memory. */
const LONG_LIMITS: Readonly<Record<number, number>> = { 1_000_000: 1000, 10_000_000: 3000 };
const LONG_MEGABYTES = 200;
/** Limit per hit, in microseconds. */
const HIT_LIMIT = 1;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    only: { ...text, multiple: true, default: [] },
    recording: text,
    seconds: text,
    rate: text,
    snapshots: text,
  },
});

interface Outcome {
  readonly tables: Table[];
  readonly bars: Bar[];
}

const HEADER = ['', 'times', 'p50 ms', 'p95 ms', 'longest ms'];

function rowOf(moved: MoveTimes): string[] {
  const figures = [percentile(moved, 0.5), percentile(moved, 0.95), percentile(moved, 1)];
  return [moved.name, String(moved.times.length), ...figures.map((each) => each.toFixed(1))];
}

const ledgers = new Map<number, Promise<string>>();

/** Measures in recordings of the ledger, one for each size of the heap. */
async function measureInLedgers(
  directory: string,
  { megabytes: sizes, entries, turns }: Size,
  description: string,
  measure: (machine: TimeMachineProcess, name: string) => Promise<MoveTimes[]>,
): Promise<MoveTimes[]> {
  const all: MoveTimes[] = [];
  for (const megabytes of sizes) {
    const name = `${megabytes} MB`;
    progress(`${name}: ${description} a turn of ${entries * 4} statements`);
    if (!ledgers.has(megabytes))
      ledgers.set(megabytes, recordLedger(join(directory, name), { megabytes, entries, turns }));
    const machine = await TimeMachineProcess.open((await ledgers.get(megabytes)) as string, join(directory, 'cache'));
    try {
      const moved = await measure(machine, name);
      all.push(...moved);
      for (const each of moved) progress(`    ${rowOf(each).join('  ')}`);
    } finally {
      await machine.close();
    }
  }
  return all;
}

async function measureWrites(directory: string, size: Size, { tables, bars }: Outcome): Promise<void> {
  const all = await measureInLedgers(directory, size, 'last writes, in', (machine, name) =>
    lastWriteTimes(machine, name, WRITE_CASES, size.writes),
  );
  for (const moved of all) bars.push(atMost(`${moved.name}, p95 ms`, percentile(moved, 0.95), WRITE_LIMIT));
  tables.push({ title: 'last write', header: HEADER, rows: all.map(rowOf) });
}

async function measureSteps(directory: string, size: Size, { tables, bars }: Outcome): Promise<void> {
  const all = await measureInLedgers(directory, size, 'steps in', (machine, name) =>
    stepTimes(machine, name, size.samples),
  );
  for (const moved of all)
    for (const [moveName, limit] of Object.entries(LIMITS))
      if (moved.name.endsWith(moveName)) bars.push(atMost(`${moved.name}, p95 ms`, percentile(moved, 0.95), limit));
  tables.push({ title: 'steps, with reading the variables', header: HEADER, rows: all.map(rowOf) });
}

async function measureLongTasks(
  directory: string,
  { longTasks, rounds }: Size,
  { tables, bars }: Outcome,
): Promise<void> {
  const rows: string[][] = [];
  for (const statements of longTasks)
    for (const form of Object.keys(LONG_FORMS) as (keyof typeof LONG_FORMS)[]) {
      progress(`a task of ${statements} statements, ${LONG_FORMS[form]}`);
      const { first, megabytes } = await longTaskTimes(directory, form, statements, rounds);
      const median = percentile(first, 0.5);
      rows.push([...rowOf(first), megabytes.toFixed(0)]);
      progress(`    ${rows.at(-1)?.join('  ')}`);
      bars.push(
        atMost(`${first.name}, first step, ms`, median, LONG_LIMITS[statements] as number),
        atMost(`${first.name}, MB`, megabytes, LONG_MEGABYTES),
      );
    }
  tables.push({ title: 'the first step in a long task', header: [...HEADER, 'MB'], rows });
}

async function measureSeeks(directory: string, size: Size, { tables, bars }: Outcome): Promise<void> {
  const { seconds, rate, snapshots } = size;
  if (values.recording === undefined) progress(`Acme Air, ${seconds} s of load, ${rate} requests a second`);
  const recording = values.recording ?? (await recordAirline(join(directory, 'airline'), size));
  const cache = join(directory, 'cache');
  const opened = await TimeMachineProcess.open(recording, cache);
  await opened.close();
  const machine = await TimeMachineProcess.open(recording, cache);
  try {
    const { taskCount, startTime, endTime, phases } = machine.hello;
    const length = ((endTime - startTime) / 1000).toFixed(0);
    const name = `anywhere in ${length} s of Acme Air`;
    const moved = await seekTimes(machine, `${name}, back to back`, size.seeks);
    progress(`    ${rowOf(moved).join('  ')}`);
    const looked = await seekTimes(machine, `${name}, each after a pause of ${LOOK_MS / 1000} s`, size.looks, LOOK_MS);
    progress(`    ${rowOf(looked).join('  ')}`);
    tables.push(
      { title: 'seeks, with reading the variables', header: HEADER, rows: [moved, looked].map(rowOf) },
      {
        title: `the recording${values.recording === undefined ? `, with a snapshot at ${snapshots}` : ''}`,
        header: ['', 'tasks', 'snapshots', 'first open s', 'second open s'],
        rows: [
          [
            `${length} s`,
            ...[taskCount, phases.length - 1].map(String),
            ...[opened.openedMs, machine.openedMs].map((each) => (each / 1000).toFixed(1)),
          ],
        ],
      },
    );
    for (const each of [moved, looked])
      bars.push(atMost(`${each.name}, the longest of ${each.times.length}, ms`, percentile(each, 1), SEEK_LIMIT));
  } finally {
    await machine.close();
  }
}

async function measureConditions(directory: string, { hits, rounds }: Size, { tables, bars }: Outcome): Promise<void> {
  progress(`a condition that is false ${hits} times`);
  const recording = await recordLedger(join(directory, 'conditions'), { megabytes: 1, entries: hits, turns: 0 });
  const machine = await TimeMachineProcess.open(recording, join(directory, 'cache'));
  try {
    const { hit, noise, search } = await falseConditionTimes(machine, hits, rounds);
    tables.push({
      title: 'a breakpoint whose condition is false',
      header: ['', 'us a hit', 'noise us', 'search ms'],
      rows: [[`${hits} hits`, hit.toFixed(3), noise.toFixed(3), search.toFixed(0)]],
    });
    bars.push(atMost('a condition that is false, us a hit', hit, HIT_LIMIT));
  } finally {
    await machine.close();
  }
}

/** Time to open long recordings, and seeks in them. */
async function measureLarge(directory: string, { seeks: samples }: Size, { tables }: Outcome): Promise<void> {
  const rows: string[][] = [];
  const divisor = values.quick ? 10 : 1;
  const recorded: Readonly<Record<string, (recordings: string) => Promise<string>>> = {
    'a million turns': (recordings) => recordMany(recordings, 100, 1_000_000 / divisor),
    '10,000 actors': (recordings) => recordMany(recordings, 10_000 / divisor, 100_000 / divisor),
    '200 MB of heap': (recordings) =>
      recordLedger(recordings, { megabytes: 200 / divisor, entries: 25_000, turns: 60 }),
  };
  for (const [name, record] of Object.entries(recorded)) {
    progress(name);
    const recording = await record(join(directory, name));
    const cache = join(directory, 'cache');
    const first = await TimeMachineProcess.open(recording, cache);
    await first.close();
    const machine = await TimeMachineProcess.open(recording, cache);
    try {
      const { taskCount } = machine.hello;
      const opened = [first.openedMs, machine.openedMs].map((each) => (each / 1000).toFixed(1));
      const listMs = await timeOf(() => machine.request('tasks', { from: 1, count: 1000, actor: 'NoSuchActor*' }));
      const moved = await seekTimes(machine, name, { ...samples, maxCount: 10 });
      rows.push([
        name,
        String(taskCount),
        ...opened,
        machine.megabytes.toFixed(0),
        listMs.toFixed(0),
        ...[0.5, 1].map((share) => percentile(moved, share).toFixed(0)),
      ]);
      progress(`    ${rows.at(-1)?.join('  ')}`);
    } finally {
      await machine.close();
    }
  }
  tables.push({
    title: 'large recordings',
    header: ['', 'tasks', 'first open s', 'second open s', 'MB', 'list by name ms', 'seek p50 ms', 'longest ms'],
    rows,
  });
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

const MEASURES = {
  steps: measureSteps,
  long: measureLongTasks,
  seek: measureSeeks,
  conditions: measureConditions,
  writes: measureWrites,
  large: measureLarge,
};

async function main(): Promise<void> {
  const defaults = values.quick ? QUICK : FULL;
  const { seconds = defaults.seconds, rate = defaults.rate, snapshots = defaults.snapshots } = values;
  const size: Size = { ...defaults, seconds: Number(seconds), rate: Number(rate), snapshots };
  const machine = machineLine();
  const startedAt = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  const outcome: Outcome = { tables: [], bars: [] };
  const failures: string[] = [];
  const print = (incomplete?: string): void => {
    const elapsedSeconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    const { megabytes, turns, hits, customers } = size;
    const params = {
      megabytes: megabytes.join(' '),
      turns,
      hits,
      seconds: size.seconds,
      rate: size.rate,
      customers,
      snapshots,
      ...(incomplete === undefined ? {} : { incomplete }),
      'took s': elapsedSeconds,
    };
    const { tables, bars } = outcome;
    if (values.json)
      return console.log(JSON.stringify({ bench: 'timetravel', machine, params, tables, bars, failures }));
    const paramTexts = Object.entries(params).map(([name, value]) => `${name} ${String(value)}`);
    const sections = tables.flatMap(({ title, header, rows }) => [title, table(header, rows), '']);
    const lines = bars.map(
      (bar) => `${bar.met ? 'met   ' : 'MISSED'} ${bar.what}: ${bar.value.toFixed(3)} (limit ${bar.limit})`,
    );
    console.log(
      ['bench:timetravel', machine, paramTexts.join(', '), '', ...sections, ...failures, ...lines].join('\n'),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      print(`stopped by ${signal}`);
      rmSync(directory, { recursive: true, force: true });
      process.exit(128 + constants.signals[signal]);
    });
  try {
    await bundle();
    for (const [name, measure] of Object.entries(MEASURES)) {
      if (values.only.length > 0 ? !values.only.includes(name) : name === 'large') continue;
      try {
        await measure(directory, size, outcome);
      } catch (error) {
        failures.push(`FAILED ${name}: ${error instanceof Error ? error.message : String(error)}`);
        progress(`    ${failures.at(-1)}`);
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  print();
  if (failures.length > 0) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
