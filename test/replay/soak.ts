// npm run soak:replay: programs whose outcome nobody knows before, and those of the Savina suite, each so often: recorded with snapshots at one place or another, replayed,
// and replayed from their snapshots, with and without chaos. A failure prints what was wrong and keeps the recording.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../../bench/savina/random.ts';
import { PARTS } from '../snapshots/savina/parts.ts';
import { CHAOS, differences, differencesFrom, FIXTURES, phasesIn, PROGRAMS, record, replay, someOf } from './again.ts';

const USAGE = `Usage: npm run soak:replay -- [--count 100] [--seed N] [--only NAME] [--from N|all] [--chaos always|never]

  --count N     each subject so often (100)
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
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    from: { type: 'string', default: '1' },
    chaos: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [count, first] = [Number(values.count), Number(values.seed)];

type Command = (random: Random) => readonly string[];

function chosen<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

const subjects = new Map<string, Command>([
  ...RACY.map((name): [string, Command] => [
    name,
    (random) => {
      const [workers, after] = [1 + random.below(3), 1 + random.below(3)].map(String) as [string, string];
      return [join(PROGRAMS, 'main.ts'), name, workers, '3', after, ...(isChaotic(random) ? ['random'] : [])];
    },
  ]),
  // Workers are lost in it, some of them at once.
  ['mortal', () => [join(FIXTURES, 'mortal.ts')]],
  [
    'savina',
    (random) => {
      const some = new Set(Array.from({ length: 1 + random.below(4) }, () => chosen(random, ids)));
      return [SAVINA, chosen(random, ['main', 'one', 'two']), ...some];
    },
  ],
  ...['one', 'two'].flatMap((place) =>
    ids.map((id): [string, Command] => [`${id} on ${place}`, () => [SAVINA, place, id]]),
  ),
]);

function isChaotic(random: Random): boolean {
  return values.chaos === undefined ? random.below(2) === 1 : values.chaos === 'always';
}

/** What was wrong, where. */
function once(name: string, commandOf: Command, seed: number): string | undefined {
  const random = new Random(seed);
  // The first numbers of seeds that lie beside each other do so, too.
  random.spend(20);
  const into = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const command = commandOf(random);
  const snapshots = `turns=${100 + random.below(5000)},end`;
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
    if (found.length > 0) return `${where}: ${found.join('; ')}`;
  } catch (error) {
    return `${where}: ${(error as Error).message}`;
  }
  rmSync(into, { recursive: true });
  return undefined;
}

function soak(): void {
  let failures = 0;
  for (const [name, commandOf] of subjects) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    let failed = 0;
    for (let i = 0; i < count; i++) {
      const wrong = once(name, commandOf, first + i);
      if (wrong === undefined) continue;
      failed++;
      console.error(`FAILED ${wrong.slice(0, 2000)}`);
    }
    failures += failed;
    console.log(`${name}: ${count} times, ${failed} failed`);
  }
  if (failures > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else soak();
