// Programs with unpredictable results, by seed: each is recorded once and replayed several times, with one and the same
// verdict.
import { join } from 'node:path';
import { Random } from '../../bench/savina/random.ts';
import { CHAOS, differences, PROGRAMS, record, replay } from './record-and-replay.ts';

export const RACY = ['messages', 'deadlock', 'philosophers', 'counting', 'sequence', 'shop'] as const;

export interface RacyRun {
  readonly seed: number;
  /** Programs that run at the same time in one process. */
  readonly names: readonly string[];
  readonly workers: number;
  readonly snapshots: string;
  readonly isRecordedWithChaos: boolean;
}

/** @param seed a positive integer */
export function racyRun(seed: number): RacyRun {
  const random = new Random(seed * 7919);
  // The first numbers of neighbouring seeds are similar.
  random.spend(20);
  const names = RACY.filter(() => random.below(3) === 0);
  return {
    seed,
    names: names.length === 0 ? [RACY[random.below(RACY.length)] as string] : names,
    workers: 1 + random.below(3),
    snapshots: random.boolean() ? `turns=${200 + random.below(2000)},end` : 'end',
    isRecordedWithChaos: random.boolean(),
  };
}

// Warnings would be mixed into the output of the replay.
const QUIET = { NODE_NO_WARNINGS: '1' };

/** Records the run into an empty directory and replays it, every second time with chaos. Returns the problems. */
export function checkRacyRun(recordings: string, run: RacyRun, replays: number): string[] {
  const { names, workers, snapshots, isRecordedWithChaos } = run;
  const command = [join(PROGRAMS, 'main.ts'), names.join('+'), String(workers), '1', 'never'];
  const env = { ...QUIET, TURNTABLE_SNAPSHOTS: snapshots, ...(isRecordedWithChaos && CHAOS) };
  const recorded = record(recordings, isRecordedWithChaos ? [...command, 'random'] : command, env);
  return Array.from({ length: replays }, (_, i) =>
    differences(recorded, replay(recordings, [], { ...QUIET, ...(i % 2 === 1 && CHAOS) })).map(
      (problem) => `replay ${i + 1}: ${problem}`,
    ),
  ).flat();
}
