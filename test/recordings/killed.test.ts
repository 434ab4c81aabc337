// A service that is killed at any moment leaves a recording that opens and replays, up to a moment before the kill.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { killService, type KillOptions } from './kills.ts';
import { createScratchDirectory } from './processes.ts';

const scratch = createScratchDirectory();
const COUNT = inSoak(3, 40);

/** Kills services at seeded moments, each in its own directory of recordings. */
async function expectReplays(
  since: KillOptions['since'],
  maxDelayMs: number,
  durability: 'none' | 'reply' = 'none',
): Promise<void> {
  let seed = 1;
  for (let index = 0; index < COUNT; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const killAfterMs = (seed / 2_147_483_647) * maxDelayMs;
    const recordings = join(scratch, `${since}-${durability}-${index}`);
    const env = { TURNTABLE_DURABILITY: durability };
    const { recording, replay, acknowledged, lost } = await killService({ recordings, killAfterMs, since, env });
    expect(replay, recording).toMatchObject({ status: 0, stderr: expect.not.stringContaining('diverge') });
    // Only the last requests may be lost: all that were answered before a recorded one are recorded.
    expect(lost).toEqual(durability === 'none' ? acknowledged.slice(acknowledged.length - lost.length) : []);
  }
}

describe('a killed service leaves a recording that replays', { timeout: inSoak(180_000, 3_600_000) }, () => {
  test('from its first statement on', () => expectReplays('first-statement', 300));
  test('while it answers requests', () => expectReplays('first-answer', 500));
  test('with all acknowledged requests, if responses wait', () => expectReplays('first-answer', 500, 'reply'));
});
