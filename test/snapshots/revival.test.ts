// Workers that are lost while accounts pay each other, on three workers under random schedules: who takes the place of one is what it was in the
// last snapshot, beside all others, who reach it and are reached by it as before; and snapshots of that are as good as any.
import { describe, expect, test } from 'vitest';
import { brokenReviveRules } from './oracle/broken-rules.ts';
import { checkRevival } from './oracle/revive.ts';

const PROGRAMS = 8;

/** What is wrong with the first of these programs with which anything is. */
async function firstWrong(from: number, to: number): Promise<readonly string[]> {
  let all = 0;
  for (let seed = from; seed < to; seed++) {
    const { problems: wrong, revived } = await checkRevival(seed);
    all += revived;
    if (wrong.length > 0) return [`seed ${seed}`, ...wrong];
  }
  return all === 0 ? ['nobody was restored'] : [];
}

describe('a worker that is restored beside the others', () => {
  test.each([1, 2, 3].map((part) => ({ from: part * PROGRAMS, to: (part + 1) * PROGRAMS })))(
    'is what it was, reaches whom it knew and is reached, and no reference is lost or counted twice: programs $from to $to',
    async ({ from, to }) => {
      expect(await firstWrong(from, to)).toEqual([]);
    },
  );
});

describe('it is found out if', () => {
  test.each(Object.entries(brokenReviveRules))('%s', async (_, leaveOut) => {
    const putBack = leaveOut();
    try {
      expect(await firstWrong(1, 150)).not.toEqual([]);
    } finally {
      putBack();
    }
  });
});
