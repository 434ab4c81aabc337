// Configurations that name a program: it is recorded, and its recording is opened.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { DapMessage } from './dap-client.ts';
import { INITIALIZE_ARGUMENTS, initializeSession, startEditor } from './editor.ts';

vi.setConfig({ testTimeout: 480_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
const recordings = join(scratch, 'recordings');
beforeAll(() => writeFileSync(join(scratch, 'hello.mjs'), "console.log('hello', process.argv[2]);\n"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('records a program, shows its output and stops at its last statement', async () => {
  const client = startEditor();
  const launch = { program: 'hello.mjs', args: ['you'], cwd: scratch };
  await initializeSession(client, 'launch', launch);
  const outputs = client.log.lines.filter((line) => line.includes('"event":"output"'));
  expect(outputs.join('\n')).toContain('hello you');
  await client.request('configurationDone');
  expect(await client.nextStop()).toMatchObject({ location: '(module) hello.mjs:1' });
  expect(readdirSync(recordings)).toHaveLength(1);
});

test('a program that fails is shown at the statement that threw, with the error', async () => {
  writeFileSync(
    join(scratch, 'failing.mjs'),
    ["process.on('exit', () => console.log('cleaned'));", 'const order = undefined;', 'order.total;', ''].join('\n'),
  );
  const client = startEditor();
  const launch = { program: 'failing.mjs', cwd: scratch, recordings: join(scratch, 'failing') };
  await initializeSession(client, 'launch', launch);
  await client.request('configurationDone');
  expect(await client.nextStop()).toMatchObject({
    reason: 'exception',
    location: '(module) failing.mjs:3',
    description:
      "uncaught TypeError: Cannot read properties of undefined (reading 'total'); the program ended with exit code 1",
  });
  expect(await client.request('exceptionInfo', { threadId: 1 })).toMatchObject({
    exceptionId: 'TypeError',
    breakMode: 'unhandled',
  });
  // From there it goes to the listener of `exit`, and its output has been printed once.
  expect(await client.runToStop('continue', { threadId: 1 })).toMatchObject({
    description: 'the end of the recording',
    location: '(anonymous) failing.mjs:1',
  });
});

test('Stop ends a service, and its recording opens with the output that was printed once', async () => {
  const client = startEditor();
  await client.request('initialize', INITIALIZE_ARGUMENTS);
  const program = join(import.meta.dirname, '../vscode/fixtures/shop/service.ts');
  const launched = client.requestRaw('launch', { program, recordings: join(scratch, 'service') });
  const isServed = ({ body }: DapMessage): boolean => String(body?.['output']).includes('served two requests');
  await client.log.whenReceived(isServed);
  await client.request('terminate');
  expect(await launched).toMatchObject({ success: true });
  await client.request('configurationDone');
  expect(await client.nextStop()).toMatchObject({ location: '(anonymous) service.ts:9' });
  await client.runToStop('reverseContinue', { threadId: 1 });
  await client.runToStop('continue', { threadId: 1 });
  const { total } = await client.request('turntable/ask', { method: 'requests', params: { count: 10 } });
  expect(total).toBe(2);
  expect(client.log.lines.filter((line) => line.includes('served two requests'))).toHaveLength(1);
  // Now it ends the session.
  await client.request('terminate');
  await client.nextEvent('terminated');
});

test.each([
  ['program', { program: 'helo.mjs', cwd: scratch }, `there is no file ${join(scratch, 'helo.mjs')}`],
  ['cwd', { program: 'hello.mjs', cwd: join(scratch, 'away') }, `there is no directory ${join(scratch, 'away')}`],
])('a missing %s is reported, and nothing is recorded', async (name, launch, problem) => {
  const client = startEditor();
  await client.request('initialize', INITIALIZE_ARGUMENTS);
  const target = join(scratch, `nothing-${name}`);
  expect(await client.requestRaw('launch', { ...launch, recordings: target })).toMatchObject({
    success: false,
    message: `${problem}; correct "${name}" in the configuration`,
  });
  expect(existsSync(target)).toBe(false);
  await client.request('launch', { program: 'hello.mjs', cwd: scratch, recordings: target });
  expect(readdirSync(target)).toHaveLength(1);
});
