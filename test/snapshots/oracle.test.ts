// Programs whose accounts know of each other what must agree, on three workers under random schedules, with snapshots at random moments: each
// is restored, looked at before anything runs, and run to its end. Longer: `npm run soak:snapshots`.
import { describe, expect, test } from 'vitest';
import { brokenRules } from './oracle/broken-rules.ts';
import { checkSeed } from './oracle/check-seed.ts';

const PROGRAMS = 8;

/** What is wrong with the first of these programs with which anything is. */
async function firstWrong(from: number, to: number): Promise<readonly string[]> {
  for (let seed = from; seed < to; seed++) {
    const { problems: wrong } = await checkSeed(seed);
    if (wrong.length > 0) return [`seed ${seed}`, ...wrong];
  }
  return [];
}

describe('every snapshot, restored, has nothing lost, doubled or from after the cut, and comes to what the program has come to', () => {
  test.each([1, 2, 3, 4, 5].map((part) => ({ from: part * PROGRAMS, to: (part + 1) * PROGRAMS })))(
    'programs $from to $to',
    async ({ from, to }) => {
      expect(await firstWrong(from, to)).toEqual([]);
    },
  );
});

describe('it is found out if', () => {
  test.each(Object.entries(brokenRules))('%s', async (_, leaveOut) => {
    const restore = leaveOut();
    try {
      expect(await firstWrong(1, 150)).not.toEqual([]);
    } finally {
      restore();
    }
  });
});
