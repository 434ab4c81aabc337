// Watchpoints: `continue` stops at each statement that changes a value, in both directions.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-watch-'));
const clients = new SharedClients();
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

beforeAll(() => void record(scratch, [program('watching.ts')]));

const linesOf = (name: string): string[] => readFileSync(program(name), 'utf8').split('\n');
const lineOf = (name: string, part: string): number => linesOf(name).findIndex((line) => line.includes(part)) + 1;

/** The text of a line that writes the value, as its comment says. */
const isWriteOf = (value: string, file: string, line: number): boolean =>
  linesOf(file)[line - 1]?.endsWith(`// WRITE ${value}`) === true;

interface Stop {
  readonly position: string;
  readonly place: string;
  readonly note: string | undefined;
}

/** Stops of `continue` until the start or the end of the recording. */
async function stops(client: Client, direction: 'forward' | 'backward'): Promise<Stop[]> {
  const found: Stop[] = [];
  for (;;) {
    const result = await client.request('move', { move: 'continue', direction });
    const { isEdge, cursor, note, breakpoints } = result;
    if (!result.found || isEdge === true) return found;
    expect(breakpoints).toHaveLength(1);
    const { file = '', line = 0 } = cursor.statement ?? {};
    found.push({ position: cursor.position, place: `${file.split('/').at(-1)}:${line}`, note });
    expect(found.length).toBeLessThan(50);
  }
}

/** Moves to the hit of a line with a number. */
async function moveToLine(client: Client, file: string, part: string, hitNumber = 1): Promise<void> {
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  const { id } = await client.request('addBreakpoint', { file, line: lineOf(file, part), hitNumber });
  const { isEdge } = await client.request('move', { move: 'continue' });
  expect(isEdge).toBe(undefined);
  await client.request('removeBreakpoint', { id });
}

/** Where to set the watchpoint, and the values that the value has, one after the other. */
const CASES: readonly {
  readonly watch: string;
  readonly value?: string;
  readonly file?: string;
  readonly at: string;
  readonly hitNumber?: number;
  /** The value before the first write, if the expression has one. */
  readonly first?: string;
  readonly values: readonly string[];
}[] = [
  { watch: 'account.balance', at: 'prices.delete', values: ['0', '5', '3', '7', '100'] },
  { watch: 'account.balance', at: 'account.deposit(5)', values: ['0', '5', '3', '7', '100'] },
  { watch: 'account.#limit', at: 'await delay(5)', values: ['1', '10', '100', '1000'] },
  { watch: "prices.get('tea')", at: 'prices.delete', first: 'undefined', values: ['2', '3', 'undefined'] },
  { watch: 'total', at: 'await meter.reset', values: ['0', '3', '10', '1'] },
  { watch: 'total', at: 'account.withdraw(2)', values: ['0', '3', '10', '1'] },
  { watch: 'count', at: 'return count', hitNumber: 2, first: '0', values: ['1', '2', '3', '4'] },
  { watch: 'sum', at: 'const twice', hitNumber: 2, values: ['0', '2', '10'] },
  {
    watch: 'this.level',
    value: 'meter.level',
    file: 'watching-actors.ts',
    at: 'return this.level',
    hitNumber: 2,
    values: ['0', '3', '23', '1', '2'],
  },
];

test.for(CASES)('stops at the writes of $watch, watched from the line of $at', async (each) => {
  const { watch, value = watch, file = 'watching.ts', at, hitNumber = 1, first, values } = each;
  const client = await clients.of(scratch);
  await moveToLine(client, file, at, hitNumber);
  const { position } = await client.request('cursor', {});
  await client.request('addBreakpoint', { watch, at: position });
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  const forward = await stops(client, 'forward');
  const backward = (await stops(client, 'backward')).toReversed();
  expect(backward).toEqual(forward);
  for (const { place } of forward) {
    const [name = '', line] = place.split(':');
    expect(isWriteOf(value, name, Number(line)), place).toBe(true);
  }
  expect(forward.length, JSON.stringify(forward)).toBe(values.length);
  // The notes of later writes have the value before and after the write.
  for (const [i, { note }] of forward.entries())
    if (note?.includes(' -> ') === true)
      expect(note).toBe(`${watch} changes here: ${values[i - 1] ?? first} -> ${values[i]}`);
    else expect([note, i]).toEqual([`${watch} is written here`, 0]);
  expect(forward.some(({ note }) => note?.includes(' -> '))).toBe(true);
});

