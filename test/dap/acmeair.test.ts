// Finds the seeded bug of Acme Air backwards with an independent DAP client: two requests read the same miles, and both
// wrote their own result.
import '../engine/own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recordSeededBug } from '../../examples/acmeair/story/seeded-bug.ts';
import { startDapPort, INITIALIZE_ARGUMENTS } from './editor.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
beforeAll(() => recordSeededBug(scratch));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Stop {
  readonly reason: string;
  readonly description: string | undefined;
  readonly frames: readonly {
    readonly id: number;
    readonly name: string;
    readonly source?: { readonly name?: string };
  }[];
}

test('an independent client finds the lost update: the write, the previous write and its sender', async () => {
  const { port, token } = await startDapPort();
  const client = new DebugClient('', '', 'turntable');
  await client.start(port);
  const stopped = async (): Promise<Stop> => {
    const { body } = await client.waitForEvent('stopped');
    const { threadId, reason, description } = body as { threadId: number; reason: string; description?: string };
    const { stackFrames } = (await client.stackTraceRequest({ threadId })).body;
    return { reason, description, frames: stackFrames as Stop['frames'] };
  };
  const runUntilStop = async (startMove: () => Promise<unknown>): Promise<Stop> =>
    (await Promise.all([stopped(), startMove()]))[0];
  const miles = async ({ frames }: Stop): Promise<string> => {
    const expression = 'customer._id + " has " + customer.total_miles';
    return (await client.evaluateRequest({ expression, frameId: frames[0]?.id ?? 0, context: 'watch' })).body.result;
  };

  await client.initializeRequest(INITIALIZE_ARGUMENTS);
  await Promise.all([
    client.waitForEvent('initialized'),
    client.launchRequest({ recording: scratch, stopAt: 'end', token } as object),
  ]);
  await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'customers.replace' }] });
  await runUntilStop(() => client.configurationDoneRequest());
  const back = () => client.reverseContinueRequest({ threadId: 1 });
  const last = await runUntilStop(back);
  expect(last.frames[0]?.source?.name).toBe('customers.ts');
  const written = await miles(last);
  const before = await runUntilStop(back);
  // Both requests booked and wrote the same value.
  expect(await miles(before)).toBe(written);
  // The sender of the message is further down the stack.
  const label = before.frames.findIndex(({ name }) => name === 'sent by');
  expect(before.frames[label + 1]).toMatchObject({ source: { name: 'bookings.ts' } });
  // The written value comes from a message; its data breakpoint stops at the sender.
  await client.setFunctionBreakpointsRequest({ breakpoints: [] });
  const target = { name: 'customer.total_miles', frameId: before.frames[0]?.id ?? 0 };
  const { dataId } = (await client.dataBreakpointInfoRequest(target)).body;
  await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: dataId ?? '' }] });
  const sent = await runUntilStop(back);
  expect(sent.reason).toBe('data breakpoint');
  expect(sent.frames[0]?.source?.name).toBe('bookings.ts');
  await client.disconnectRequest();
});
