// Moves to exceptions: each throw, rejection and uncaught error is found once, at the statement that throws it.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import type { CursorInfo } from '@turntable/time-machine/protocol';
import { afterAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-exceptions-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

async function recorded(name: string): Promise<Client> {
  const into = join(scratch, name);
  record(into, [program(name)]);
  return createClient(into);
}

async function goTo(client: Client, target: 'start' | 'end'): Promise<void> {
  await client.request('move', { move: 'goto', arguments: { target } });
}

/** The positions to which a repeated move goes. */
async function visits(client: Client, move: string, direction: 'forward' | 'backward'): Promise<CursorInfo[]> {
  await goTo(client, direction === 'forward' ? 'start' : 'end');
  const found: CursorInfo[] = [];
  for (;;) {
    const { found: isFound, isEdge, cursor } = await client.request('move', { move, direction });
    if (!isFound || isEdge === true) return found;
    found.push(cursor);
    expect(found.length).toBeLessThan(50);
  }
}

const places = (cursors: readonly CursorInfo[]): string[] =>
  cursors.map(({ statement }) => `${statement?.file.split('/').at(-1)}:${statement?.line}`);

/** The places of the lines that contain a text. */
function linesWith(name: string, text: string): string[] {
  return readFileSync(program(name), 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.includes(text) ? [`${name}:${i + 1}`] : []));
}

interface ThrowSite {
  readonly place: string;
  readonly number: number;
  readonly kind: string;
}

/** The lines of a program that throw, in the order of execution. */
function throwSites(name: string): ThrowSite[] {
  return readFileSync(program(name), 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const [, number, kind = ''] = /\/\/ THROW (\d+) (\w+)$/.exec(line) ?? [];
      return number === undefined ? [] : [{ place: `${name}:${i + 1}`, number: Number(number), kind }];
    })
    .toSorted((one, other) => one.number - other.number);
}

test('finds each throw once, in the order of execution, and of each kind only its throws', async () => {
  const client = await recorded('throwing.mjs');
  const sites = throwSites('throwing.mjs');
  expect(sites.map(({ number }) => number)).toEqual(sites.map((_, i) => i + 1));
  const all = sites.map(({ place }) => place);
  const forward = await visits(client, 'exception', 'forward');
  expect(places(forward)).toEqual(all);
  expect((await visits(client, 'exception', 'backward')).toReversed()).toEqual(forward);
  for (const kind of ['caught', 'rejection', 'uncaught']) {
    const expected = sites.flatMap((site) => (site.kind === kind ? [site.place] : []));
    const found = places(await visits(client, kind, 'forward'));
    expect(found, kind).toEqual(expected);
    expect(places(await visits(client, kind, 'backward')).toReversed(), kind).toEqual(found);
  }
  // Breakpoints of the kinds stop at the same statements.
  for (const kind of ['exception', 'caught', 'rejection']) {
    const { id } = await client.request('addBreakpoint', { kind });
    const stops = await visits(client, 'continue', 'forward');
    expect(stops.map(({ position }) => position)).toEqual(
      (await visits(client, kind, 'forward')).map(({ position }) => position),
    );
    await client.request('removeBreakpoint', { id });
  }
  // A part of the message.
  await goTo(client, 'start');
  const { cursor } = await client.request('move', { move: 'exception', arguments: { text: 'one of many' } });
  expect(places([cursor])).toEqual([all[8]]);
});

test('an error that is reported later is one exception, and uncaught where it is reported', async () => {
  const into = join(scratch, 'crashing.mjs');
  expect(runTurntable(['record', '--recordings', into, program('crashing.mjs')]).status).toBe(1);
  const client = await createClient(into);
  const sites = throwSites('crashing.mjs').map(({ place }) => place);
  const reports = linesWith('crashing.mjs', '// REPORT');
  expect(places(await visits(client, 'exception', 'forward'))).toEqual(sites);
  expect(places(await visits(client, 'caught', 'forward'))).toEqual(sites.slice(0, 1));
  expect(places(await visits(client, 'rejection', 'forward'))).toEqual(sites.slice(1));
  expect(places(await visits(client, 'uncaught', 'forward'))).toEqual(reports);
  expect(places(await visits(client, 'uncaught', 'backward'))).toEqual(reports.toReversed());
});

test('stops at reactions of a program without actors', async () => {
  const client = await createClient(join(scratch, 'throwing.mjs'));
  await client.request('addBreakpoint', { kind: 'reaction' });
  const stops = await visits(client, 'continue', 'forward');
  expect(places(stops)).toContain(linesWith('throwing.mjs', "throw new Error('later')")[0]);
});

test('finds the statement of a handler whose TypeError a framework turns into status 500', async () => {
  const client = await recorded('failing-service.ts');
  const [place] = linesWith('failing-service.ts', '// THROWS');
  const { requests } = await client.request('requests', { count: 10 });
  expect(requests.map(({ url, status }) => `${url} ${status}`)).toEqual([
    '/orders/7 200',
    '/sync/8 500',
    '/orders/8 500',
    '/orders/7 200',
  ]);
  const found = await visits(client, 'exception', 'backward');
  expect(places(found)).toEqual([place, place]);
  // Each in the request that failed.
  const [last, first] = found;
  expect(first?.order).toBeGreaterThanOrEqual(requests[1]?.received?.order ?? Infinity);
  expect(first?.order).toBeLessThanOrEqual(requests[1]?.answered?.order ?? 0);
  expect(last?.order).toBeGreaterThanOrEqual(requests[2]?.received?.order ?? Infinity);
  expect(last?.order).toBeLessThanOrEqual(requests[2]?.answered?.order ?? 0);
  await goTo(client, 'end');
  const { cursor } = await client.request('move', {
    move: 'exception',
    direction: 'backward',
    arguments: { text: 'TypeError' },
  });
  expect(cursor.position).toBe(last?.position);
  const { frames } = await client.request('frames', {});
  expect(frames[0]).toMatchObject({ function: 'countItems' });
  expect(await client.request('evaluate', { expression: 'order' })).toMatchObject({ value: { preview: 'undefined' } });
  // Nothing was uncaught.
  expect(await visits(client, 'uncaught', 'forward')).toEqual([]);
});
