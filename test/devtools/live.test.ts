// Debugging a running program: what it has recorded so far can be inspected without stopping it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startLineProgram, PROGRAM } from '../live/line-program.ts';
import { connect, startDevTools } from './devtools-server.ts';

vi.setConfig({ testTimeout: 480_000 });

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('two clients inspect a running program, and pause moves both to the end of what is recorded', async () => {
  const { pid, env, send: ask } = startLineProgram(directory);
  expect(await ask('one')).toBe('1 one');
  const served = await startDevTools(['--pid', String(pid)], env);
  onTestFinished(served.stop);
  const client = await connect(served.socket);
  await client.enable();
  const { breakpointId } = await client.request('Debugger.setBreakpointByUrl', {
    url: pathToFileURL(PROGRAM).href,
    lineNumber: 6,
    condition: 'line === "two"',
  });
  expect((await client.runToPause('Debugger.resume')).data.description).toBe('the end of the recording');
  const other = await connect(served.socket);
  await other.enable();
  // From here on, only the program itself can produce more.
  await client.request('Debugger.resume');
  expect(await ask('two')).toBe('2 two');
  // The last recorded events reach the disk a little later.
  for (let isThere = false; !isThere;) {
    const now = await client.runToPause('Debugger.pause');
    expect(now.data.description).toMatch(/^recorded until /);
    await other.nextPause();
    isThere = (await client.runToPause('TimeTravel.reverse')).hitBreakpoints.includes(breakpointId as string);
  }
  await other.request('TimeTravel.now');
  expect((await client.nextPause()).data.description).toMatch(/^recorded until /);
  expect(await ask('three')).toBe('3 three');
});
