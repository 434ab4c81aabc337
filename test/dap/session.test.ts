// A whole session of an editor, word for word (golden/session.txt): opens a recording, moves forward and backward,
// inspects state, and disconnects.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { startEditor, initializeSession, transcript } from './editor.ts';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
const program = join(import.meta.dirname, '../engine/programs/steps.mjs');
const source = { path: program };
beforeAll(() => void record(scratch, [program]));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('steps through a recording and inspects it, forward and back', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('breakpointLocations', { source, line: 43, endLine: 44 });
  await client.request('setBreakpoints', {
    source,
    breakpoints: [{ line: 6, condition: 'sum > 1' }, { line: 13, hitCondition: '2' }, { line: 99 }],
  });
  await client.request('setFunctionBreakpoints', { breakpoints: [] });
  await client.request('setExceptionBreakpoints', { filters: [] });
  await client.request('configurationDone');
  await client.nextStop();
  await client.request('threads');
  const first = await client.runToStop('continue', { threadId: 1 });
  await client.request('stackTrace', { threadId: first.threadId });
  const { scopes } = await client.request('scopes', { frameId: first.frame });
  const [{ variablesReference }] = scopes as unknown as [{ variablesReference: number }];
  await client.request('variables', { variablesReference });
  await client.request('evaluate', { expression: 'a * 10 + b', frameId: first.frame, context: 'hover' });
  await client.requestRaw('evaluate', { expression: 'nowhere', frameId: first.frame, context: 'repl' });
  await client.runToStop('stepBack', { threadId: 1 });
  await client.runToStop('next', { threadId: 1 });
  await client.runToStop('stepIn', { threadId: 1 });
  await client.runToStop('stepOut', { threadId: 1 });
  await client.runToStop('continue', { threadId: 1 });
  await client.runToStop('reverseContinue', { threadId: 1 });
  await client.runToStop('reverseContinue', { threadId: 1 });
  await client.request('setBreakpoints', { source, breakpoints: [] });
  await client.runToStop('continue', { threadId: 1 });
  await client.runToStop('restart');
  await client.request('turntable/find', { move: 'output' });
  await client.request('disconnect');
  await client.closed;
  const moves = /"moves":\[.*?\],"breakpointKinds"/;
  await expect(transcript(client).replace(moves, '"moves":[…],"breakpointKinds"')).toMatchFileSnapshot(
    'golden/session.txt',
  );
});

test('a data breakpoint stops at the writes of a value, backward to its origin and forward', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch, stopAt: 'end' });
  await client.request('configurationDone');
  await client.nextStop();
  const lastSum = await client.request('gotoTargets', { source, line: 41, column: 29 });
  const targets = lastSum['targets'] as unknown as { id: number; label: string }[];
  expect(targets.map(({ label }) => label.replace(/, at .*/, ''))).toEqual([
    'previous of 3 executions',
    'first of 3 executions',
  ]);
  // Without a column, or in column 1, the first statement of the line counts.
  for (const column of [{}, { column: 1 }]) {
    const ofLine = await client.request('gotoTargets', { source, line: 37, ...column });
    expect((ofLine['targets'] as unknown as { label: string }[]).map(({ label }) => label)).toEqual([
      expect.stringMatching('previous of 2 executions, at'),
      expect.stringMatching('first of 2 executions, at'),
    ]);
  }
  const stop = await client.runToStop('goto', { threadId: 1, targetId: targets[0]?.id });
  expect(stop).toMatchObject({ reason: 'goto', location: '(module) steps.mjs:41' });
  const info = await client.request('dataBreakpointInfo', { name: 'total', frameId: stop.frame });
  const set = await client.request('setDataBreakpoints', { breakpoints: [{ dataId: info['dataId'] }] });
  expect(set['breakpoints']).toEqual([{ id: expect.any(Number), verified: true }]);
  const lines: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { reason, location } = await client.runToStop('reverseContinue', { threadId: 1 });
    lines.push(`${reason}: ${location.replace(/, before.*/, '')}`);
  }
  expect(lines).toEqual([
    'data breakpoint: (module) steps.mjs:41',
    'data breakpoint: (module) steps.mjs:40',
    'entry: the program is evaluated',
  ]);
  // Forward it stops at the same writes, and at the later ones.
  const forward: string[] = [];
  for (let i = 0; i < 7; i++) {
    const { reason, location, description, hitBreakpointIds } = await client.runToStop('continue', { threadId: 1 });
    forward.push(`${reason}: ${location}, ${description}`);
    if (reason === 'data breakpoint')
      expect(hitBreakpointIds).toEqual((set['breakpoints'] as unknown as { id: number }[]).map(({ id }) => id));
  }
  expect(forward).toEqual([
    'data breakpoint: (module) steps.mjs:40, total changes here: undefined -> 0',
    'data breakpoint: (module) steps.mjs:41, total changes here: 0 -> 1',
    'data breakpoint: (module) steps.mjs:41, total changes here: 1 -> 3',
    'data breakpoint: (module) steps.mjs:42, total changes here: 3 -> 11',
    'data breakpoint: (module) steps.mjs:42, total changes here: 11 -> 15',
    'data breakpoint: (module) steps.mjs:42, total changes here: 15 -> 17',
    'pause: said steps.mjs:2, the end of the recording',
  ]);
});

