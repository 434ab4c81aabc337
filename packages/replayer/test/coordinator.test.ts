// Tests the coordinator's reports about threads that wait for each other, from control words and messages.
import { expect, test } from 'vitest';
import type { FromCoordinator, ThreadStatus } from '@turntable/time-machine/replay-process';
import { createControlMemory, ControlWords } from '../src/replay-process/control-words.ts';
import { CoordinatorPorts } from '../src/replay-process/coordinator-ports.ts';
import { Coordinator } from '../src/replay-process/coordinator.ts';

test('a divergence is reported at once with its text, although other threads wait for the thread', async () => {
  const threads = [0, 1].map((worker) => ({ worker, epoch: 0 }));
  const memory = createControlMemory(2);
  const { promise, resolve } = Promise.withResolvers<FromCoordinator>();
  const ports = new CoordinatorPorts(threads);
  const coordinator = new Coordinator({ threads, memory, ports: ports.coordinatorPorts }, (message) => {
    if ('id' in message && message.id === 7) resolve(message);
  });
  const [first, second] = threads.map((_, index) => new ControlWords(memory, index)) as [ControlWords, ControlWords];
  // Waits for a message of the first thread and never answers.
  second.state = 'running';
  first.state = 'running';
  coordinator.receive({
    id: 7,
    run: { limits: threads.map((each) => ({ ...each, tasks: 5 })), pauseAt: undefined, tracking: 'nothing' },
  });
  first.startedTasks = 2;
  const port = ports.takeThreadPort({ worker: 0, epoch: 0 });
  port?.postMessage(JSON.stringify({ id: 0, divergence: 'it asks for the time' }));
  first.setEnded('diverged');
  const { threads: statuses } = (await promise) as { readonly threads: readonly ThreadStatus[] };
  for (const each of ports.coordinatorPorts) each.close();
  expect(statuses[0]).toMatchObject({
    state: 'ended',
    endReason: 'diverged',
    startedTasks: 2,
    divergence: 'it asks for the time',
  });
  expect(statuses[1]).toMatchObject({ state: 'idle', endReason: undefined, divergence: undefined });
});
