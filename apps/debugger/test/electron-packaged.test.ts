// The packaged application (npm run package:debugger -- --linux dir): it opens the recording of its command line, also
// that of a second instance. Skipped unless TURNTABLE_PACKAGED names the executable.
import './built.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { root } from '../../../scripts/node-release.mjs';
import { record, recordingIn, runTurntable } from '../../../test/replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;
const APP_PATH = process.env['TURNTABLE_PACKAGED'];

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const packed = join(directory, 'packed.ttr');
let child: ChildProcess;

function startApp(...args: readonly string[]): ChildProcess {
  // Chromium cannot run its sandbox as root.
  const flags = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--remote-debugging-port=0'];
  return spawn(APP_PATH ?? '', [...flags, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TURNTABLE_NODE: process.execPath,
      TURNTABLE_CLI: join(root, 'packages/turntable/dist/cli.js'),
      TURNTABLE_WINDOW_DATA: join(directory, 'data'),
    },
  });
}

describe.runIf(APP_PATH !== undefined)('the packaged application', () => {
  beforeAll(() => {
    record(join(directory, 'whole'), [join(root, 'test/engine/programs/selling.ts')]);
    expect(runTurntable(['pack', recordingIn(join(directory, 'whole')), '-o', packed]).status).toBe(0);
  });
  afterAll(() => {
    child?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  test('opens a recording, and that of a second instance in a second window', async () => {
    child = startApp(packed);
    const port = await new Promise<string>((settle) => {
      let stderrText = '';
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        stderrText += part;
        const [, found] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(stderrText) ?? [];
        if (found !== undefined) settle(found);
      });
    });
    const shownTitles = async (): Promise<string[]> => {
      const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly DevToolsTarget[];
      const titles = await Promise.all(pages.map(({ webSocketDebuggerUrl }) => shownTitle(webSocketDebuggerUrl)));
      return titles.toSorted();
    };
    const waitOptions = { timeout: TIMEOUT_MS, interval: 200 };
    await vi.waitFor(async () => expect(await shownTitles()).toEqual(['packed.ttr']), waitOptions);
    await once(startApp(join(directory, 'whole')), 'exit');
    const name = basename(recordingIn(join(directory, 'whole')));
    await vi.waitFor(async () => expect(await shownTitles()).toEqual([name, 'packed.ttr']), waitOptions);
  });
});

interface DevToolsTarget {
  readonly webSocketDebuggerUrl: string;
}

/** Title of the recording in a page, once its timeline is shown. */
async function shownTitle(address: string): Promise<string> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const answer = once(socket, 'message') as Promise<[MessageEvent]>;
  const expression = `document.querySelector('.plot canvas') === null ? '' : document.querySelector('.head h1').textContent`;
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
  const [{ data }] = await answer;
  socket.close();
  return (JSON.parse(String(data)) as { result: { result: { value: string } } }).result.result.value;
}
