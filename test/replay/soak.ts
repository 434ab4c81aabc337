// npm run soak:replay: programs whose outcome nobody knows before, and those of the Savina suite, each so often: recorded with snapshots at one place or another, replayed,
// and replayed from their snapshots, with and without chaos. A failure prints what was wrong and keeps the recording.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRecording } from '@turntable/recording';
import { Random } from '../../bench/savina/random.ts';
import { PARTS } from '../snapshots/savina/parts.ts';
import {
  CHAOS,
  differences,
  differencesFrom,
  FIXTURES,
  phasesIn,
  PROGRAMS,
  record,
  recordingIn,
  replay,
  someOf,
} from './again.ts';

const USAGE = `Usage: npm run soak:replay -- [--count 100] [--each 1] [--seed N] [--only NAME] [--from N|all] [--chaos always|never]

  --count N     each subject so often (100)
  --each N      so many of them in one process, one run behind the other (1), of the suite at brief sizes: what a process takes to start is paid less often
  --seed N      the first of as many seeds as there are times (1): a failure prints its own
  --only NAME   subjects with that in their names: the racy programs, "mortal", "savina" (some of the suite beside each other, at a place chosen at random), and
                "PROGRAM on one" and "PROGRAM on two" for each of the suite
  --from N      replayed from so many of its snapshots as well, or from all (1)
  --chaos       random yields, and actors on random workers, while it is recorded and while it is replayed: always, never, or now and then (the default)`;

const RACY = ['messages', 'deadlock', 'philosophers', 'counting', 'sequence', 'shop'];
const SAVINA = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
const ids = Object.keys(PARTS);

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
const [count, each, first] = [Number(values.count), Number(values.each), Number(values.seed)];
/** Runs of a racy program in one process at least: behind one of them it takes a snapshot. */
const FEW = 3;

type Command = (random: Random) => readonly string[];

interface Subject {
  readonly commandOf: Command;
  /** So many runs in one process. */
  readonly runs: number;
}

function chosen<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

/** Programs whose outcome nobody knows before. */
function racy(name: string): Subject {
  const times = Math.max(each, FEW);
  const commandOf: Command = (random) => {
    const [workers, after] = [1 + random.below(3), 1 + random.below(times)].map(String) as [string, string];
    return [join(PROGRAMS, 'main.ts'), name, workers, String(times), after, ...(isChaotic(random) ? ['random'] : [])];
  };
  return { commandOf, runs: each };
}

/** Of the suite, some beside each other, at a place chosen at random. */
function someBeside(random: Random): readonly string[] {
  const some = new Set(Array.from({ length: 1 + random.below(4) }, () => chosen(random, ids)));
  return [SAVINA, chosen(random, ['main', 'one', 'two']), ...some];
}

const subjects = new Map<string, Subject>([
  ...RACY.map((name): [string, Subject] => [name, racy(name)]),
  // Workers are lost in it, some of them at once.
  ['mortal', { commandOf: () => [join(FIXTURES, 'mortal.ts')], runs: 1 }],
  ['savina', { commandOf: someBeside, runs: 1 }],
  ...['one', 'two'].flatMap((place) =>
    ids.map((id): [string, Subject] => [
      `${id} on ${place}`,
      { commandOf: () => [SAVINA, place, String(each), id], runs: each },
    ]),
  ),
]);

function isChaotic(random: Random): boolean {
  return values.chaos === undefined ? random.below(2) === 1 : values.chaos === 'always';
}

/** Of a subject. */
const tally = { starts: 0, froms: 0, states: 0 };

/** So many states of threads there are behind a phase. */
function statesBehind(phase: number, into: string): number {
  return openRecording(recordingIn(into))
    .snapshots()
    .reduce((sum, snapshot) => sum + (snapshot.phase > phase ? snapshot.workers.length : 0), 0);
}

/** What was wrong, where. */
function once(name: string, { commandOf, runs }: Subject, seed: number): string | undefined {
  const random = new Random(seed);
  // The first numbers of seeds that lie beside each other do so, too.
  random.spend(20);
  const into = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const command = commandOf(random);
  const snapshots = `turns=${runs === 1 ? 100 + random.below(5000) : (100 + random.below(2000)) * runs},end`;
  // Warnings would stand among what a run again prints.
  const quiet = { NODE_NO_WARNINGS: '1' };
  const [during, after] = [isChaotic(random) ? CHAOS : {}, isChaotic(random) ? CHAOS : {}];
  const chaos = [during, after].map((each) => each === CHAOS).join();
  const where = `${name}, seed ${seed}, ${command.slice(1).join(' ')}, ${snapshots}, chaos ${chaos}, in ${into}`;
  try {
    const recorded = record(into, command, { ...quiet, TURNTABLE_SNAPSHOTS: snapshots, ...during });
    const found = differences(recorded, replay(into, [], after));
    const phases = phasesIn(into);
    const starts =
      values.from === 'all'
        ? phases
        : someOf(phases, Math.min(Number(values.from), phases.length), random.below(phases.length));
    for (const phase of starts) found.push(...differencesFrom(phase, into, recorded, after));
    tally.starts++;
    tally.froms += starts.length;
    tally.states += [0, ...starts].reduce((sum, phase) => sum + statesBehind(phase, into), 0);
    if (found.length > 0) return `${where}: ${found.join('; ')}`;
  } catch (error) {
    return `${where}: ${(error as Error).message}`;
  }
  rmSync(into, { recursive: true });
  return undefined;
}

function soak(): void {
  let failures = 0;
  for (const [name, subject] of subjects) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    let failed = 0;
    Object.assign(tally, { starts: 0, froms: 0, states: 0 });
    const processes = Math.ceil(count / subject.runs);
    for (let i = 0; i < processes; i++) {
      const wrong = once(name, subject, first + i);
      if (wrong === undefined) continue;
      failed++;
      console.error(`FAILED ${wrong.slice(0, 2000)}`);
    }
    failures += failed;
    const { starts, froms, states } = tally;
    console.log(
      `${name}: ${count} times in ${processes} processes, run again ${starts} times from the start and ${froms} from snapshots, ${states} states compared, ${failed} failed`,
    );
  }
  if (failures > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else soak();
