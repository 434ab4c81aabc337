// Attaching to a running program, whose recording is inspected while it continues; and to a served time machine that
// clients share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { PROGRAM, startLineProgram } from '../live/line-program.ts';
import { record } from '../replay/record-and-replay.ts';
import { startDapPort, startEditor, firstOutputLine, initializeSession } from './editor.ts';

vi.setConfig({ testTimeout: 480_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('inspects a running program, which continues', async () => {
  const { pid, env, send } = startLineProgram(scratch);
  expect(await send('one')).toBe('1 one');
  const client = startEditor(env);
  await initializeSession(client, 'attach', { pid });
  await client.request('configurationDone');
  const { order } = (await client.nextStop()) && (await client.request('turntable/cursor'));
  expect(await send('two')).toBe('2 two');
  // The latest events reach the disk a little later.
  let later = Number(order);
  while (later <= Number(order)) {
    expect(await client.runToStop('pause', { threadId: 1 })).toMatchObject({ reason: 'pause' });
    later = Number((await client.request('turntable/cursor'))['order']);
  }
  // Continue at the end also reads the latest events, and goes from the previous end to a breakpoint in them.
  expect(await send('three')).toBe('3 three');
  const source = { path: PROGRAM };
  let stop = { reason: 'pause' };
  while (stop.reason === 'pause') {
    client.log.discardReceived();
    await client.request('continue', { threadId: 1 });
    await client.nextEvent('initialized');
    await client.request('setBreakpoints', { source, breakpoints: [{ line: 6 }] });
    await client.request('configurationDone');
    stop = await client.nextStop();
  }
  expect(stop.reason).toBe('breakpoint');
  expect(Number((await client.request('turntable/cursor'))['order'])).toBeGreaterThanOrEqual(later);
  await client.request('disconnect');
  expect(await send('four')).toBe('4 four');
});

test('clients share a served time machine, and may leave and reconnect', async () => {
  const into = join(scratch, 'served');
  record(into, [join(import.meta.dirname, '../engine/programs/steps.mjs')]);
  const address = await firstOutputLine(['debug', into, '--serve']);
  const [, port, secret] = /:(\d+)\/(\w+)$/.exec(address) ?? [];
  const dapPort = await startDapPort();
  const attach = { port: Number(port), secret, token: dapPort.token };
  const first = dapPort.connect();
  await initializeSession(first, 'attach', attach);
  await first.request('configurationDone');
  await first.runToStop('next', { threadId: 1 });
  const { position } = await first.request('turntable/cursor');
  await first.request('disconnect');
  await first.closed;
  const reconnected = dapPort.connect();
  const second = dapPort.connect();
  for (const client of [reconnected, second]) await initializeSession(client, 'attach', attach);
  await expect(reconnected.request('turntable/cursor')).resolves.toMatchObject({ position });
  await reconnected.request('turntable/move', { move: 'goto', arguments: { target: 'end' } });
  expect(await second.nextEvent('stopped')).toMatchObject({ reason: 'goto' });
  await expect(dapPort.connect().request('initialize', {})).resolves.toMatchObject({ supportsStepBack: true });
});
