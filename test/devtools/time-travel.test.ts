// Actors and features without CDP commands: every breakpoint kind and every move of the time machine is available.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { START_MOVE, movesOf, type MovesDescription } from '../client/moves.ts';
import type { CdpRemoteObject, StackTrace } from './cdp-client.ts';
import { serveRecorded } from './devtools-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { clientAtStart } = serveRecorded(join(import.meta.dirname, '../engine/programs/selling.ts'));

test('offers all breakpoint kinds with their parameters', async () => {
  const client = await clientAtStart();
  const { breakpointKinds } = await client.request<MovesDescription>('TimeTravel.moves');
  expect(breakpointKinds.length).toBeGreaterThan(15);
  const ids: string[] = [];
  for (const { id, detail, canHaveCondition } of breakpointKinds) {
    const params = {
      kind: id,
      text: detail && (id === 'worker' ? '0' : '*'),
      condition: canHaveCondition ? 'true' : undefined,
    };
    const { breakpointId } = await client.request<{ breakpointId: string }>('TimeTravel.setBreakpoint', params);
    ids.push(breakpointId);
  }
  const { result } = await client.request<{ result: { breakpoints: { kind: string }[] } }>('TimeTravel.ask', {
    method: 'breakpoints',
  });
  expect(result.breakpoints.map(({ kind }) => kind)).toEqual(breakpointKinds.map(({ id }) => id));
  for (const breakpointId of ids)
    if (!breakpointId.endsWith(':spawn')) await client.request('Debugger.removeBreakpoint', { breakpointId });
  const spawning = await client.runToPause('Debugger.resume');
  expect(spawning.location).toMatch(/ selling\.ts:6$/);
  expect(spawning.hitBreakpoints).toEqual(ids.filter((id) => id.endsWith(':spawn')));
});

test('offers each move, and reports its target or the reason why there is none', async () => {
  const client = await clientAtStart();
  const requests = movesOf(await client.request<MovesDescription>('TimeTravel.moves'));
  expect(requests.length).toBeGreaterThan(40);
  const { position: from } = (await client.runToPause('TimeTravel.move', START_MOVE)).data;
  for (const request of requests) {
    const landed = await client.request('TimeTravel.find', { ...request, from });
    expect(landed, request.move).toMatchObject({ cursor: { position: expect.any(String) as string } });
    if (landed['found'] !== true) expect(landed['reason'], request.move).toBeTruthy();
  }
  const { cursor } = await client.request<{ cursor: { position: string } }>('TimeTravel.find', { move: 'sender' });
  expect((await client.runToPause('TimeTravel.move', { move: 'sender' })).data.position).toBe(cursor.position);
});

test('the stack continues with the sender of the message, and the scopes with the actors of the worker', async () => {
  const client = await clientAtStart();
  await client.request('TimeTravel.setBreakpoint', { kind: 'enter', text: 'Till*.add' });
  const { location: at, callFrames, asyncStackTraceId } = await client.runToPause('Debugger.resume');
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
  const { result } = await client.request<{ result: { name: string; value: CdpRemoteObject }[] }>(
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

test('finds the last write of a value, lists positions, and moves to one', async () => {
  const client = await clientAtStart();
  await client.request('TimeTravel.setBreakpoint', { kind: 'enter', text: 'Till*.add', hitNumber: 2 });
  await client.runToPause('Debugger.resume');
  const lastWrite = await client.request('TimeTravel.whoWrote', { expression: 'this.sum', stays: true });
  expect(lastWrite).toMatchObject({ found: true, lastWrite: { kind: 'written' } });
  expect((await client.runToPause('TimeTravel.whoWrote', { expression: 'this.sum' })).location).toBe('add clerks.ts:8');
  const { tasks } = await client.request<{ tasks: { position: string; title: string }[] }>('TimeTravel.positions', {
    from: 1,
    count: 1000,
    actor: 'Till*',
  });
  const last = tasks.at(-1);
  const gone = await client.runToPause('TimeTravel.goto', { position: last?.position });
  expect(gone.data.position).toBe(last?.position);
  expect(gone.location).toBe(`${last?.title}, before its first statement clerks.ts:6`);
  expect(gone.callFrames[0]?.this).toMatchObject({ className: 'Till' });
});

test('steps do not end in blackboxed files', async () => {
  const client = await clientAtStart();
  const { breakpointId } = await client.request<{ breakpointId: string }>('TimeTravel.setBreakpoint', {
    kind: 'enter',
    text: 'Till*.add',
  });
  const { data: start } = await client.runToPause('Debugger.resume');
  await client.request('Debugger.removeBreakpoint', { breakpointId });
  await client.request('Debugger.setBlackboxPatterns', { patterns: ['/clerks\\.ts$'] });
  expect((await client.runToPause('Debugger.stepInto')).data).toMatchObject({
    position: start.position,
    description: expect.stringMatching(/^end of \w+, which no function (?:called|awaits)/) as string,
  });
  const { callFrames, data } = await client.runToPause('TimeTravel.stepBackInto');
  expect(data.position).not.toBe(start.position);
  expect(callFrames[0]?.url).not.toMatch(/clerks\.ts$/);
});
