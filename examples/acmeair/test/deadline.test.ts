// The story of npm start ends in time: what does not come is told of, with what the machine is busy with.
import { expect, it } from 'vitest';
import { StoryDeadline } from '../story/deadline.ts';

it('waits for what comes in time, and says what has not come', async () => {
  const soon = new StoryDeadline(performance.now() + 60_000);
  expect(await soon.within('nothing came', Promise.resolve(7))).toBe(7);
  await expect(soon.within('nothing came', Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  expect(soon.leftMs).toBeGreaterThan(1);
  const past = new StoryDeadline(0);
  expect(past.leftMs).toBe(1);
  await expect(past.within('the service does not listen yet', new Promise(() => {}))).rejects.toThrow(
    /^after \d+ s the service does not listen yet; .* this machine has \d+\.\d things to do at a time for \d+ processors/,
  );
});
