// npm run bench:transport: messages from one thread to another, compared with Node's. `--quick`: fewer messages, less
// than a minute.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import { atMost, type Bar } from '../harness/report.ts';
import { BenchError, processVariant } from '../harness/session.ts';
import { PAYLOADS } from './payloads.ts';
import type { Comparison, RowResult } from '../harness/comparison.ts';
import type { TransportOrder } from './program.ts';

const FILE = fileURLToPath(new URL('./program.ts', import.meta.url));
const FLAGS = ['-C', 'turntable-source'];
/** Ten times as many messages as with single postMessage calls. */
const ONE_WAY_LIMIT = 0.1;
const SMALL = ['3 numbers', '200 B record'];
/** Limit in milliseconds. */
const LATENESS_LIMIT = 5;

function row(work: TransportOrder['work'], payload: string, part: number): Comparison {
  const methods =
    work === 'one-way' ? (['postMessage', 'arrays of 100', 'ring'] as const) : (['postMessage', 'ring'] as const);
  return {
    name: `${work}, ${payload}`,
    variants: methods.map((method) => {
      const order: TransportOrder = { method, work, payload, policy: 'chosen', part };
      return processVariant({ name: method, file: FILE, args: [JSON.stringify(order)], execArgv: FLAGS });
    }),
  };
}

/** 99th percentile of the lateness of a 1 ms timer of the receiver during a flood of messages. */
function lateness(method: TransportOrder['method'], part: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const order: TransportOrder = { method, work: 'lateness', payload: '3 numbers', policy: 'chosen', part };
    const child = fork(FILE, [JSON.stringify(order)], { execArgv: FLAGS });
    child.on('message', ({ p99 }: { p99: number }) => resolve(p99));
    child.on('exit', (code) => {
      if (code !== 0) reject(new BenchError('TT_BENCH_PROCESS', `measuring lateness ended with code ${code}`));
    });
  });
}

const shouldMeasure = !process.argv.includes('--help') && !process.argv.includes('--only');
const part = process.argv.includes('--quick') ? 0.4 : 1;
const latenessBars = shouldMeasure
  ? [atMost("receiver's 1 ms timer late under a flood, p99 ms", await lateness('ring', part), LATENESS_LIMIT)]
  : [];
if (shouldMeasure)
  process.stderr.write(`the same with postMessage: ${(await lateness('postMessage', part)).toFixed(1)}\n`);

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = rows
    .filter(({ name }) => SMALL.some((payload) => name === `one-way, ${payload}`))
    .map((each) =>
      atMost(`${each.name}, ring / postMessage`, each.ratios['ring']?.median ?? Number.NaN, ONE_WAY_LIMIT),
    );
  for (const { name, medians } of rows) {
    const [work, payload = ''] = name.split(', ');
    const { count, roundTrips } = PAYLOADS[payload]!;
    const rate = Object.entries(medians).map(([method, ms]) =>
      work === 'one-way'
        ? `${method} ${((count * part) / ms).toFixed(1)} k/s`
        : `${method} ${((ms * 1000) / (roundTrips * part)).toFixed(1)} µs`,
    );
    process.stderr.write(`${name}: ${rate.join(', ')}\n`);
  }
  return { summaries: [], bars: [...bars, ...latenessBars] };
}

const bench: Bench = {
  name: 'transport',
  description: 'messages from one thread to another: one way, round trips, and lateness of timers of the receiver',
  effort: { full: { rounds: 3, samples: 7, warmup: 3 }, quick: { rounds: 1, samples: 4, warmup: 2 } },
  rows: () =>
    (['one-way', 'round trip'] as const).flatMap((work) =>
      Object.keys(PAYLOADS).map((payload) => row(work, payload, part)),
    ),
  judge,
};

await runBench(bench, process.argv.slice(2));