test('earlier writes are found back to where the expression does not name the value', async () => {
  const client = await clients.of(scratch);
  await moveToLine(client, 'watching.ts', 'this.difference');
  await client.request('addBreakpoint', { watch: 'this.balance' });
  const later = await stops(client, 'forward');
  expect(later.map(({ note }) => note)).toEqual([
    'this.balance changes here: 3 -> 7',
    'this.balance changes here: 7 -> 100',
  ]);
  const all = (await stops(client, 'backward')).toReversed();
  expect(all.slice(-2)).toEqual(later);
  // In top-level code, `this` is not the account.
  expect(all.map(({ note }) => note).slice(0, -2)).toEqual([
    'this.balance is written here',
    'this.balance changes here: 5 -> 3',
  ]);
  expect(all[0]?.place).toBe(`watching.ts:${lineOf('watching.ts', 'account.balance = 5')}`);
});

test('the first stop of a value that a message brought is the send', async () => {
  const client = await clients.of(scratch);
  await moveToLine(client, 'watching-actors.ts', 'return this.level', 2);
  await client.request('addBreakpoint', { watch: 'amount' });
  const back = await stops(client, 'backward');
  const place = `watching.ts:${lineOf('watching.ts', 'await meter.raise(20)')}`;
  expect(back).toEqual([{ position: expect.any(String), place, note: 'amount came with the message sent here' }]);
  expect(await stops(client, 'forward')).toEqual(back);
});

test('a watchpoint stops together with other breakpoints, can be disabled, and is removed', async () => {
  const client = await clients.of(scratch);
  await moveToLine(client, 'watching.ts', 'prices.delete');
  const { id: watchId } = await client.request('addBreakpoint', { watch: 'total' });
  const { id: lineId } = await client.request('addBreakpoint', {
    file: 'watching.ts',
    line: lineOf('watching.ts', 'total = 1'),
  });
  const both = await client.request('move', { move: 'continue' });
  expect(both.breakpoints).toEqual([watchId, lineId]);
  expect(await client.request('updateBreakpoint', { id: watchId, isEnabled: false })).toMatchObject({ watch: 'total' });
  expect((await client.request('move', { move: 'continue', direction: 'backward' })).isEdge).toBe(true);
  expect((await client.request('move', { move: 'continue' })).breakpoints).toEqual([lineId]);
  await client.request('removeBreakpoint', { id: watchId });
  expect((await client.request('breakpoints', {})).breakpoints.map(({ id }) => id)).toEqual([lineId]);
});

test('a watchpoint can be added again from elsewhere, as after a refresh', async () => {
  const client = await clients.of(scratch);
  await moveToLine(client, 'watching.ts', 'prices.delete');
  const { id, ...added } = await client.request('addBreakpoint', { watch: 'total' });
  await client.request('removeBreakpoint', { id });
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  const again = await client.request('addBreakpoint', added);
  expect(again).toEqual({ ...added, id: id + 1 });
  expect(await stops(client, 'backward')).toHaveLength(4);
});

test('an expression without a value that can be watched is refused with the reason', async () => {
  const client = await clients.of(scratch);
  await moveToLine(client, 'watching.ts', 'prices.delete');
  const watch = (expression: string): Promise<unknown> => client.request('addBreakpoint', { watch: expression });
  await expect(watch('total + 1')).rejects.toThrow('total + 1 must be a variable, property or entry');
  await expect(watch('nowhere')).rejects.toThrow('there is no variable nowhere here');
  await expect(watch('nowhere.name')).rejects.toThrow('nowhere is not defined');
  await expect(watch('total.length')).rejects.toThrow('total is number, which has no parts that are written');
  expect((await client.request('breakpoints', {})).breakpoints).toEqual([]);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await expect(watch('total')).rejects.toThrow('nothing runs at the end of the recording');
});
