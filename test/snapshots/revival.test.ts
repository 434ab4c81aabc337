// Loses workers while accounts pay each other, on three workers under random schedules. The successor must have the
// state of the last snapshot, with working references in both directions, and later snapshots must be restorable.
import { describe, expect, test } from 'vitest';
import { brokenReviveRules } from './oracle/broken-rules.ts';
import { checkRevival } from './oracle/revive.ts';

const PROGRAMS = 8;

/** Problems of the first failing program, or none. */
async function firstProblems(from: number, to: number): Promise<readonly string[]> {
  let totalRevived = 0;
  for (let seed = from; seed < to; seed++) {
    const { problems, revived } = await checkRevival(seed);
    totalRevived += revived;
    if (problems.length > 0) return [`seed ${seed}`, ...problems];
  }
  return totalRevived === 0 ? ['no actor was restored'] : [];
}

describe('a worker restored beside living workers', () => {
  test.each([1, 2, 3].map((part) => ({ from: part * PROGRAMS, to: (part + 1) * PROGRAMS })))(
    'has its old state and working references, none lost or counted twice: seeds $from to $to',
    async ({ from, to }) => {
      expect(await firstProblems(from, to)).toEqual([]);
    },
  );
});

describe('the check fails when', () => {
  test.each(Object.entries(brokenReviveRules))('%s', async (_, disableRule) => {
    const restoreRule = disableRule();
    try {
      expect(await firstProblems(1, 150)).not.toEqual([]);
    } finally {
      restoreRule();
    }
  });
});
