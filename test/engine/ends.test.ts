// Where `continue` stops at the end of a recording: at the statement whose error ended the program, or at the last one.
import './own-process.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, expect, test, vi } from 'vitest';
import { runTurntable } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-ends-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PROGRAMS = {
  'a program that runs to its end': [
    'let sum = 0;',
    'for (const each of [1, 2]) sum += each;',
    'console.log(sum); // END',
  ],
  'a program that calls process.exit': [
    "process.on('exit', () => console.log('bye')); // END",
    "setTimeout(() => { console.log('late'); process.exit(3); }, 1);",
  ],
  'an error that nothing catches': [
    'class SoldOut extends Error { constructor(item) { super(item); this.item = item; } }',
    'const buy = (item) => {',
    '  throw new SoldOut(item); // FAILED',
    '};',
    "setTimeout(() => buy('tea'), 1);",
  ],
  'an error before listeners of exit': [
    "process.on('exit', (code) => {",
    "  console.log('ended with', code); // END",
    '});',
    'const found = undefined;',
    'found.total; // FAILED',
  ],
  'an error whose rejected promise nothing handles': [
    'async function order() {',
    '  await null;',
    "  throw new Error('no stock'); // FAILED",
    '}',
    'const pending = order();',
    "process.on('exit', () => console.log(pending)); // END",
    'queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => console.log(1))));',
  ],
  'an error that a listener of uncaughtException handles': [
    "process.on('uncaughtException', ({ message }) => {",
    '  console.log(message);',
    '  process.exitCode = 4; // END',
    '});',
    "setTimeout(() => console.log('before'), 1);",
    "setTimeout(() => { throw new Error('handled'); }, 5); // FAILED",
  ],
} as const;

const EXIT_CODES: Readonly<Record<keyof typeof PROGRAMS, number>> = {
  'a program that runs to its end': 0,
  'a program that calls process.exit': 3,
  'an error that nothing catches': 1,
  'an error before listeners of exit': 1,
  'an error whose rejected promise nothing handles': 1,
  'an error that a listener of uncaughtException handles': 4,
};

async function recorded(name: keyof typeof PROGRAMS): Promise<Client> {
  const directory = join(scratch, String(Object.keys(PROGRAMS).indexOf(name)));
  mkdirSync(directory);
  const file = join(directory, 'program.mjs');
  writeFileSync(file, `${PROGRAMS[name].join('\n')}\n`);
  const into = join(directory, 'recordings');
  expect(runTurntable(['record', '--recordings', into, file]).status).toBe(EXIT_CODES[name]);
  return createClient(into);
}

const lineOf = (name: keyof typeof PROGRAMS, mark: string): number =>
  1 + PROGRAMS[name].findIndex((line) => line.endsWith(`// ${mark}`));

const proceed = (client: Client) => client.request('move', { move: 'continue' });

const LAST = 'the recording ends after this statement';

test.each([
  ['a program that runs to its end', [['END', LAST]]],
  ['a program that calls process.exit', [['END', LAST]]],
  ['an error that nothing catches', [['FAILED', 'uncaught Error: tea; the program ended with exit code 1']]],
  [
    'an error before listeners of exit',
    [
      [
        'FAILED',
        "uncaught TypeError: Cannot read properties of undefined (reading 'total'); the program ended with exit code 1",
      ],
      ['END', LAST],
    ],
  ],
  [
    'an error whose rejected promise nothing handles',
    [
      ['FAILED', 'uncaught Error: no stock; the program ended with exit code 1'],
      ['END', LAST],
    ],
  ],
  [
    'an error that a listener of uncaughtException handles',
    [
      ['FAILED', 'uncaught Error: handled; the program ended with exit code 4'],
      ['END', LAST],
    ],
  ],
] as const)('%s: continue stops where it ended', async (name, stops) => {
  const client = await recorded(name);
  for (const [mark, note] of stops) {
    const result = await proceed(client);
    expect(result).toMatchObject({ found: true, isEdge: true, note });
    expect(result.cursor.statement?.line).toBe(lineOf(name, mark));
  }
  expect(await proceed(client)).toMatchObject({ found: false, reason: 'this is the end of the recording' });
  const [[mark]] = stops;
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  const last = await client.request('move', { move: 'goto', arguments: { target: 'last' } });
  expect(last.cursor.statement?.line).toBe(lineOf(name, mark));
});
