// A program that still runs: what it has recorded so far can be looked into, and it is not stopped. Others that are served: one connects to them, goes, and comes back.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { startLineProgram } from '../live/line-program.ts';
import { record } from '../replay/record-and-replay.ts';
import { startDapPort, startEditor, firstOutputLine, initializeSession } from './editor.ts';

vi.setConfig({ testTimeout: 480_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

test('a program is looked into while it runs, and goes on', async () => {
  const { pid, env, send: ask } = startLineProgram(room);
  expect(await ask('one')).toBe('1 one');
  const client = startEditor(env);
  await initializeSession(client, 'attach', { pid });
  await client.request('configurationDone');
  const { order } = (await client.nextStop()) && (await client.request('turntable/cursor'));
  expect(await ask('two')).toBe('2 two');
  // What was recorded last is brought to the disk a little later.
  for (let later = Number(order); later <= Number(order);) {
    expect(await client.runToStop('pause', { threadId: 1 })).toMatchObject({ reason: 'pause' });
    later = Number((await client.request('turntable/cursor'))['order']);
  }
  await client.request('disconnect');
  expect(await ask('three')).toBe('3 three');
});

test('a time machine that is served is shared, left and come back to', async () => {
  const into = join(room, 'served');
  record(into, [join(import.meta.dirname, '../engine/programs/steps.mjs')]);
  const address = await firstOutputLine(['debug', into, '--serve']);
  const [, port, secret] = /:(\d+)\/(\w+)$/.exec(address) ?? [];
  const at = await startDapPort();
  const attach = { port: Number(port), secret, token: at.token };
  const one = at.connect();
  await initializeSession(one, 'attach', attach);
  await one.request('configurationDone');
  await one.runToStop('next', { threadId: 1 });
  const { position } = await one.request('turntable/cursor');
  await one.request('disconnect');
  await one.closed;
  const reconnected = at.connect();
  const other = at.connect();
  for (const client of [reconnected, other]) await initializeSession(client, 'attach', attach);
  await expect(reconnected.request('turntable/cursor')).resolves.toMatchObject({ position });
  await reconnected.request('turntable/move', { move: 'end' });
  expect(await other.nextEvent('stopped')).toMatchObject({ reason: 'goto' });
  await expect(at.connect().request('initialize', {})).resolves.toMatchObject({ supportsStepBack: true });
});
