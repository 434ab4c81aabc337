// All breakpoint kinds and moves of the time machine are available in an editor: as filters, function breakpoints and
// custom requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { START_MOVE, movesOf, type MovesDescription } from '../client/moves.ts';
import { record } from '../replay/record-and-replay.ts';
import { startEditor, initializeSession } from './editor.ts';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

const TEXTS: Readonly<Record<string, string>> = { actor: 'Till*', callback: 'timer', worker: '1' };

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
beforeAll(() => void record(scratch, [join(import.meta.dirname, '../engine/programs/selling.ts')]));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('stops at every breakpoint kind, with its pattern and condition', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('configurationDone');
  await client.nextStop();
  const { breakpointKinds } = (await client.request('turntable/moves')) as unknown as MovesDescription;
  expect(breakpointKinds.length).toBeGreaterThan(20);
  const found: string[] = [];
  for (const { id, detail, canHaveCondition } of breakpointKinds) {
    // The text of the kinds actor, callback and worker is the name of an actor, of a source or a number.
    const text = TEXTS[id] ?? (detail === undefined ? '' : '*');
    const { breakpoints } = await client.request('setFunctionBreakpoints', {
      breakpoints: [{ name: `${id} ${text}`, condition: canHaveCondition ? 'true' : undefined }],
    });
    expect(breakpoints, id).toMatchObject([{ verified: true }]);
    await client.runToStop('restart');
    const { reason, description, hitBreakpointIds: hitIds } = await client.runToStop('continue', { threadId: 1 });
    if (description === 'the end of the recording') continue;
    found.push(`${id}: ${reason}`);
    expect(hitIds, id).toEqual((breakpoints as unknown as { id: number }[]).map((each) => each.id));
    if (id === 'send')
      expect(await client.request('exceptionInfo', { threadId: 1 })).toMatchObject({ exceptionId: id });
  }
  // Kinds that occur in this recording; the others run to its end.
  const occurring = [
    'send',
    'receive',
    'enter',
    'leave',
    'reply',
    'spawn',
    'settle',
    'reaction',
    'await',
    'stdout',
    'output',
    'task',
    'turn',
    'actor',
    'worker',
  ];
  expect(found).toEqual(expect.arrayContaining(occurring.map((id) => `${id}: function breakpoint`)));
});

test('a kind with a pattern is a function breakpoint, and a plain name means a turn', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  const names = ['Till*.add', 'send Clerk*.serve', 'unheard'].map((name) => ({ name, condition: 'true' }));
  const set = await client.request('setFunctionBreakpoints', { breakpoints: names.slice(0, 1) });
  const source = { path: join(import.meta.dirname, '../engine/programs/clerks.ts') };
  const lines = await client.request('setBreakpoints', { source, breakpoints: [{ line: 7 }, { line: 22 }] });
  await client.request('configurationDone');
  await client.nextStop();
  // A stop lists exactly the breakpoints that it hit.
  const ids = [set, lines].flatMap(({ breakpoints }) =>
    (breakpoints as unknown as { id: number }[]).map(({ id }) => id),
  );
  const hits: unknown[] = [];
  while (hits.length < 2) {
    const { reason, location, hitBreakpointIds } = await client.runToStop('continue', { threadId: 1 });
    if (location === 'add clerks.ts:7' || hits.length === 0) hits.push([reason, hitBreakpointIds]);
  }
  expect(hits).toEqual([
    ['breakpoint', [ids[2]]],
    ['function breakpoint', [ids[0], ids[1]]],
  ]);
  await client.request('setBreakpoints', { source, breakpoints: [] });
  await client.request('setFunctionBreakpoints', { breakpoints: names.slice(1, 2) });
  const sent = await client.runToStop('reverseContinue', { threadId: 1 });
  expect(sent).toMatchObject({
    reason: 'function breakpoint',
    location: expect.stringContaining('selling.ts:9') as string,
  });
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'Clerk.serve' }] });
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject({
    reason: 'function breakpoint',
    location: expect.stringMatching(/^serve clerks\.ts:/) as string,
  });
  await client.request('setFunctionBreakpoints', { breakpoints: names.slice(2) });
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject({
    description: 'the end of the recording',
  });
});

