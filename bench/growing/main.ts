// npm run bench:growing: a Fastify service whose state grows with every request, as it is, recorded with traces, and with
// snapshots every ten seconds as well. Its requests arrive at a fixed rate.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listRecordings, openRecording } from '@turntable/recording';
import { latencyOf } from '../acmeair/tally.ts';
import { atMost, machineLine, reportJson, table, type Bar } from '../harness/report.ts';
import { BenchService } from '../harness/service.ts';
import { sendRequests } from './load.ts';

const SERVICE = fileURLToPath(new URL('./service.ts', import.meta.url));
const REGISTER = ['--import', 'turntable/register'];
const LANES = ['none', 'traces', 'snapshots'] as const;
const ORDERS_PER_REQUEST = 4;
const RATE = 400;
/** Interval of polls of the process's memory. */
const POLL_MS = 100;
/** Limit of the share of the time in snapshots, in percent. */
const MAX_SHARE = 1;

const HELP = `a Fastify service whose state grows with every request: not recorded, recorded with
traces, and with snapshots at an interval as well

npm run bench:growing -- [options]
  --quick        less than a minute: fewer orders, shorter interval
  --json         one JSON object on standard output instead of the table
  --orders N     orders at the end (142000)
  --interval T   interval of snapshots (10s)
  --only LANE    ${LANES.join(', ')} (repeatable)
  --help`;

interface LaneResult {
  readonly lane: string;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** CPU milliseconds per request. */
  readonly cpu: number;
  /** Peak memory in MiB. */
  readonly memory: number;
  readonly snapshots: number;
  /** Longest pause for a snapshot in milliseconds. */
  readonly longest: number;
  /** Share of the time in snapshots, in percent. */
  readonly share: number;
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    orders: { type: 'string' },
    interval: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
});

const abortController = new AbortController();

async function measure(lane: (typeof LANES)[number], orders: number, interval: string): Promise<LaneResult> {
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  const recorded = { TURNTABLE_RECORDINGS: recordings, TURNTABLE_TRACE: '1' };
  const service = await BenchService.start({
    file: SERVICE,
    execArgv: lane === 'none' ? [] : REGISTER,
    env: {
      ...(lane !== 'none' && recorded),
      ...(lane === 'snapshots' && { TURNTABLE_SNAPSHOTS: `every=${interval}` }),
    },
  });
  const done = new AbortController();
  let memory = 0;
  let cpu = 0;
  const poll = async (): Promise<void> => {
    const usage = await service.usage();
    memory = Math.max(memory, usage.rss / 2 ** 20);
    cpu += usage.cpu;
  };
  const pollUntilDone = async (): Promise<void> => {
    while (!done.signal.aborted) {
      await poll();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  let polls: Promise<void> | undefined;
  try {
    await poll();
    cpu = 0;
    polls = pollUntilDone();
    const requests = Math.ceil(orders / ORDERS_PER_REQUEST);
    const milliseconds = await sendRequests({
      url: `${service.url}/orders`,
      body: JSON.stringify(cartsOfOneRequest()),
      requests,
      rate: RATE,
      signal: abortController.signal,
    });
    done.abort();
    await polls;
    const pauses = lane === 'snapshots' ? pausesIn(recordings) : [];
    const { p50, p99, max } = latencyOf(milliseconds);
    return {
      lane,
      p50,
      p99,
      max,
      cpu: cpu / requests,
      memory,
      snapshots: pauses.length,
      longest: Math.max(0, ...pauses.map(({ longest }) => longest)),
      share: shareOf(pauses),
    };
  } finally {
    done.abort();
    await polls;
    await service.stop();
    rmSync(recordings, { recursive: true, force: true });
  }
}

function cartsOfOneRequest(): object {
  const cart = Array.from({ length: 3 }, (_, i) => ({ sku: `sku ${i}`, quantity: i + 1 }));
  return { customer: 'Ada', carts: Array.from({ length: ORDERS_PER_REQUEST }, () => cart) };
}

interface Pause {
  /** Time of the snapshot, in milliseconds since 1970. */
  readonly time: number;
  readonly total: number;
  readonly longest: number;
}

/** Pauses of the main thread for each snapshot. */
function pausesIn(recordings: string): Pause[] {
  const [latest] = listRecordings(recordings);
  if (latest === undefined) return [];
  const recording = openRecording(latest.directory);
  return recording.snapshots().map(({ phase, time }) => {
    using snapshot = recording.readSnapshot(phase);
    const { pauses } = snapshot.meta as { readonly pauses: Record<string, { total: number; longest: number }> };
    return { time, ...(pauses['0'] ?? { total: 0, longest: 0 }) };
  });
}

/** Percentage of the time that snapshots take: each pause counts with the time until the next snapshot. */
function shareOf(pauses: readonly Pause[]): number {
  const [first, last] = [pauses[0], pauses.at(-1)];
  if (first === undefined || last === undefined || first === last) return 0;
  const paused = pauses.slice(0, -1).reduce((sum, { total }) => sum + total, 0);
  return (100 * paused) / (last.time - first.time);
}

async function main(): Promise<void> {
  const orders = Number(values.orders ?? (values.quick ? 8000 : 142_000));
  const interval = values.interval ?? (values.quick ? '1s' : '10s');
  const machine = machineLine();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abortController.abort(signal));
  const results: LaneResult[] = [];
  const lanes = LANES.filter((lane) => values.only.length === 0 || values.only.includes(lane));
  for (const lane of lanes) {
    if (abortController.signal.aborted) break;
    process.stderr.write(`${lane}\n`);
    results.push(await measure(lane, orders, interval));
  }
  const incomplete = abortController.signal.aborted ? { incomplete: String(abortController.signal.reason) } : {};
  const params = { orders, interval, 'requests/s': RATE };
  const snapshots = results.find(({ lane }) => lane === 'snapshots');
  const bars: Bar[] =
    snapshots === undefined ? [] : [atMost('share of the time in snapshots, percent', snapshots.share, MAX_SHARE)];
  const header = ['', 'p50 ms', 'p99', 'max', 'CPU ms', 'memory MiB', 'snapshots', 'longest ms', 'share %'];
  const rows = results.map(({ lane, p50, p99, max, cpu, memory, snapshots: count, longest, share }) => [
    lane,
    p50.toFixed(1),
    p99.toFixed(1),
    max.toFixed(0),
    cpu.toFixed(2),
    memory.toFixed(0),
    String(count),
    longest.toFixed(0),
    share.toFixed(2),
  ]);
  if (values.json) {
    const tables = [{ title: 'lanes', header, rows }];
    const report = { bench: 'growing', machine, params, rows: [], summaries: [], bars, tables, failures: [] };
    console.log(reportJson({ ...report, ...incomplete }));
  } else {
    const paramTexts = Object.entries({ ...params, ...incomplete }).map(([name, value]) => `${name} ${String(value)}`);
    const barLines = bars.map(
      ({ what, value, limit, met }) => `${met ? 'met' : 'MISSED'} ${what}: ${value.toFixed(2)} (limit ${limit})`,
    );
    console.log(['bench:growing', machine, paramTexts.join(', '), '', table(header, rows), '', ...barLines].join('\n'));
  }
}

if (values.help) console.log(HELP);
else await main();
