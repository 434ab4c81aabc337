// The requests of real editors (golden/*-requests.txt) get the golden answers: VS Code, with requests that
// test/vscode/workbench.test.ts writes, and Neovim 0.7.2 with nvim-dap 0.6.0.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { startEditor, transcript } from './editor.ts';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
const folder = join(import.meta.dirname, '../vscode/fixtures/shop');
beforeAll(() => void record(scratch, [join(folder, 'orders.ts')]));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Requests after which the program stops. */
const MOVES: ReadonlySet<string> = new Set([
  'configurationDone',
  'continue',
  'reverseContinue',
  'next',
  'stepBack',
  'stepIn',
  'stepOut',
  'restart',
  'turntable/move',
]);

interface RecordedRequest {
  readonly command: string;
  readonly arguments?: object;
}

test.for([
  ['VS Code', 'vscode'],
  ['Neovim', 'nvim'],
])('answers the requests of %s', async ([, name]) => {
  const text = readFileSync(join(import.meta.dirname, `golden/${name}-requests.txt`), 'utf8');
  const lines = text
    .replaceAll('FOLDER', folder)
    .replaceAll(/RECORDINGS\/[^"]*/g, scratch)
    .trim()
    .split('\n');
  const client = startEditor();
  for (const line of lines) {
    const { command, arguments: args } = JSON.parse(line) as RecordedRequest;
    // A cancelled request may be answered before.
    if (command === 'cancel') continue;
    client.log.discardReceived();
    await client.requestRaw(command, args);
    if (command === 'launch') await client.nextEvent('initialized');
    if (command === 'terminate') await client.nextEvent('terminated');
    if (MOVES.has(command)) await client.nextEvent('stopped');
  }
  client.end();
  await client.closed;
  const answers = transcript(client)
    .split('\n')
    .filter((line) => !line.includes('"event":"progress'));
  await expect(answers.join('\n')).toMatchFileSnapshot(`golden/${name}.txt`);
});
