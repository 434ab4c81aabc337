// npm run soak:replay -- [--count 100] [--seed N] [--only NAME]: the programs whose outcome nobody knows before, and groups of the Savina suite chosen at random, each so often:
// recorded with snapshots at one place or another, replayed, and replayed from one of their snapshots. A failure prints what was wrong and keeps the recording.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRecording } from '@turntable/recording';
import { Random } from '../../bench/savina/random.ts';
import { PARTS } from '../snapshots/savina/parts.ts';
import { differences, PROGRAMS, record, recordingIn, replay } from './again.ts';

const RACY = ['messages', 'deadlock', 'philosophers', 'counting', 'sequence', 'shop'];
const SAVINA = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
const ALL = [...RACY, 'savina'];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const [count, first] = [Number(values.count), Number(values.seed)];

function chosen<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

function commandOf(name: string, random: Random): readonly string[] {
  if (name !== 'savina')
    return [join(PROGRAMS, 'main.ts'), name, String(1 + random.below(3)), '3', String(1 + random.below(3))];
  const ids = Object.keys(PARTS);
  const some = new Set(Array.from({ length: 1 + random.below(4) }, () => chosen(random, ids)));
  return [SAVINA, chosen(random, ['main', 'one', 'two']), ...some];
}

/** What was wrong, where. */
function once(name: string, seed: number): string | undefined {
  const random = new Random(seed);
  // The first numbers of seeds that lie beside each other do so, too.
  random.spend(20);
  const into = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const command = commandOf(name, random);
  const snapshots = `turns=${100 + random.below(5000)},end`;
  const where = `${name}, seed ${seed}, ${command.slice(1).join(' ')}, ${snapshots}, in ${into}`;
  try {
    const recorded = record(into, command, { TURNTABLE_SNAPSHOTS: snapshots });
    const found = differences(recorded, replay(into));
    if (found.length > 0) return `${where}: ${found.join('; ')}`;
    const phases = openRecording(recordingIn(into))
      .snapshots()
      .map(({ phase }) => phase);
    if (phases.length > 0) {
      const from = chosen(random, phases);
      const { report, output } = replay(into, ['--from', String(from)]);
      if (report.verdict !== 'same')
        return `${where}: --from ${from}: ${report.verdict} ${JSON.stringify(report.divergence)}`;
      if (!recorded.stdout.endsWith(output)) return `${where}: --from ${from} has printed something else`;
    }
  } catch (error) {
    return `${where}: ${(error as Error).message}`;
  }
  rmSync(into, { recursive: true });
  return undefined;
}

const failures = new Map<string, number>();
for (const name of ALL) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  failures.set(name, 0);
  for (let i = 0; i < count; i++) {
    const wrong = once(name, first + i);
    if (wrong === undefined) continue;
    failures.set(name, (failures.get(name) ?? 0) + 1);
    console.error(`FAILED ${wrong.slice(0, 2000)}`);
  }
  console.log(`${name}: ${count} times, ${failures.get(name)} failed`);
}
if ([...failures.values()].some((each) => each > 0)) process.exitCode = 1;
