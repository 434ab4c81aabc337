// Tests the coordinator's reports about threads that wait for each other, from control words and messages.
import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { FromCoordinator, ThreadName, ThreadStatus } from '@turntable/time-machine/replay-process';
import { createControlMemory, ControlWords } from '../src/replay-process/control-words.ts';
import type { ThreadRequest } from '../src/replay-process/coordinator-channel.ts';
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

test('a stopped worker is replaced only when another thread needs it, and then has its last traces', async () => {
  const threads = [0, 1].map((worker) => ({ worker, epoch: 0 })).concat({ worker: 1, epoch: 1 });
  const [mainThread, stopped] = threads as [ThreadName, ThreadName, ThreadName];
  const memory = createControlMemory(3);
  const responses = new EventEmitter();
  const ports = new CoordinatorPorts(threads);
  const coordinator = new Coordinator({ threads, memory, ports: ports.coordinatorPorts }, (message) => {
    if ('id' in message) responses.emit(String(message.id), message);
  });
  onTestFinished(() => ports.coordinatorPorts.forEach((each) => each.close()));
  const [main, old, next] = [0, 1, 2].map((index) => new ControlWords(memory, index)) as [
    ControlWords,
    ControlWords,
    ControlWords,
  ];
  const port = ports.takeThreadPort(mainThread);
  const requests: ThreadRequest[] = [];
  const traces = [{ task: 2, locations: [], statements: [], isTruncated: false, sends: [] }];
  // The main thread replaces the worker and continues to its limit.
  port?.on('message', (json: string) => {
    const request = JSON.parse(json) as ThreadRequest;
    requests.push(request);
    ports.takeThreadPort(stopped)?.postMessage(JSON.stringify({ id: 0, taskTraces: traces }));
    next.state = 'at-task';
    next.acknowledge(next.lastCall);
    main.startedTasks = main.limit;
    main.state = 'at-task';
    port.postMessage(JSON.stringify({ id: request.id, result: true }));
  });
  const run = async (id: number, tasks: readonly [number, number, number]): Promise<unknown> => {
    const response = once(responses, String(id));
    const limits = threads.map((each, index) => ({ ...each, tasks: tasks[index] as number }));
    coordinator.receive({ id, run: { limits, pauseAt: undefined, tracking: 'statements' } });
    main.acknowledge(main.lastCall);
    const [{ threads: statuses }] = (await response) as [{ readonly threads: readonly ThreadStatus[] }];
    return statuses.map(({ state }) => state);
  };
  main.state = 'at-task';
  main.startedTasks = 1;
  old.startedTasks = 2;
  old.setEnded('cut off');
  expect(await run(1, [1, 2, 0])).toEqual(['at-task', 'ended', 'pending']);
  expect(requests).toEqual([]);
  expect(await run(2, [2, 2, 0])).toEqual(['at-task', 'gone', 'at-task']);
  expect(requests).toMatchObject([{ request: 'replaceStopped', params: stopped }]);
  const answered = once(responses, '3');
  coordinator.receive({ id: 3, thread: stopped, request: 'taskTraces', params: undefined });
  expect(await answered).toMatchObject([{ result: traces }]);
});
