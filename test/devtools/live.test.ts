// A program that still runs: what it has recorded so far can be looked into, and it is not stopped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { askedProgram, PROGRAM } from '../live/asked.ts';
import { connected, serving } from './served.ts';

vi.setConfig({ testTimeout: 480_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

test('a program is looked into while it goes on, by two clients, and pause leads all to what it has recorded by then', async () => {
  const { pid, env, ask } = askedProgram(room);
  expect(await ask('one')).toBe('1 one');
  const served = await serving(['--pid', String(pid)], undefined, env);
  onTestFinished(served.stop);
  const client = await connected(served.socket);
  await client.begin();
  const { breakpointId } = await client.request('Debugger.setBreakpointByUrl', {
    url: pathToFileURL(PROGRAM).href,
    lineNumber: 6,
    condition: 'line === "two"',
  });
  expect((await client.go('Debugger.resume')).data.description).toBe('the end of the recording');
  const other = await connected(served.socket);
  await other.begin();
  // From there on it is the program that goes on.
  await client.request('Debugger.resume');
  expect(await ask('two')).toBe('2 two');
  // What was recorded last is brought to the disk a little later.
  for (let isThere = false; !isThere;) {
    const now = await client.go('Debugger.pause');
    expect(now.data.description).toMatch(/^recorded until /);
    await other.paused();
    isThere = (await client.go('TimeTravel.reverse')).hitBreakpoints.includes(breakpointId as string);
  }
  await other.request('TimeTravel.now');
  expect((await client.paused()).data.description).toMatch(/^recorded until /);
  expect(await ask('three')).toBe('3 three');
});
