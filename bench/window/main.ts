// npm run bench:window: how long the window takes to open, to follow a move and to paint a frame of its timeline, and
// how much memory it uses.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../../apps/debugger/test/chromium.ts';
import { chromiumPath } from '../../examples/acmeair/test/chromium-path.ts';
import { atMost, machineLine, reportJson, reportText, type Bar, type Report } from '../harness/report.ts';
import { bundle } from '../harness/whole-run.ts';
import { recordAirline, recordMany } from '../timetravel/recordings.ts';
import {
  frameTimes,
  moveToPercentage,
  rendererMegabytes,
  openPage,
  DebugPageServer,
  timeSettled,
  type FrameTimes,
  type OpeningTimes,
} from './window-page.ts';

const HELP = `how long the window takes in a browser: to its first paint, to its timeline,
from a key to settled views, and for a frame of the timeline while it is
zoomed, moved and scrolled; and its memory. On Acme Air, on a recording of a
million turns, and on one of 10,000 actors.

npm run bench:window -- [options]
  --quick          smaller recordings, fewer samples
  --json           print one JSON object instead of the tables
  --only NAME      only airline, turns or actors (repeatable)
  --help`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

interface Size {
  readonly turns: number;
  readonly actors: number;
  /** Seconds of load in the recording of Acme Air. */
  readonly seconds: number;
  readonly openings: number;
  /** Moves of each kind. */
  readonly moves: number;
  /** Frames of each kind. */
  readonly frames: number;
}

const FULL: Size = { turns: 1_000_000, actors: 10_000, seconds: 20, openings: 5, moves: 20, frames: 40 };
const QUICK: Size = { turns: 100_000, actors: 1000, seconds: 3, openings: 2, moves: 5, frames: 10 };
const size = values.quick ? QUICK : FULL;

/** Limits in milliseconds and MB. */
const LIMITS = { first: 2000, settled: 150, frame: 16, memory: 300 };
/** Positions of the measured steps, as percentages of the recording. */
const POSITIONS: readonly (readonly [name: string, percentage: number])[] = [
  ['at the beginning', 0],
  ['in the middle', 50],
];
/** Moves by their keys. */
const MOVES: readonly (readonly [key: string, name: string])[] = [
  ['t', 'next turn'],
  ['n', 'next statement'],
  ['N', 'statement back'],
];

const RECORDERS: Readonly<Record<string, (recordings: string) => Promise<string>>> = {
  airline: (recordings) =>
    recordAirline(recordings, { seconds: size.seconds, rate: 100, customers: 100, snapshots: 'requests=200' }),
  turns: (recordings) => recordMany(recordings, 100, size.turns),
  actors: (recordings) => recordMany(recordings, size.actors, size.turns / 10),
};

interface WindowTimes extends FrameTimes {
  readonly name: string;
  readonly openings: readonly OpeningTimes[];
  readonly memory: number;
  readonly moves: ReadonlyMap<string, readonly number[]>;
}

function percentile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

async function measureWindow(name: string, recording: string, cache: string): Promise<WindowTimes> {
  const server = await DebugPageServer.start(recording, cache);
  const browser = await launchChromium();
  try {
    const openings = [];
    for (let i = 0; i < size.openings; i++) {
      const { page, opening } = await openPage(browser, server.address);
      openings.push(opening);
      await page.close();
    }
    const { page } = await openPage(browser, server.address);
    const { painting, intervals } = await frameTimes(page, size.frames);
    const memory = await rendererMegabytes(browser);
    const moves = new Map<string, number[]>();
    if (name === 'airline') {
      for (const [positionName, percentage] of POSITIONS) {
        if (percentage > 0) await moveToPercentage(page, percentage);
        // The first move of a kind starts a process.
        for (const key of ['t', 't', 'n']) await timeSettled(page, key);
        for (const [key, title] of MOVES) {
          const times: number[] = [];
          for (let i = 0; i < size.moves; i++) times.push(await timeSettled(page, key));
          moves.set(`${title}, ${positionName}`, times);
        }
      }
    }
    return { name, openings, painting, intervals, memory, moves };
  } finally {
    await browser.close();
    await server.close();
  }
}

const valuesOf = (openings: readonly OpeningTimes[], metric: keyof OpeningTimes): number[] =>
  openings.map((each) => each[metric]);
const longest = (openings: readonly OpeningTimes[], metric: keyof OpeningTimes): number =>
  percentile(valuesOf(openings, metric), 1);
const formatNumber = (value: number): string => value.toFixed(1);

function buildReport(all: readonly WindowTimes[], failures: Report['failures']): Report {
  const bars: Bar[] = all.flatMap(({ name, openings, painting, memory }) => [
    atMost(`${name}: first paint, the longest, ms`, longest(openings, 'first'), LIMITS.first),
    atMost(`${name}: complete timeline, the longest, ms`, longest(openings, 'whole'), LIMITS.first),
    atMost(`${name}: painting a frame, p95 ms`, percentile(painting, 0.95), LIMITS.frame),
    atMost(`${name}: process of the page, MB`, memory, LIMITS.memory),
  ]);
  const moves = all.flatMap(({ moves: keyMoves }) => [...keyMoves]);
  for (const [name, times] of moves)
    bars.push(atMost(`${name}: all views settled, p95 ms`, percentile(times, 0.95), LIMITS.settled));
  const windows = all.map(({ name, openings, painting, intervals, memory }) => [
    name,
    ...(['first', 'timeline', 'whole'] as const).map((each) => formatNumber(percentile(valuesOf(openings, each), 0.5))),
    formatNumber(longest(openings, 'whole')),
    ...[painting, intervals].flatMap((times) => [0.5, 0.95].map((share) => formatNumber(percentile(times, share)))),
    memory.toFixed(0),
  ]);
  const openingHeader = ['first paint ms', 'timeline ms', 'complete ms', 'longest'];
  const header = ['', ...openingHeader, 'painting p50', 'p95', 'interval p50', 'p95', 'MB'];
  const { turns, actors, seconds } = size;
  return {
    bench: 'window',
    machine: machineLine(),
    params: { turns, actors, seconds, frames: size.frames * 5, moves: size.moves },
    rows: [],
    summaries: [],
    bars,
    tables: [
      { title: 'windows', header, rows: windows },
      {
        title: 'from a key to all views settled, in Acme Air',
        header: ['', 'times', 'p50 ms', 'p95 ms', 'longest ms'],
        rows: moves.map(([name, times]) => [
          name,
          String(times.length),
          ...[0.5, 0.95, 1].map((share) => formatNumber(percentile(times, share))),
        ]),
      },
    ],
    failures,
  };
}

async function main(): Promise<void> {
  if (chromiumPath === undefined) {
    console.error('bench:window: Chromium not found; set CHROMIUM to its path');
    process.exitCode = 1;
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  const all: WindowTimes[] = [];
  const failures: { name: string; error: string }[] = [];
  try {
    await bundle();
    for (const [name, record] of Object.entries(RECORDERS)) {
      if (values.only.length > 0 && !values.only.includes(name)) continue;
      process.stderr.write(`${name}\n`);
      try {
        all.push(await measureWindow(name, await record(join(directory, name)), join(directory, 'cache')));
      } catch (error) {
        failures.push({ name, error: error instanceof Error ? error.message : String(error) });
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const report = buildReport(all, failures);
  console.log(values.json ? reportJson(report) : reportText(report));
  if (failures.length > 0) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
