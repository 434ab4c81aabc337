// What the coordinator of an engine says of threads that wait for each other, as threads tell it: by their words, and by messages.
import { expect, test } from 'vitest';
import type { FromCoordinator, ThreadStatus } from '@turntable/time-machine/replay-process';
import { controlMemory, ControlWords } from '../src/replay-process/control-words.ts';
import { CoordinatorPorts } from '../src/replay-process/coordinator-ports.ts';
import { Coordinator } from '../src/replay-process/coordinator.ts';

test('a thread that comes to something else than was recorded is told of at once, with what it is, though others wait for it', async () => {
  const threads = [0, 1].map((worker) => ({ worker, life: 0 }));
  const memory = controlMemory(2);
  const { promise, resolve } = Promise.withResolvers<FromCoordinator>();
  const ports = new CoordinatorPorts(threads);
  const coordinator = new Coordinator({ threads, memory, ports: ports.forCoordinator }, (said) => {
    if ('id' in said && said.id === 7) resolve(said);
  });
  const [first, second] = threads.map((_, index) => new ControlWords(memory, index)) as [ControlWords, ControlWords];
  // It waits for a message of the first one, and never answers.
  second.state = 'running';
  first.state = 'running';
  coordinator.receive({
    id: 7,
    run: { limits: threads.map((each) => ({ ...each, stretches: 5 })), stopAt: undefined, tracking: 'nothing' },
  });
  first.begun = 2;
  const port = ports.take({ worker: 0, life: 0 });
  port?.postMessage(JSON.stringify({ id: 0, differs: 'it asks for the time' }));
  first.endsFor('diverged');
  const { threads: here } = (await promise) as { readonly threads: readonly ThreadStatus[] };
  for (const each of ports.forCoordinator) each.close();
  expect(here[0]).toMatchObject({ state: 'over', why: 'diverged', begun: 2, differs: 'it asks for the time' });
  expect(here[1]).toMatchObject({ state: 'resting', why: undefined, differs: undefined });
});
