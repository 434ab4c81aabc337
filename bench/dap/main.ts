// npm run bench:dap: how long an editor waits for the debugger of recordings: from a step to where it has led, forward and back, and from the start of a session to its first stop.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WireClient } from '../../test/dap/wire-client.ts';
import { atMost, machineLine, table, type Bar } from '../harness/report.ts';
import { BenchError } from '../harness/session.ts';
import { bundle, PUBLISHED } from '../harness/whole-run.ts';
import { recordLedger } from '../timetravel/recordings.ts';
import { percentile, type Moved } from '../timetravel/travelling.ts';

const HELP = `How long an editor waits for the debugger of recordings: from a step to the stopped event, forward and back, in a turn of 100,000 statements; and from the start of a session to its first
stop, in a recording that was looked at before.

npm run bench:dap -- [options]
  --quick   fewer samples
  --json    one JSON object on standard output instead of the table
  --help`;

/** Milliseconds. */
const STEP_LIMIT = 50;
const START_LIMIT = 2000;
const SIZE = { megabytes: 5, entries: 25_000, turns: 20 };
const WARMUP = 10;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Opened {
  readonly client: WireClient;
  /** Milliseconds until all stood still. */
  readonly took: number;
  close(): Promise<void>;
}

async function open(recording: string, cache: string): Promise<Opened> {
  const began = performance.now();
  const child = spawn(process.execPath, [...PUBLISHED, 'dap'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: cache },
  });
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const client = new WireClient(child.stdout, child.stdin);
  await client.request('initialize', { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true });
  await client.request('launch', { recording });
  await client.event('initialized');
  await client.request('configurationDone');
  await client.event('stopped');
  const took = performance.now() - began;
  const close = async (): Promise<void> => {
    await client.request('disconnect');
    await ended;
  };
  return { client, took, close };
}

/** Into the midst of the turn that has most statements. */
async function toMidst(client: WireClient): Promise<void> {
  const asked = await client.request('turntable/ask', { method: 'stretches', params: { from: 1, count: 1000 } });
  const stretches = asked['stretches'] as unknown as { position: string; lists: number }[];
  const longest = stretches.reduce((one, other) => (other.lists > one.lists ? other : one));
  const position = `${longest.position}:${Math.floor(longest.lists / 2)}.1`;
  const landed = await client.request('turntable/move', { move: 'position', arguments: { position } });
  if (!(landed['found'] as unknown as boolean)) throw new BenchError('TT_BENCH_FAILURE', `${position} is not there`);
  await client.event('stopped');
}

async function steps(client: WireClient, name: string, command: string, most: number): Promise<Moved> {
  await toMidst(client);
  const times: number[] = [];
  for (let i = -WARMUP; i < most; i++) {
    const began = performance.now();
    client.send(command, { granularity: 'statement' });
    const stopped = await client.event('stopped');
    if (i >= 0) times.push(performance.now() - began);
    if (String(stopped['reason']) !== 'step')
      throw new BenchError('TT_BENCH_FAILURE', `${command} has led nowhere: ${String(stopped['description'])}`);
  }
  return { name, times: times.toSorted((a, b) => a - b) };
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const machine = machineLine();
  const room = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  const most = values.quick ? 20 : 200;
  const moved: Moved[] = [];
  const starts: number[] = [];
  try {
    await bundle();
    progress('a recording of a turn of 100,000 statements');
    const recording = await recordLedger(join(room, 'ledger'), SIZE);
    const cache = join(room, 'cache');
    const first = await open(recording, cache);
    await first.close();
    progress(`    opened the first time in ${(first.took / 1000).toFixed(1)} s`);
    for (let i = 0; i < (values.quick ? 2 : 5); i++) {
      const again = await open(recording, cache);
      starts.push(again.took);
      await again.close();
    }
    const { client, close } = await open(recording, cache);
    moved.push(await steps(client, 'step forward', 'next', most), await steps(client, 'step back', 'stepBack', most));
    await close();
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
  moved.push({ name: 'start to first stop', times: starts.toSorted((a, b) => a - b) });
  const limits = [STEP_LIMIT, STEP_LIMIT, START_LIMIT];
  const bars: Bar[] = moved.map((each, i) => atMost(`${each.name}, p95 ms`, percentile(each, 0.95), limits[i] ?? 0));
  if (values.json) {
    console.log(JSON.stringify({ bench: 'dap', machine, params: SIZE, rows: moved, bars }));
    return;
  }
  const rows = moved.map((each) => [
    each.name,
    String(each.times.length),
    ...[0.5, 0.95, 1].map((share) => percentile(each, share).toFixed(1)),
  ]);
  const told = bars.map(
    ({ what, value, limit, met }) => `${met ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(1)} (limit ${limit})`,
  );
  console.log(
    ['bench:dap', machine, '', table(['', 'times', 'p50 ms', 'p95 ms', 'longest ms'], rows), '', ...told].join('\n'),
  );
}

if (values.help) console.log(HELP);
else await main();
