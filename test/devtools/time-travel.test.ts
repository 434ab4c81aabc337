// Actors, and what Chrome's protocol has no commands for: every kind of thing to stop at and every move that the time machine describes can be had.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TO_WHERE, waysOf, type Described } from '../client/moves.ts';
import type { RemoteObject, StackTrace } from './cdp-client.ts';
import { recorded } from './served.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { beginning } = recorded(join(import.meta.dirname, '../engine/programs/selling.ts'));

test('there are all kinds to stop at, with what they take', async () => {
  const client = await beginning();
  const { breakpoints } = await client.request<Described>('TimeTravel.moves');
  expect(breakpoints.length).toBeGreaterThan(15);
  const ids: string[] = [];
  for (const { id, tells, conditions } of breakpoints) {
    const wish = { kind: id, matching: tells && '*', condition: conditions ? 'true' : undefined };
    const { breakpointId } = await client.request<{ breakpointId: string }>('TimeTravel.setBreakpoint', wish);
    ids.push(breakpointId);
  }
  const { result } = await client.request<{ result: { breakpoints: { kind: string }[] } }>('TimeTravel.ask', {
    method: 'breakpoints',
  });
  expect(result.breakpoints.map(({ kind }) => kind)).toEqual(breakpoints.map(({ id }) => id));
  for (const breakpointId of ids)
    if (!breakpointId.endsWith(':spawned')) await client.request('Debugger.removeBreakpoint', { breakpointId });
  const spawning = await client.go('Debugger.resume');
  expect(spawning.at).toMatch(/ selling\.ts:6$/);
  expect(spawning.hitBreakpoints).toEqual(ids.filter((id) => id.endsWith(':spawned')));
});

test('each move can be made, and says where it has led or why it leads nowhere', async () => {
  const client = await beginning();
  const ways = waysOf(await client.request<Described>('TimeTravel.moves'));
  expect(ways.length).toBeGreaterThan(40);
  const { position: from } = (await client.go('TimeTravel.move', TO_WHERE)).data;
  for (const wanted of ways) {
    const landed = await client.request('TimeTravel.find', { ...wanted, from });
    expect(landed, wanted.move).toMatchObject({ where: { position: expect.any(String) as string } });
    if (landed['found'] !== true) expect(landed['why'], wanted.move).toBeTruthy();
  }
  const { where } = await client.request<{ where: { position: string } }>('TimeTravel.find', { move: 'sender' });
  expect((await client.go('TimeTravel.move', { move: 'sender' })).data.position).toBe(where.position);
});

test('the stack goes on to who has sent the message, and the scopes to who lives here and what waits', async () => {
  const client = await beginning();
  await client.request('TimeTravel.setBreakpoint', { kind: 'entered', matching: 'Till*.add' });
  const { at, callFrames, asyncStackTraceId } = await client.go('Debugger.resume');
  expect(at).toBe('add clerks.ts:7');
  const { stackTrace } = await client.request<{ stackTrace: StackTrace }>('Debugger.getStackTrace', {
    stackTraceId: asyncStackTraceId,
  });
  expect(stackTrace).toMatchObject({
    description: 'sent by',
    callFrames: [{ functionName: expect.stringMatching(/^Clerk#\d\.serve, in serve$/) as string, lineNumber: 21 }],
    parent: { description: 'sent by' },
  });
  const [frame] = callFrames;
  expect(frame?.this).toMatchObject({ type: 'object', className: 'Till' });
  const actors = frame?.scopeChain.find(({ type }) => type === 'global')?.object;
  const { result } = await client.request<{ result: { name: string; value: RemoteObject }[] }>(
    'Runtime.getProperties',
    {
      objectId: actors?.objectId,
    },
  );
  const clerk = result.find(({ name }) => name.startsWith('Clerk'));
  expect(clerk?.value).toMatchObject({ className: 'Clerk' });
  const state = await client.request('Runtime.getProperties', { objectId: clerk?.value.objectId });
  expect(state['privateProperties']).toMatchObject([{ name: '#name', value: { type: 'string' } }]);
});

test('who has written a value is found backwards, and positions are told and gone to', async () => {
  const client = await beginning();
  await client.request('TimeTravel.setBreakpoint', { kind: 'entered', matching: 'Till*.add', times: 2 });
  await client.go('Debugger.resume');
  const wrote = await client.request('TimeTravel.whoWrote', { expression: 'this.sum', stays: true });
  expect(wrote).toMatchObject({ found: true, origin: { way: 'written' } });
  expect((await client.go('TimeTravel.whoWrote', { expression: 'this.sum' })).at).toBe('add clerks.ts:8');
  const { stretches } = await client.request<{ stretches: { position: string; title: string }[] }>(
    'TimeTravel.positions',
    {
      from: 1,
      count: 1000,
      actor: 'Till*',
    },
  );
  const last = stretches.at(-1);
  const gone = await client.go('TimeTravel.goto', { position: last?.position });
  expect(gone.data.position).toBe(last?.position);
  expect(gone.at).toBe(`${last?.title}, before its first statement clerks.ts:6`);
  expect(gone.callFrames[0]?.this).toMatchObject({ className: 'Till' });
});

test('steps do not end in files that nobody wants to see', async () => {
  const client = await beginning();
  await client.request('TimeTravel.setBreakpoint', { kind: 'entered', matching: 'Till*.add' });
  await client.go('Debugger.resume');
  await client.request('Debugger.setBlackboxPatterns', { patterns: ['/clerks\\.ts$'] });
  for (const { at, data } of [await client.go('Debugger.stepInto'), await client.go('TimeTravel.stepBackInto')])
    expect(at.includes('clerks.ts') && data.position.includes(':'), at).toBe(false);
});
