// npm run soak:replay: racy programs and the Savina suite, many times: recorded with snapshots at various points,
// replayed, and replayed from their snapshots, with and without chaos. A failure prints its problems and keeps the
// recording.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRecording } from '@turntable/recording';
import { Random } from '../../bench/savina/random.ts';
import { CASES } from '../snapshots/savina/savina-cases.ts';
import {
  CHAOS,
  differences,
  differencesFrom,
  FIXTURES,
  snapshotPhases,
  PROGRAMS,
  record,
  recordingIn,
  replay,
  sample,
} from './record-and-replay.ts';
import { RACY } from './racy-programs.ts';

const USAGE = `Usage: npm run soak:replay -- [--count 100] [--each 1] [--seed N] [--only NAME] [--from N|all] [--chaos always|never]

  --count N     runs of each subject (100)
  --each N      runs in one process, in sequence (1); the suite then uses small sizes
  --seed N      first of as many seeds as there are runs (1); a failure prints its seed
  --only NAME   subjects with NAME in their names: the racy programs, "mortal",
                "savina" (random groups of the suite, on random workers),
                "PROGRAM on one" and "PROGRAM on two" for each of the suite
  --from N      also replay from N of its snapshots, or from all (1)
  --chaos       random yields and random workers of actors, while recording and
                replaying: always, never, or sometimes (the default)`;

const SAVINA = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
const caseIds = Object.keys(CASES);

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    each: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    from: { type: 'string', default: '1' },
    chaos: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [count, runsPerProcess, firstSeed] = [Number(values.count), Number(values.each), Number(values.seed)];
/** Minimum runs of a racy program in one process: it takes a snapshot after one of them. */
const MIN_RUNS = 3;

type Command = (random: Random) => readonly string[];

interface Subject {
  readonly commandOf: Command;
  /** Number of runs in one process. */
  readonly runs: number;
}

function choose<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

/** A program with unpredictable results. */
function racySubject(name: string): Subject {
  const times = Math.max(runsPerProcess, MIN_RUNS);
  const commandOf: Command = (random) => {
    const [workers, after] = [1 + random.below(3), 1 + random.below(times)].map(String) as [string, string];
    return [join(PROGRAMS, 'main.ts'), name, workers, String(times), after, ...(isChaotic(random) ? ['random'] : [])];
  };
  return { commandOf, runs: runsPerProcess };
}

/** Command for a random group of the suite's programs, on random workers. */
function savinaCommand(random: Random): readonly string[] {
  const some = new Set(Array.from({ length: 1 + random.below(4) }, () => choose(random, caseIds)));
  return [SAVINA, choose(random, ['main', 'one', 'two']), ...some];
}

const subjects = new Map<string, Subject>([
  ...RACY.map((name): [string, Subject] => [name, racySubject(name)]),
  // Loses workers, some of them at the same time.
  ['mortal', { commandOf: () => [join(FIXTURES, 'mortal.ts')], runs: 1 }],
  ['savina', { commandOf: savinaCommand, runs: 1 }],
  ...['one', 'two'].flatMap((workerSetup) =>
    caseIds.map((id): [string, Subject] => [
      `${id} on ${workerSetup}`,
      { commandOf: () => [SAVINA, workerSetup, String(runsPerProcess), id], runs: runsPerProcess },
    ]),
  ),
]);

function isChaotic(random: Random): boolean {
  return values.chaos === undefined ? random.below(2) === 1 : values.chaos === 'always';
}

/** Counts of the current subject. */
const tally = { starts: 0, replays: 0, states: 0 };

/** Number of thread states in the snapshots after a phase. */
function statesAfter(phase: number, recordings: string): number {
  return openRecording(recordingIn(recordings))
    .snapshots()
    .reduce((sum, snapshot) => sum + (snapshot.phase > phase ? snapshot.workers.length : 0), 0);
}

/** Records and replays once. Returns the problems with their circumstances, if any. */
function runOnce(name: string, { commandOf, runs }: Subject, seed: number): string | undefined {
  const random = new Random(seed);
  // The first numbers of neighbouring seeds are similar.
  random.spend(20);
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const command = commandOf(random);
  const snapshots = `turns=${runs === 1 ? 100 + random.below(5000) : (100 + random.below(2000)) * runs},end`;
  // Warnings would be mixed into the output of the replay.
  const quiet = { NODE_NO_WARNINGS: '1' };
  const [during, after] = [isChaotic(random) ? CHAOS : {}, isChaotic(random) ? CHAOS : {}];
  const chaos = [during, after].map((each) => each === CHAOS).join();
  const label = `${name}, seed ${seed}, ${command.slice(1).join(' ')}, ${snapshots}, chaos ${chaos}, in ${recordings}`;
  try {
    const recorded = record(recordings, command, { ...quiet, TURNTABLE_SNAPSHOTS: snapshots, ...during });
    const problems = differences(recorded, replay(recordings, [], after));
    const phases = snapshotPhases(recordings);
    const starts =
      values.from === 'all'
        ? phases
        : sample(phases, Math.min(Number(values.from), phases.length), random.below(phases.length));
    for (const phase of starts) problems.push(...differencesFrom(phase, recordings, recorded, after));
    tally.starts++;
    tally.replays += starts.length;
    tally.states += [0, ...starts].reduce((sum, phase) => sum + statesAfter(phase, recordings), 0);
    if (problems.length > 0) return `${label}: ${problems.join('; ')}`;
  } catch (error) {
    return `${label}: ${(error as Error).message}`;
  }
  rmSync(recordings, { recursive: true });
  return undefined;
}

function soak(): void {
  let failures = 0;
  for (const [name, subject] of subjects) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    let failed = 0;
    Object.assign(tally, { starts: 0, replays: 0, states: 0 });
    const processes = Math.ceil(count / subject.runs);
    for (let i = 0; i < processes; i++) {
      const problem = runOnce(name, subject, firstSeed + i);
      if (problem === undefined) continue;
      failed++;
      console.error(`FAILED ${problem.slice(0, 2000)}`);
    }
    failures += failed;
    const { starts, replays, states } = tally;
    console.log(
      `${name}: ${count} times in ${processes} processes, replayed ${starts} times from the start and ${replays} from snapshots, ${states} states compared, ${failed} failed`,
    );
  }
  if (failures > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else soak();
