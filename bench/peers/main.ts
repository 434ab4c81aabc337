// npm run bench:peers: five small programs on Turntable and on other actor systems. Within a row the peers take turns,
// each in its own process, single-threaded ones pinned to one core; a second Turntable is the control.
// bench/peers/install installs peers; a missing one leaves its bars undecided and fails the command.

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
  // The programs do no I/O, so CPU time covers all their work, and excludes other work of the machine.
  clock: 'cpu',
} as const;
/** Milliseconds of CPU time: minimum of the warm-up, and limit of either phase unless three iterations take longer. */
const FULL_TIME = { warmupTime: 3000, limit: 6000 };
const QUICK_TIME = { warmupTime: 300, limit: 500 };

const DESCRIPTION = `actors on one thread and on two: Turntable compared with Erlang, Pekko, CAF,
Proto.Actor, nact, comedy, XState, comlink and piscina (see bench/peers/install);
--only takes names of programs and of peers`;

/** Items whose names `--only` selects; all if it selects none of them. */
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

/** Runs all rounds of a row. A peer that fails is left out from then on. */
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
