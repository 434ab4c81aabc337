// npm run bench:pauses: how long snapshots keep turns waiting, by size of the heap and number of actors that share it,
// compared with stopping the world: v8.serialize and structuredClone of the same graph. Each row is its own process. In
// rows "waiting" every actor waits for the host, which holds references into a program recorded with traces.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { serialize } from 'node:v8';
import { atMost, machineLine, table, type Bar } from '../harness/report.ts';
import { makeScratch } from '../harness/scratch.ts';
import { median } from '../harness/statistics.ts';
import { airline } from '../heap/airline.ts';
import type { PauseMeasurements } from './program.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('../snapshot/recorded.ts', import.meta.url).href;
const TRACED = new URL('../record/recorded.ts', import.meta.url).href;
/** Limit in milliseconds for the 99.9th percentile of waiting turns, at 5 MB. */
const LIMIT = 5;
const SIZES = [5, 50, 500];
const QUICK_SIZES = [5, 20];
const LAYOUTS: readonly Layout[] = [
  { actors: 1, isWaiting: false },
  { actors: 100, isWaiting: false },
  { actors: 100, isWaiting: true },
];

interface Layout {
  readonly actors: number;
  /** Whether each actor waits for the host. */
  readonly isWaiting: boolean;
}

interface Row extends Layout {
  readonly megabytes: number;
  /** 99.9th percentile of the milliseconds that a turn waited. */
  readonly percentile: number;
  readonly longest: number;
  readonly cut: number;
  /** Size of a snapshot in MiB. */
  readonly size: number;
  readonly serialize: number;
  readonly clone: number;
}

const abortController = new AbortController();

const HELP = `how long snapshots keep turns waiting, by size of the heap and number of actors
that share it

npm run bench:pauses -- [options]
  --quick          less than a minute: smaller heaps
  --json           print one JSON object instead of the table
  --snapshots N    snapshots of each row (5)
  --help`;

async function measure(megabytes: number, { actors, isWaiting }: Layout, snapshots: number): Promise<Row> {
  const scratch = makeScratch();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '-C',
      'turntable-source',
      '--max-old-space-size=8192',
      '--import',
      isWaiting ? TRACED : RECORDED,
      '--import',
      'turntable/register',
      PROGRAM,
      String(megabytes),
      String(actors),
      String(snapshots),
      ...(isWaiting ? ['waiting'] : []),
    ],
    { maxBuffer: 2 ** 28, signal: abortController.signal, env: scratch.env },
  ).finally(() => scratch.delete());
  const { pauses, turns, cuts, bytes } = JSON.parse(stdout) as PauseMeasurements;
  const ordered = pauses.toSorted((a, b) => b - a);
  const [serialized, cloned] = stopTheWorld(megabytes);
  return {
    megabytes,
    actors,
    isWaiting,
    percentile: ordered[Math.floor(turns * 0.001)] ?? 0,
    longest: ordered[0] ?? 0,
    cut: median(cuts),
    size: bytes / 2 ** 20,
    serialize: serialized,
    clone: cloned,
  };
}

/** Milliseconds to serialize and to clone the same graph, made of plain objects. */
function stopTheWorld(megabytes: number): [serialize: number, clone: number] {
  const graph = airline(megabytes, false);
  const medianTime = (work: () => unknown): number =>
    median(
      Array.from({ length: megabytes > 100 ? 1 : 3 }, () => {
        const startedAt = performance.now();
        work();
        return performance.now() - startedAt;
      }),
    );
  return [medianTime(() => serialize(graph)), medianTime(() => structuredClone(graph))];
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    snapshots: { type: 'string', default: '5' },
  },
});
if (values.help) console.log(HELP);
else {
  const snapshots = values.quick ? 3 : Number(values.snapshots);
  const rows: Row[] = [];
  const machine = machineLine();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abortController.abort(signal));
  const sizes = values.quick ? QUICK_SIZES : SIZES;
  const layouts = sizes.flatMap((megabytes) => LAYOUTS.map((layout) => ({ megabytes, ...layout })));
  for (const { megabytes, ...layout } of layouts) {
    const { actors, isWaiting } = layout;
    process.stderr.write(`${megabytes} MB in ${actors} actors${isWaiting ? ' waiting' : ''}\n`);
    try {
      rows.push(await measure(megabytes, layout, snapshots));
    } catch (error) {
      if (!abortController.signal.aborted) throw error;
    }
    if (abortController.signal.aborted) break;
  }
  const incomplete = rows.length < layouts.length ? { INCOMPLETE: `${rows.length} of ${layouts.length} rows` } : {};
  const params = { snapshots, ...incomplete };
  const bars: Bar[] = rows
    .filter(({ megabytes }) => megabytes === 5)
    .map(({ actors, isWaiting, percentile }) => {
      const layout = actors === 1 ? 'one actor' : `${actors} actors${isWaiting ? ' waiting' : ''}`;
      return atMost(`5 MB in ${layout}, p99.9 wait of a turn, ms`, percentile, LIMIT);
    });
  if (values.json) console.log(JSON.stringify({ bench: 'pauses', machine, params, rows, bars }));
  else {
    const header = [
      '',
      'actors',
      'p99.9 ms',
      'longest ms',
      'cut ms',
      'size MiB',
      'v8.serialize ms',
      'structuredClone ms',
    ];
    const cells = rows.map((row) => [
      `${row.megabytes} MB`,
      `${row.actors}${row.isWaiting ? ' waiting' : ''}`,
      ...[row.percentile, row.longest, row.cut, row.size, row.serialize, row.clone].map((value) => value.toFixed(1)),
    ]);
    const barLines = bars.map(
      ({ what, value, limit, met }) => `${met ? 'met' : 'MISSED'} ${what}: ${value.toFixed(1)} (limit ${limit})`,
    );
    console.log(
      [
        'bench:pauses',
        machine,
        `${snapshots} snapshots a row`,
        '',
        table(header, cells),
        '',
        ...barLines,
        ...Object.values(incomplete).map((reason) => `INCOMPLETE: ${reason}`),
      ].join('\n'),
    );
  }
}