test('a data breakpoint without a value that can be watched is not verified, and says why', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 6 }] });
  await client.request('configurationDone');
  await client.nextStop();
  const { frame } = await client.runToStop('continue', { threadId: 1 });
  const info = await client.request('dataBreakpointInfo', { name: 'nowhere', frameId: frame });
  const { breakpoints } = await client.request('setDataBreakpoints', { breakpoints: [{ dataId: info['dataId'] }] });
  expect(breakpoints).toMatchObject([{ verified: false, message: expect.any(String) as string }]);
});

test('evaluates expressions in any frame and copies values in full', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 6, condition: 'b === 1' }] });
  await client.request('configurationDone');
  await client.nextStop();
  const { threadId, frame } = await client.runToStop('continue', { threadId: 1 });
  const { stackFrames } = await client.request('stackTrace', { threadId });
  const [, outer] = stackFrames as unknown as { id: number }[];
  const evaluated = async (expression: string, frameId = outer?.id, context = 'watch'): Promise<unknown> => {
    const { success, message, body } = await client.requestRaw('evaluate', { expression, frameId, context });
    return success === true ? body?.['result'] : message;
  };
  expect(await evaluated('[total, i]')).toBe('Array(2) [0, 1]');
  expect(await evaluated('a')).toBe('ReferenceError: a is not defined');
  expect(await evaluated('console.log(i)')).toBe(
    'it could change the program, which only an input in the innermost frame may do',
  );
  expect(await evaluated('[a, b]', frame)).toBe('Array(2) [0, 1]');
  const { variablesReference } = await client.request('evaluate', { expression: '[total, i]', frameId: outer?.id });
  const { variables } = await client.request('variables', { variablesReference });
  expect(variables).toContainEqual(expect.objectContaining({ name: '1', value: '1', evaluateName: '[total, i][1]' }));
  const long = "'ab'.repeat(3000)";
  expect(await evaluated(long, frame, 'hover')).toBe(JSON.stringify('ab'.repeat(3000)));
  expect(await evaluated(long, frame, 'clipboard')).toBe('ab'.repeat(3000));
  expect(await evaluated('({ a, all: [b] })', frame, 'clipboard')).toBe(
    JSON.stringify({ a: 0, all: [1] }, undefined, 2),
  );
  expect(await evaluated('said', frame, 'clipboard')).toBe('function said');
});

test('shows the error that is thrown at a stop, forward and back', async () => {
  const errors = join(scratch, 'errors');
  record(errors, [join(import.meta.dirname, '../engine/programs/errors.mjs')]);
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: errors });
  await client.request('setExceptionBreakpoints', { filters: ['all'] });
  await client.request('configurationDone');
  await client.nextStop();
  expect(await client.requestRaw('exceptionInfo', { threadId: 1 })).toMatchObject({ success: false });
  const descriptions: unknown[] = [];
  for (const command of ['continue', 'continue', 'reverseContinue']) {
    expect(await client.runToStop(command, { threadId: 1 })).toMatchObject({ reason: 'exception' });
    descriptions.push((await client.request('exceptionInfo', { threadId: 1 }))['description']);
  }
  const first: unknown = expect.stringMatching(/^SyntaxError: ./);
  expect(descriptions).toEqual([first, 'RangeError: no x', first]);
  expect((await client.request('exceptionInfo', { threadId: 1 }))['details']).toMatchObject({
    typeName: 'SyntaxError',
    stackTrace: expect.stringMatching(/^at .*errors\.mjs:\d+:\d+/) as string,
  });
});

test('stops at the throw of an error, not in the constructor of its class, forward and back', async () => {
  const thrown = join(scratch, 'thrown');
  record(thrown, [join(import.meta.dirname, '../vscode/fixtures/shop/orders.ts')]);
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: thrown });
  await client.request('setExceptionBreakpoints', { filters: ['all'] });
  await client.request('configurationDone');
  await client.nextStop();
  const stop = { reason: 'exception', location: 'reserve orders.ts:13' };
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject(stop);
  const { details } = await client.request('exceptionInfo', { threadId: 1 });
  expect(details).toMatchObject({ typeName: 'SoldOut', message: 'no book left' });
  // From the throw, it is not a later error.
  expect(await client.requestRaw('turntable/find', { move: 'exception' })).toMatchObject({ body: { found: false } });
  const end = { description: 'the end of the recording' };
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject(end);
  expect(await client.runToStop('reverseContinue', { threadId: 1 })).toMatchObject(stop);
  await client.request('turntable/move', { move: 'goto', arguments: { target: 'end' } });
  const previous = await client.request('turntable/move', { move: 'exception', direction: 'backward' });
  expect(previous['cursor']).toMatchObject({ statement: { line: 13, kind: 'throw' } });
});