test('offers the exception filters from the start, each with a text and a condition', async () => {
  const client = startEditor();
  const { exceptionBreakpointFilters } = await client.request('initialize', { adapterID: 'turntable' });
  const filters = exceptionBreakpointFilters as unknown as { filter: string; supportsCondition: boolean }[];
  expect(filters).toMatchObject(
    ['all', 'uncaught', 'rejections'].map((filter) => ({ filter, supportsCondition: true })),
  );
  await client.request('launch', { recording: scratch });
  const { breakpoints } = await client.request('setExceptionBreakpoints', {
    filters: [],
    filterOptions: filters.map(({ filter }) => ({ filterId: filter, condition: 'like * if true' })),
  });
  expect(breakpoints).toMatchObject(filters.map(() => ({ verified: true })));
  const { breakpoints: unknown } = await client.request('setExceptionBreakpoints', { filters: ['eclipse'] });
  expect(unknown).toMatchObject([{ verified: false, message: 'there is no exception filter eclipse' }]);
});

test('makes every move and reports its target or why there is none', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('configurationDone');
  await client.nextStop();
  const requests = movesOf((await client.request('turntable/moves')) as unknown as MovesDescription);
  expect(requests.length).toBeGreaterThan(40);
  const first = await client.request('turntable/move', START_MOVE);
  const { position } = (first as unknown as { cursor: { position: string } }).cursor;
  for (const request of requests) {
    await client.request('turntable/move', { move: 'goto', arguments: { target: position } });
    const landed = await client.requestRaw('turntable/move', request);
    expect(landed, request.move).toMatchObject({
      success: true,
      body: { cursor: { position: expect.any(String) as string } },
    });
    const { found, reason } = landed.body as { found: boolean; reason?: string };
    if (!found) expect(reason, request.move).toBeTruthy();
  }
});

test('the stack continues at the sender, and restarting its frame moves there; other actors show their state', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'Till*.add' }] });
  await client.request('configurationDone');
  await client.nextStop();
  const { threadId } = await client.runToStop('continue', { threadId: 1 });
  const { stackFrames } = await client.request('stackTrace', { threadId });
  const frames = stackFrames as unknown as { id: number; name: string; line: number; presentationHint: string }[];
  expect(frames.slice(0, 3)).toMatchObject([
    { name: 'add', line: 7 },
    { name: 'sent by', presentationHint: 'label' },
    { name: expect.stringMatching(/^Clerk#\d\.serve, in serve$/) as string, line: 22 },
  ]);
  const { threads } = await client.request('threads');
  const others = (threads as unknown as { id: number; name: string }[]).filter(({ id }) => id !== threadId);
  expect(others.map(({ name }) => name)).toContain('the main program');
  const clerk = others.find(({ name }) => name.startsWith('Clerk'));
  const other = await client.request('stackTrace', { threadId: clerk?.id });
  const [idle] = other['stackFrames'] as unknown as [{ id: number; name: string }];
  expect(idle.name).toMatch(/^idle, /);
  const { scopes } = await client.request('scopes', { frameId: idle.id });
  const [state] = scopes as unknown as { name: string; variablesReference: number }[];
  expect(state?.name).toBe('Actor');
  const { variables } = await client.request('variables', { variablesReference: state?.variablesReference });
  expect((variables as unknown as { name: string }[]).map(({ name }) => name)).toContain('#name');
  const sender = await client.runToStop('restartFrame', { frameId: frames[2]?.id });
  expect(sender).toMatchObject({ reason: 'goto', location: 'serve clerks.ts:22' });
});
