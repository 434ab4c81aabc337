// npm run soak: see USAGE. A failure prints its seed and keeps the directory of its run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { latencyOf } from '../../bench/acmeair/tally.ts';
import { table } from '../../bench/harness/report.ts';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import { createSubjects, type SoakRun } from './soak-subjects.ts';

const USAGE = `Usage: npm run soak -- [--minutes 10] [--seed 1] [--only NAME] [options]

Records services and programs, one after the other: killed under load, with a
full disk, with dying workers, with races. Opens each recording, replays it,
moves through it and restores its last snapshot. Ends with a table, and with exit
code 1 if anything was wrong or a limit was missed.

  --minutes N    duration; the last run may take a minute longer (10)
  --seed N       seed of the first run (1)
  --only NAME    only subjects with NAME in their names
  --rate N       requests per second to services that are killed (200)
  --replays N    replays of each recording, which must have one verdict (2)
  --json         print one line of JSON instead of the table`;

const OPTIONS = {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  rate: { type: 'string', default: '200' },
  replays: { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Limits of the oldest loss when responses do not wait. */
const MAX_P99_LOSS_MS = 10;
const MAX_LOSS_MS = 50;
const USAGE_ERROR = 2;
/** Number of runs between two lines of progress where there is no terminal. */
const PROGRESS_INTERVAL = 10;

interface Row {
  readonly subject: string;
  readonly runs: number;
  readonly failed: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly lossP99Ms: number;
  readonly lossMaxMs: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly p99Ms: number;
  readonly peakMb: number;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function summarize(subject: string, runs: readonly SoakRun[]): Row {
  const losses = latencyOf(runs.flatMap(({ oldestLossMs }) => oldestLossMs ?? []));
  const latency = latencyOf(runs.flatMap(({ latenciesMs = [] }) => latenciesMs));
  const verdicts: Record<string, number> = {};
  for (const verdict of runs.flatMap((run) => run.verdicts ?? [])) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return {
    subject,
    runs: runs.length,
    failed: runs.filter(({ problems }) => problems.length > 0).length,
    acknowledged: sum(runs.map(({ acknowledged = 0 }) => acknowledged)),
    lost: sum(runs.map(({ lost = 0 }) => lost)),
    lossP99Ms: losses.count === 0 ? 0 : losses.p99,
    lossMaxMs: losses.count === 0 ? 0 : losses.max,
    verdicts,
    p99Ms: latency.count === 0 ? 0 : latency.p99,
    peakMb: Math.max(0, ...runs.map(({ peakMb = 0 }) => peakMb)),
  };
}

/** What a subject must not do, apart from failed runs. */
function missedLimits({ subject, lost, lossP99Ms, lossMaxMs }: Row): string[] {
  if (subject.includes('reply')) return lost > 0 ? [`${subject}: ${lost} acknowledged requests lost`] : [];
  return [
    ...(lossP99Ms > MAX_P99_LOSS_MS ? [`${subject}: oldest loss, p99: ${lossP99Ms.toFixed(1)} ms`] : []),
    ...(lossMaxMs > MAX_LOSS_MS ? [`${subject}: oldest loss, maximum: ${lossMaxMs.toFixed(1)} ms`] : []),
  ];
}

function tableOf(rows: readonly Row[]): string {
  const header = ['', 'runs', 'failed', 'acknowledged', 'lost', 'oldest ms p99/max', 'verdicts', 'p99 ms', 'peak MB'];
  const cells = rows.map((row) => [
    row.subject,
    String(row.runs),
    String(row.failed),
    String(row.acknowledged),
    String(row.lost),
    `${row.lossP99Ms.toFixed(1)} / ${row.lossMaxMs.toFixed(1)}`,
    Object.entries(row.verdicts)
      .map(([verdict, count]) => `${verdict} ${count}`)
      .join(', '),
    row.p99Ms.toFixed(1),
    row.peakMb.toFixed(0),
  ]);
  return table(header, cells);
}

const { values } = parseArgs({ options: OPTIONS });

async function soak(): Promise<void> {
  const [minutes, firstSeed, requestsPerSecond, replays] = [
    values.minutes,
    values.seed,
    values.rate,
    values.replays,
  ].map(Number) as [number, number, number, number];
  const subjects = createSubjects({ requestsPerSecond, replays }).filter(({ name }) => name.includes(values.only));
  if (subjects.length === 0 || !(minutes > 0) || !Number.isSafeInteger(firstSeed)) {
    console.error(
      `${subjects.length === 0 ? `no subject has "${values.only}" in its name` : 'wrong number'}\n\n${USAGE}`,
    );
    process.exitCode = USAGE_ERROR;
    return;
  }
  const until = Date.now() + minutes * 60_000;
  console.error(`about ${minutes} minutes, until ${new Date(until).toLocaleTimeString()}; Ctrl-C ends after this run`);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const runs = new Map<string, SoakRun[]>(subjects.map(({ name }) => [name, []]));
  for (let seed = firstSeed; Date.now() < until && !interrupted.signal.aborted; seed++) {
    const subject = subjects[seed % subjects.length] as (typeof subjects)[number];
    const directory = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
    const run = await subject
      .run(seed, directory, seededRandom(seed))
      .catch((error: unknown): SoakRun => ({ problems: [String(error)] }));
    runs.get(subject.name)?.push(run);
    const { problems } = run;
    if (problems.length === 0) rmSync(directory, { recursive: true });
    else
      console.error(
        `FAILED ${subject.name}, in ${directory}; again: npm run soak -- --seed ${seed} --minutes 0.01${values.only === '' ? '' : ` --only '${values.only}'`}\n  ${problems.map((each) => each.slice(0, 2000)).join('\n  ')}`,
      );
    const count = seed - firstSeed + 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${count} runs, the last: ${subject.name}\u{1b}[K`);
    else if (count % PROGRESS_INTERVAL === 0) console.error(`${count} runs`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u{1b}[K');
  const rows = subjects.map(({ name }) => summarize(name, runs.get(name) as SoakRun[]));
  const missed = rows.flatMap(missedLimits);
  if (values.json)
    console.log(JSON.stringify({ soak: { minutes, seed: firstSeed, requestsPerSecond, replays }, rows, missed }));
  else console.log(tableOf(rows));
  for (const each of missed) console.error(`missed: ${each}`);
  if (missed.length > 0 || rows.some(({ failed }) => failed > 0)) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else await soak();
