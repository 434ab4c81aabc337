// Requests of actors to Turntable that a restore has to answer.
import { expect, it, onTestFinished } from 'vitest';
import type { Eventual } from '@turntable/core';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { FULFIL, REJECT } from '../src/messaging/message-kinds.ts';
import { AppRequests, requestPerformers } from '../src/scheduler/app-requests.ts';
import type { Ingests } from '../src/trace/ingests.ts';

it('a restored program gets the snapshot, the answer of a request that is performed again, or an error', async () => {
  requestPerformers.set('counting', async (details: number) => Promise.resolve(details + 1));
  onTestFinished(() => void requestPerformers.delete('counting'));
  const settled: [kind: string, how: string, value: unknown][] = [];
  const actor = new ActorCell(1, 0, 'asking');
  const requests = new AppRequests({
    ingests: { isReplaying: false, add: (_kind: string, _key: string, act: () => boolean) => void act() } as Ingests,
    createEventual: () => ({}) as Eventual,
    currentActor: () => actor,
    settle: ({ kind }, how, value) =>
      void settled.push([kind, how === FULFIL ? 'fulfilled' : how === REJECT ? 'rejected' : '', value]),
  });
  for (const kind of ['snapshot', 'counting', 'unknown'])
    requests.request(kind, 41, () => Promise.withResolvers<unknown>().promise);
  requests.answerAll('the snapshot');
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toEqual([
    ['snapshot', 'fulfilled', 'the snapshot'],
    ['unknown', 'rejected', expect.objectContaining({ code: expect.stringMatching(/^TT_/) })],
    ['counting', 'fulfilled', 42],
  ]);
  expect(requests.getState().appRequests).toEqual([]);
});
