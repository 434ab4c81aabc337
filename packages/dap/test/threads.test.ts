// Actors as threads: those that exist at the position, the shown ones first, then main programs, then the actors with
// the most tasks. An idle thread steps to its own tasks.
import { expect, test } from 'vitest';
import { TimeMachineServer } from '@turntable/time-machine/server';
import type { DapClient } from '../../../test/dap/dap-client.ts';
import { buildRunIndex, type RandomStep } from '../../time-machine/test/random-runs.ts';
import { connectEditor, embedderOf, INITIALIZE } from './scripted-session.ts';

function run(kind: 'evaluation' | 'construct' | 'call', actor: number): RandomStep {
  return { action: 'run', thread: 0, sends: 0, kind, actor };
}

/** A main program, three actors of which the last has the most tasks, and a main program of a worker, the second task. */
const STEPS: readonly RandomStep[] = [
  { action: 'run', thread: 0, sends: 1, kind: 'evaluation', actor: 0 },
  run('construct', 1),
  run('construct', 2),
  run('construct', 3),
  run('call', 3),
  run('call', 2),
  run('call', 3),
  { action: 'take', thread: 1, from: 0 },
  { action: 'run', thread: 1, sends: 0, kind: 'evaluation', actor: 0 },
];

async function startAt(target: string, threads?: number): Promise<DapClient> {
  const recording = { name: 'recordings/actors', from: undefined, verdict: 'same' };
  const client = connectEditor(embedderOf(new TimeMachineServer(buildRunIndex(STEPS), recording, '1.2.3')));
  await client.request('initialize', INITIALIZE);
  await client.request('launch', { recording: 'actors', threads });
  await client.request('configurationDone');
  await client.nextStop();
  if (target !== 'start') await goTo(client, target);
  return client;
}

async function goTo(client: DapClient, target: string): Promise<void> {
  await client.runToStop('turntable/move', { move: 'goto', arguments: { target } });
}

async function namesOf(client: DapClient): Promise<string[]> {
  const { threads } = await client.request('threads');
  return (threads as unknown as { name: string }[]).map(({ name }) => name);
}

const [MAIN, FIRST, SECOND, THIRD] = [0, 1, 2, 3].map((i) => `actor ${i} of 0`) as [string, string, string, string];
const WORKER = 'actor 0 of 1 (worker 1)';

test.each([
  ['start', [MAIN, WORKER]],
  ['0.3', [FIRST, MAIN, WORKER]],
  ['0.4', [SECOND, MAIN, WORKER, FIRST]],
  ['0.5', [THIRD, MAIN, WORKER, SECOND, FIRST]],
])('at %s, the actors that exist are listed', async (target, names) => {
  const client = await startAt(target);
  expect(await namesOf(client)).toEqual(names);
});

test('threads that were shown are listed in the order of their last stops', async () => {
  const client = await startAt('end');
  // At the end no thread runs: the one that was shown last counts as the current one.
  expect(await namesOf(client)).toEqual([MAIN, WORKER, THIRD, SECOND, FIRST]);
  await goTo(client, '0.4');
  expect(await namesOf(client)).toEqual([SECOND, MAIN, WORKER, FIRST]);
  await goTo(client, '0.3');
  await goTo(client, 'end');
  expect(await namesOf(client)).toEqual([FIRST, SECOND, MAIN, WORKER, THIRD]);
  await goTo(client, '0.7');
  expect(await namesOf(client)).toEqual([SECOND, FIRST, MAIN, WORKER, THIRD]);
});

test.each([
  [4, [MAIN, WORKER, THIRD, SECOND], 1],
  [5, [MAIN, WORKER, THIRD, SECOND, FIRST], 0],
])('of five actors, %i threads are listed if that is the limit', async (threads, names, notes) => {
  const client = await startAt('end', threads);
  expect(await namesOf(client)).toEqual(names);
  expect(await namesOf(client)).toEqual(names);
  const outputs = client.log.received.filter(({ event }) => event === 'output').map(({ body }) => body?.['output']);
  expect(outputs.filter((text) => String(text).includes('set "threads"'))).toHaveLength(notes);
});

test('an idle thread steps to its next and its previous task, and there is none past the ends', async () => {
  const client = await startAt('0.5');
  const idOf = async (name: string): Promise<number | undefined> => {
    const { threads } = await client.request('threads');
    return (threads as unknown as { id: number; name: string }[]).find((each) => each.name === name)?.id;
  };
  const second = await idOf(SECOND);
  const positionAfter = async (command: string, threadId: number | undefined): Promise<string> => {
    const { reason, description } = await client.runToStop(command, { threadId });
    const { position } = await client.request('turntable/cursor');
    return [reason, position, ...(description === undefined ? [] : [description])].join(' ');
  };
  const third = await idOf(THIRD);
  expect(await positionAfter('next', second)).toBe('step 0.7');
  expect(await positionAfter('stepBack', third)).toBe('step 0.6');
  expect(await positionAfter('stepBack', second)).toBe('step 0.4');
  expect(await positionAfter('stepBack', third)).toBe(`pause 0.4 ${THIRD} has no earlier task`);
  await goTo(client, '0.8');
  expect(await positionAfter('next', second)).toBe(`pause 0.8 ${SECOND} has no later task`);
  await goTo(client, 'start');
  expect(await positionAfter('stepBack', second)).toBe(`pause 0.1 ${SECOND} has no earlier task`);
  await expect(client.request('stackTrace', { threadId: 0 })).rejects.toThrow('threads are numbered from 1 to 5');
  await expect(client.request('stackTrace', { threadId: 6 })).rejects.toThrow('there is no thread 6');
  await expect(client.request('stackTrace', { threadId: 5 })).rejects.toThrow('not replayed statement by statement');
});
