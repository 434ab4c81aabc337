// npm run bench:acmeair: Acme Air in seven setups side by side, two of them twice: latencies, the size of
// recordings, and how long two kinds of recorders take to restore a moment.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { interleave } from '../harness/interleaved.ts';
import { machineLine, progress, table, type Table } from '../harness/report.ts';
import { judgedBarText } from '../harness/verdict.ts';
import { kindsFigure, latencyFigure } from './figures.ts';
import { AirlineProcess, createLane, SETUPS, type AirlineEffort } from './lanes.ts';
import {
  judgeOutcomes,
  kindsTable,
  latencyTable,
  laneOutcomes,
  sharesTable,
  snapshotsTable,
  type LaneOutcome,
} from './outcome.ts';
import { reachTable } from './reach.ts';
import type { SnapshotSample } from './snapshots.ts';
import { traceShares, type TraceShare } from './traces.ts';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const HELP = `Acme Air in seven setups: ${SETUPS.filter(({ name }) => !name.endsWith('control'))
  .map(({ name, description }) => `\n  ${name.padEnd(10)} ${description}`)
  .join('')}

npm run bench:acmeair -- [options]
  --quick        less than a minute: small sizes, no verdicts, no figures
  --json         one JSON object on standard output instead of the tables
  --rounds N     new processes of each setup (4)
  --samples N    samples of each setup in a round (5); bars need 20 pairs
  --rate N       requests a second of the paced load (400)
  --help`;

interface Size extends AirlineEffort {
  readonly rounds: number;
  readonly samples: number;
  readonly warmup: number;
  /** Requests of the recordings whose traces are measured. */
  readonly traced: number;
  /** Seconds of load in recordings of the reach table, and the moments to restore, in seconds before its end. */
  readonly seconds: number;
  readonly secondsBeforeEnd: readonly number[];
}

const FULL: Size = {
  rounds: 4,
  samples: 5,
  warmup: 2,
  customers: 10_000,
  requests: 1500,
  pacedRequests: 800,
  rate: 400,
  traced: 10_000,
  seconds: 40,
  secondsBeforeEnd: [1, 5, 30],
};
const QUICK: Size = {
  rounds: 1,
  samples: 2,
  warmup: 1,
  customers: 100,
  requests: 300,
  pacedRequests: 60,
  rate: 300,
  traced: 500,
  seconds: 2,
  secondsBeforeEnd: [1],
};

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    samples: { type: 'string' },
    rate: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const defaults = values.quick ? QUICK : FULL;
  const { rounds = defaults.rounds, samples = defaults.samples, rate = defaults.rate } = values;
  const size: Size = { ...defaults, rounds: Number(rounds), samples: Number(samples), rate: Number(rate) };
  const machine = machineLine();
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(0);

  const taken = new Map<string, SnapshotSample[]>();
  const lanes = SETUPS.map((setup) =>
    createLane(setup, size, (snapshots) => {
      const snapshotsOfSetup = taken.get(setup.name);
      if (snapshotsOfSetup === undefined) taken.set(setup.name, [...snapshots]);
      else snapshotsOfSetup.push(...snapshots);
    }),
  );
  const abortController = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abortController.abort(signal));
  const measured = await interleave(lanes, size, {
    signal: abortController.signal,
    progress(done, of) {
      if (done % lanes.length === 0) progress(`${done} of ${of} samples, ${seconds()} s so far`);
    },
  });
  const byLoad = { closed: laneOutcomes(measured, 'closed'), paced: laneOutcomes(measured, 'paced') };
  const replayResults = await unlessAborted(abortController.signal, () => measureRecordings(size));
  const tables: Table[] = [
    latencyTable(byLoad.closed, 'closed'),
    latencyTable(byLoad.paced, 'paced'),
    kindsTable(byLoad.closed, 'closed'),
    snapshotsTable(taken),
    ...(replayResults === undefined ? [] : [sharesTable(replayResults.shares), replayResults.reach]),
  ];
  const bars = judgeOutcomes(byLoad, taken, replayResults?.shares ?? []);
  if (!values.quick) draw(byLoad.closed);
  const incomplete =
    replayResults === undefined ? { INCOMPLETE: `stopped by ${String(abortController.signal.reason)}` } : {};
  const params = { ...size, ...incomplete, moments: size.secondsBeforeEnd.join(' '), 'took s': seconds() };
  if (values.json) console.log(JSON.stringify({ bench: 'acmeair', machine, params, tables, bars }));
  else {
    const paramTexts = Object.entries(params).map(([name, value]) => `${name} ${String(value)}`);
    const sections = tables.flatMap(({ title, header, rows }) => [title, table(header, rows), '']);
    console.log(
      ['bench:acmeair', machine, paramTexts.join(', '), '', ...sections, ...bars.map(judgedBarText)].join('\n'),
    );
  }
  // An aborted measurement may still have processes running.
  if (replayResults === undefined) await AirlineProcess.endAll();
}

/** Measures trace sizes and the reach of recordings, which need no latencies. */
async function measureRecordings(size: Size): Promise<{ readonly shares: TraceShare[]; readonly reach: Table }> {
  const { customers, traced: requests } = size;
  const setupNames = values.quick ? ['traced', 'jardis'] : ['traced', 'both', 'jardis'];
  const shares = await traceShares(setupNames, { customers, requests }, progress);
  return { shares, reach: await reachTable({ ...size, progress }) };
}

/** Undefined if the signal is aborted before `run` or during it. */
async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  const done = run();
  // Aborting makes the abandoned run fail; that rejection is expected.
  done.catch(() => undefined);
  return Promise.race([done, aborted]);
}

function draw(outcomes: readonly LaneOutcome[]): void {
  const at = (name: string): LaneOutcome => outcomes.find((each) => each.name === name) as LaneOutcome;
  const series = ['plain', 'off', 'both', 'one loop', 'jardis'].map((name) => ({ name, latency: at(name).tally }));
  const comparisons = ['off control', 'traced', 'snapshots', 'both'].map((name) => ({
    name,
    latency: at(name).tally,
    base: at('off').tally,
  }));
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}acmeair-latencies.svg`, latencyFigure(series, 'Acme Air: requests by their latency'));
  writeFileSync(
    `${RESULTS}acmeair-kinds.svg`,
    kindsFigure(comparisons, 'Acme Air: mean latency relative to no recording'),
  );
}

if (values.help) console.log(HELP);
else await main();
