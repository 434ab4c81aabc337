// Programs with dying workers, by seed: each is recorded once and replayed several times, with one and the same verdict.
import { Random } from '../../bench/savina/random.ts';
import { CHAOS, replay, runTurntable } from './record-and-replay.ts';

/** How the process ends: `close` after all rounds, `exit` and `kill` during one. */
const ENDS = ['close', 'close', 'close', 'exit', 'kill'] as const;

export interface DyingProgram {
  readonly seed: number;
  readonly end: (typeof ENDS)[number];
  readonly isRecordedWithChaos: boolean;
  readonly hasSnapshots: boolean;
}

export function dyingProgram(seed: number): DyingProgram {
  const random = new Random(seed * 7919);
  // The first numbers of neighbouring seeds are similar.
  random.spend(20);
  return {
    seed,
    end: ENDS[random.below(ENDS.length)] as (typeof ENDS)[number],
    isRecordedWithChaos: random.boolean(),
    hasSnapshots: random.below(3) === 0,
  };
}

const QUIET = { NODE_NO_WARNINGS: '1' };

/** Records a program into an empty directory. Returns the problems. */
export function recordDyingProgram(recordings: string, program: DyingProgram): string[] {
  const { seed, end, isRecordedWithChaos, hasSnapshots } = program;
  const env = {
    ...QUIET,
    ...(isRecordedWithChaos && CHAOS),
    ...(hasSnapshots ? { TURNTABLE_SNAPSHOTS: 'turns=200' } : { TURNTABLE_TRACE: '1' }),
  };
  const recorded = runTurntable(['record', '--recordings', recordings, 'lost-workers.ts', String(seed), end], { env });
  const expectedStatus = end === 'kill' ? null : 0;
  return recorded.status === expectedStatus ? [] : [`exited with ${recorded.status}: ${recorded.stderr}`];
}

/** Records a program into an empty directory and replays it. Returns the problems. */
export function checkDyingProgram(recordings: string, program: DyingProgram, replays: number): string[] {
  const { seed, end } = program;
  const problems = recordDyingProgram(recordings, program);
  if (problems.length > 0) return problems;
  const expected = end === 'kill' ? 'truncated' : 'same';
  for (let i = 0; i < replays; i++) {
    const { report, status } = replay(recordings, [], { ...QUIET, ...((seed + i) % 2 === 1 && CHAOS) });
    const { verdict, divergence, missingThreads } = report;
    if (verdict !== expected)
      problems.push(
        `replay ${i + 1}: ${verdict} (exit code ${status}): ${JSON.stringify(divergence ?? missingThreads)}`,
      );
  }
  return problems;
}
