// Tests of the story's time limit, whose error names the missing step and the load of the machine.
import { expect, it } from 'vitest';
import { StoryDeadline } from '../story/deadline.ts';

it('returns results within the limit, and names the missing step after it', async () => {
  const pending = new StoryDeadline(performance.now() + 60_000);
  expect(await pending.within('no result', Promise.resolve(7))).toBe(7);
  await expect(pending.within('no result', Promise.reject(new Error('original')))).rejects.toThrow('original');
  expect(pending.leftMs).toBeGreaterThan(1);
  const expired = new StoryDeadline(0);
  expect(expired.leftMs).toBe(1);
  await expect(expired.within('the service does not listen yet', new Promise(() => {}))).rejects.toThrow(
    /^after \d+ s the service does not listen yet; .* this machine has a load of \d+\.\d on \d+ processors/,
  );
});
