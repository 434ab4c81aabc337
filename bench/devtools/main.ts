// npm run bench:devtools: how long Chrome DevTools wait for a recording: from a step to where it has led, forward and back, and from the connection to the first pause.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { CdpClient } from '../../test/devtools/cdp-client.ts';
import { atMost, machineLine, table, type Bar } from '../harness/report.ts';
import { BenchError } from '../harness/session.ts';
import { bundle, PUBLISHED } from '../harness/whole-run.ts';
import { recordLedger } from '../timetravel/recordings.ts';
import { percentile, type Moved } from '../timetravel/travelling.ts';

const HELP = `How long Chrome DevTools wait for a recording: from a step to Debugger.paused with all frames, forward and back, in a turn of 100,000 statements; and from the connection to the first
pause, and from the start of the command to it, in a recording that was looked at before.

npm run bench:devtools -- [options]
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

interface Serving {
  readonly child: ChildProcess;
  readonly address: string;
}

async function serve(recording: string, cache: string): Promise<Serving> {
  const child = spawn(process.execPath, [...PUBLISHED, 'devtools', recording], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: cache },
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('ws://')) return { child, address: line };
  throw new BenchError('TT_BENCH_FAILURE', 'turntable devtools has told no address');
}

async function stop({ child }: Serving): Promise<void> {
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  child.kill('SIGTERM');
  await ended;
}

/** Into the midst of the turn that has most statements. */
async function toMidst(client: CdpClient): Promise<void> {
  const { stretches } = await client.request<{ stretches: { position: string; lists: number }[] }>(
    'TimeTravel.positions',
    { from: 1, count: 1000 },
  );
  const longest = stretches.reduce((one, other) => (other.lists > one.lists ? other : one));
  const position = `${longest.position}:${Math.floor(longest.lists / 2)}.1`;
  const { data } = await client.go('TimeTravel.goto', { position });
  if (data.position !== position) throw new BenchError('TT_BENCH_FAILURE', `${position} is not there`);
}

async function steps(client: CdpClient, name: string, command: string, most: number): Promise<Moved> {
  await toMidst(client);
  const times: number[] = [];
  for (let i = -WARMUP; i < most; i++) {
    const began = performance.now();
    const { reason, data } = await client.go(command);
    if (i >= 0) times.push(performance.now() - began);
    if (reason !== 'step') throw new BenchError('TT_BENCH_FAILURE', `${command} has led nowhere: ${data.description}`);
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
  const [starts, attached]: [number[], number[]] = [[], []];
  try {
    await bundle();
    progress('a recording of a turn of 100,000 statements');
    const recording = await recordLedger(join(room, 'ledger'), SIZE);
    const cache = join(room, 'cache');
    await stop(await serve(recording, cache));
    for (let i = 0; i < (values.quick ? 2 : 5); i++) {
      const began = performance.now();
      const again = await serve(recording, cache);
      const listening = performance.now();
      const client = await CdpClient.at(again.address);
      await client.begin();
      attached.push(performance.now() - listening);
      starts.push(performance.now() - began);
      client.close();
      await stop(again);
    }
    const serving = await serve(recording, cache);
    const client = await CdpClient.at(serving.address);
    await client.begin();
    moved.push(
      await steps(client, 'step forward', 'Debugger.stepOver', most),
      await steps(client, 'step back', 'TimeTravel.stepBack', most),
    );
    client.close();
    await stop(serving);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
  for (const [name, times] of [
    ['connection to first pause', attached],
    ['start to first pause', starts],
  ] as const)
    moved.push({ name, times: times.toSorted((a, b) => a - b) });
  const limits = [STEP_LIMIT, STEP_LIMIT, START_LIMIT, START_LIMIT];
  const bars: Bar[] = moved.map((each, i) => atMost(`${each.name}, p95 ms`, percentile(each, 0.95), limits[i] ?? 0));
  if (values.json) {
    console.log(JSON.stringify({ bench: 'devtools', machine, params: SIZE, rows: moved, bars }));
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
    ['bench:devtools', machine, '', table(['', 'times', 'p50 ms', 'p95 ms', 'longest ms'], rows), '', ...told].join(
      '\n',
    ),
  );
}

if (values.help) console.log(HELP);
else await main();
