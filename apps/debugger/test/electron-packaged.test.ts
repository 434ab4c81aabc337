// The application as it is packaged (npm run package:debugger -- --linux dir): it shows what it is started with, and takes what it is started with once more. Left out unless TURNTABLE_PACKAGED names its executable.
import './built.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { root } from '../../../scripts/node-release.mjs';
import { record, recordingIn, turntable } from '../../../test/replay/again.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Milliseconds: what has not come by then never will. */
const LIMIT = 120_000;
const EXECUTABLE = process.env['TURNTABLE_PACKAGED'];

const room = mkdtempSync(join(tmpdir(), 'turntable-'));
const packed = join(room, 'packed.ttr');
let child: ChildProcess;

function started(...args: readonly string[]): ChildProcess {
  // Of root's processes Chromium's sandbox is none.
  const flags = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--remote-debugging-port=0'];
  return spawn(EXECUTABLE ?? '', [...flags, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TURNTABLE_NODE: process.execPath,
      TURNTABLE_CLI: join(root, 'packages/turntable/dist/cli.js'),
      TURNTABLE_WINDOW_DATA: join(room, 'data'),
    },
  });
}

describe.runIf(EXECUTABLE !== undefined)('the packaged application', () => {
  beforeAll(() => {
    record(join(room, 'whole'), [join(root, 'test/engine/programs/selling.ts')]);
    expect(turntable(['pack', recordingIn(join(room, 'whole')), '-o', packed]).status).toBe(0);
  });
  afterAll(() => {
    child?.kill();
    rmSync(room, { recursive: true, force: true });
  });

  test('shows a recording, and another one in a window of its own when it is started once more', async () => {
    child = started(packed);
    const port = await new Promise<string>((settle) => {
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        const [, found] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said) ?? [];
        if (found !== undefined) settle(found);
      });
    });
    const shown = async (): Promise<string[]> => {
      const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly Listed[];
      const titles = await Promise.all(pages.map(({ webSocketDebuggerUrl }) => titleOf(webSocketDebuggerUrl)));
      return titles.toSorted();
    };
    const until = { timeout: LIMIT, interval: 200 };
    await vi.waitFor(async () => expect(await shown()).toEqual(['packed.ttr']), until);
    await once(started(join(room, 'whole')), 'exit');
    const name = basename(recordingIn(join(room, 'whole')));
    await vi.waitFor(async () => expect(await shown()).toEqual([name, 'packed.ttr']), until);
  });
});

interface Listed {
  readonly webSocketDebuggerUrl: string;
}

/** Of the recording that a page shows, once its time line is there. */
async function titleOf(address: string): Promise<string> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const answer = once(socket, 'message') as Promise<[MessageEvent]>;
  const expression = `document.querySelector('.plot canvas') === null ? '' : document.querySelector('.head h1').textContent`;
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
  const [{ data }] = await answer;
  socket.close();
  return (JSON.parse(String(data)) as { result: { result: { value: string } } }).result.result.value;
}
