// Accounts with invariants between them, on three workers under random schedules, with snapshots at random moments.
// Each snapshot is restored, checked before anything runs, and run to its end. For longer runs: `npm run
// soak:snapshots`.
import { describe, expect, test } from 'vitest';
import { brokenRules } from './oracle/broken-rules.ts';
import { checkSeed } from './oracle/check-seed.ts';

const PROGRAMS = 8;

/** Problems of the first failing program, or none. */
async function firstProblems(from: number, to: number): Promise<readonly string[]> {
  for (let seed = from; seed < to; seed++) {
    const { problems } = await checkSeed(seed);
    if (problems.length > 0) return [`seed ${seed}`, ...problems];
  }
  return [];
}

describe('every restored snapshot loses and doubles nothing, contains nothing after the cut, and ends like the program', () => {
  test.each([1, 2, 3, 4, 5].map((part) => ({ from: part * PROGRAMS, to: (part + 1) * PROGRAMS })))(
    'seeds $from to $to',
    async ({ from, to }) => {
      expect(await firstProblems(from, to)).toEqual([]);
    },
  );
});

describe('the check fails when', () => {
  test.each(Object.entries(brokenRules))('%s', async (_, disableRule) => {
    const restore = disableRule();
    try {
      expect(await firstProblems(1, 150)).not.toEqual([]);
    } finally {
      restore();
    }
  });
});
