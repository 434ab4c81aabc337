// npm run bench:peers: five small programs on Turntable and on what else there is for actors. Within a row the peers take turns, a process
// each, on one core if they use one thread; a second Turntable among them is the control. Peers come from bench/peers/install; one that
// is missing leaves its bars undecided and the command failed.

import { helpText, parseOptions, type BenchOptions } from '../harness/options.ts';
import { machineLine, progress, type Failure } from '../harness/report.ts';
import { ACROSS, ONE_THREAD, PEERS, TURNTABLE, TWO_THREADS, type Peer } from './catalog.ts';
import { missing } from './installed.ts';
import { judge } from './judgement.ts';
import { lastCore, runPeer, type PeerEffort } from './peer-process.ts';
import { reportJson, reportText } from './report.ts';
import { PeerRow } from './row.ts';

const EFFORT = {
  full: { rounds: 3, samples: 9, warmup: 5 },
  quick: { rounds: 1, samples: 3, warmup: 1 },
  // No program does input or output, so CPU time misses nothing and does not count what the machine did for others.
  clock: 'cpu',
} as const;
/** Milliseconds of CPU time: of warming up at least, and of either phase at most, unless three iterations take longer. */
const FULL_TIME = { warmupTime: 3000, limit: 6000 };
const QUICK_TIME = { warmupTime: 300, limit: 500 };

const DESCRIPTION = `Actors on one thread, and on two: Turntable against Erlang, Pekko, CAF, Proto.Actor, nact, comedy, XState, comlink and
piscina, which bench/peers/install installs. --only takes names of programs and of peers.`;

/** `--only` picks rows by their names and peers by theirs; none of either means all of them. */
function selected<T extends { readonly name: string }>(all: readonly T[], only: readonly string[]): readonly T[] {
  const named = all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part.toLowerCase())));
  return named.length > 0 ? named : all;
}

function rowsFor(peers: readonly Peer[], only: readonly string[]): { rows: PeerRow[]; whole: PeerRow[] | undefined } {
  const single = peers.filter(({ threads }) => threads === 1);
  const double = peers.filter(({ threads }) => threads === 2);
  const all = [
    ...ONE_THREAD.map((program) => new PeerRow(program.name, program, TURNTABLE, single)),
    ...TWO_THREADS.map((program) => new PeerRow(`${program.name}, two threads`, program, ACROSS, double)),
  ];
  const rows = selected(all, only).filter(({ lanes }) => lanes.length > 2);
  const whole = all.slice(0, ONE_THREAD.length);
  return { rows, whole: whole.every((row) => rows.includes(row)) ? whole : undefined };
}

/** All rounds of a row. A peer that fails once is left out from then on. */
async function measure(row: PeerRow, options: BenchOptions, core: number | undefined): Promise<Failure[]> {
  const { samples, warmup } = options;
  const effort: PeerEffort = { warmups: warmup, samples, ...(options.quick ? QUICK_TIME : FULL_TIME) };
  const failures: Failure[] = [];
  let lanes = row.lanes.filter(({ peer }) => missing(peer) === undefined);
  for (let round = 0; round < options.rounds; round++) {
    const order = lanes.map((_, turn) => lanes[(turn + round) % lanes.length]!);
    for (const lane of order) {
      const { name, peer } = lane;
      progress(`    round ${round + 1}, ${name}`);
      try {
        const size = row.sizeFor(peer, options.quick);
        const { cpu, iterations } = await runPeer(peer, row.program, size, effort, core);
        const times = row.clock(options.clock) === 'cpu' ? cpu : iterations;
        row.add(
          name,
          times.map((milliseconds) => milliseconds / row.program.work(size)),
        );
      } catch (error) {
        row.exclude(name);
        lanes = lanes.filter((each) => each !== lane);
        failures.push({ name: `${row.name}, ${name}`, error: error instanceof Error ? error.message : String(error) });
      }
    }
  }
  return failures;
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args, EFFORT);
  if (options.help) return console.log(helpText('peers', DESCRIPTION));
  const machine = machineLine();
  const core = lastCore();
  const peers = selected(PEERS, options.only);
  const { rows, whole } = rowsFor(peers, options.only);
  const missingPeers = peers.map(missing).filter((text) => text !== undefined);
  const failures: Failure[] = [];
  const started = performance.now();
  for (const [index, row] of rows.entries()) {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    progress(`[${index + 1}/${rows.length}] ${row.name}, ${seconds} s so far`);
    failures.push(...(await measure(row, options, core)));
  }

  const { rounds, samples, warmup, clock, quick } = options;
  const elapsedSeconds = ((performance.now() - started) / 1000).toFixed(0);
  const params = { rounds, samples, warmup, clock, quick, core: core ?? 'any', 'took s': elapsedSeconds };
  const bars = judge(rows, whole, peers);
  const report = { machine, params, rows, whole, peers, bars, missing: missingPeers, failures };
  console.log(options.json ? reportJson(report) : reportText(report));
  if (failures.length > 0 || bars.some(({ met }) => met === null)) process.exitCode = 1;
}

await main(process.argv.slice(2));