test('a log point prints for every hit in the recording and never stops', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 6, logMessage: '{a} and {b}' }] });
  await client.request('configurationDone');
  const outputs: unknown[] = [];
  while (outputs.length < 3) outputs.push((await client.nextEvent('output'))['output']);
  expect(outputs).toEqual(['0.1:3.2  0 and 0\n', '0.1:6.2  0 and 1\n', '0.1:9.2  1 and 2\n']);
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject({
    description: 'the end of the recording',
  });
});

test('the objects of a log point can be expanded, also after moves', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  const logMessage = '{{ a, list: [b, { c: [a] }] }} {sum}';
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 6, logMessage }] });
  await client.request('configurationDone');
  const references: number[] = [];
  while (references.length < 3) references.push(Number((await client.nextEvent('output'))['variablesReference']));
  await client.runToStop('continue', { threadId: 1 });
  const partsOf = async (variablesReference: number): Promise<Record<string, { value: string; reference: number }>> => {
    const { variables } = await client.request('variables', { variablesReference });
    const all = variables as unknown as { name: string; value: string; variablesReference: number }[];
    return Object.fromEntries(
      all.map(({ name, value, variablesReference: reference }) => [name, { value, reference }]),
    );
  };
  const { sum, ...others } = await partsOf(references[2] as number);
  expect(sum?.value).toBe('3');
  const { a, list } = await partsOf(others['{ a, list: [b, { c: [a] }] }']?.reference as number);
  expect([a?.value, list?.value]).toEqual(['1', 'Array(2) [2, {c: Array(1) […]}]']);
  const inner = (await partsOf(list?.reference as number))['1'];
  const { c } = await partsOf(inner?.reference as number);
  expect((await partsOf(c?.reference as number))['0']).toEqual({ value: '1', reference: 0 });
});

test('output of the program is sent after the statement that prints it', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 7 }] });
  await client.request('configurationDone');
  await client.nextStop();
  for (const output of ['{"a":0,"b":0,"sum":0}\n', '{"a":0,"b":1,"sum":1}\n']) {
    await client.request('continue', { threadId: 1 });
    expect(await client.nextEvent('output')).toEqual({ category: 'stdout', output });
  }
});

test('identifies files by their recorded source, whether they exist or not', async () => {
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: scratch });
  const { sources } = await client.request('loadedSources');
  const all = sources as unknown as { name: string; path: string }[];
  expect(all.map(({ path }) => path)).toContain(program);
  const text = readFileSync(program, 'utf8');
  expect(await client.request('source', { source: { path: program }, sourceReference: 0 })).toEqual({ content: text });
  // A checkout elsewhere: the recorded file with the longest common path end is meant.
  const elsewhere = { path: '/somewhere/else/programs/steps.mjs' };
  const moved = await client.request('setBreakpoints', { source: elsewhere, breakpoints: [{ line: 6 }] });
  expect(moved['breakpoints']).toMatchObject([{ verified: true, line: 6 }]);
  const none = await client.request('setBreakpoints', { source: { path: '/a/b.ts' }, breakpoints: [{ line: 1 }] });
  expect(none['breakpoints']).toMatchObject([{ verified: false, message: 'the recording has no such file' }]);
});

test('a breakpoint in an edited file is set by text, and one that cannot stop is not verified', async () => {
  const folder = join(scratch, 'edited');
  mkdirSync(folder);
  const edited = join(folder, 'orders.ts');
  const text = readFileSync(join(import.meta.dirname, '../vscode/fixtures/shop/orders.ts'), 'utf8');
  writeFileSync(edited, text);
  record(join(folder, 'recordings'), [edited]);
  writeFileSync(edited, `// A new line.\n\n${text.replace('total += count;', 'total += 2;')}`);
  const client = startEditor();
  await initializeSession(client, 'launch', { recording: join(folder, 'recordings') });
  const lines = [13, 16, 17];
  const set = await client.request('setBreakpoints', {
    source: { path: edited },
    breakpoints: lines.map((line) => ({ line })),
  });
  const message = 'the file has changed, and the recorded file has no such line';
  expect(set['breakpoints']).toMatchObject([
    { verified: true, line: 13 },
    { verified: true, line: 16 },
    { verified: false, line: 17, message },
  ]);
  const functions = await client.request('setFunctionBreakpoints', {
    breakpoints: [{ name: 'order' }, { name: 'nothing' }],
  });
  expect(functions['breakpoints']).toMatchObject([
    { verified: true },
    { verified: false, message: 'the recording has no function and no turn of this name' },
  ]);
  await client.request('configurationDone');
  await client.nextStop();
  const locations: string[] = [];
  for (let i = 0; i < 3; i++) locations.push((await client.runToStop('continue', { threadId: 1 })).location);
  expect(locations).toEqual(['order orders.ts:20', 'reserve orders.ts:11', 'reserve orders.ts:14']);
});
