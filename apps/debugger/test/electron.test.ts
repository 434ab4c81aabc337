// The desktop application: the same window in Electron, which starts the server itself. Skipped without Electron, which
// ELECTRON_OVERRIDE_DIST_PATH names.
import './built.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recordSeededBug } from '../../../examples/acmeair/story/seeded-bug.ts';
import { ELECTRON_DIRECTORY, launchApp } from './electron-app.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const dataDirectory = mkdtempSync(join(tmpdir(), 'turntable-'));

let app: ElectronApplication;
let page: Page;

/** The server processes that the application has started. */
function serverPids(shell: number): number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === shell && command.endsWith(' --stdio') ? [Number(pid)] : [];
  });
}

describe.runIf(ELECTRON_DIRECTORY !== undefined)('on the desktop', () => {
  beforeAll(async () => {
    await recordSeededBug(directory);
    app = await launchApp(dataDirectory, directory);
    page = await app.firstWindow();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.locator('.plot canvas').waitFor();
  });
  afterAll(async () => {
    await app?.close();
    for (const each of [directory, dataDirectory]) rmSync(each, { recursive: true, force: true });
  });

  test('a recording can be navigated as in a browser', async () => {
    await page.keyboard.press('End');
    await page.getByText('the end of the recording').waitFor();
    await page.keyboard.press('Control+k');
    for (const text of ['back turn', 'customers.replace']) {
      await page.locator('#palette-text').fill(text);
      await page.keyboard.press('Enter');
    }
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    await page.keyboard.press('n');
    await page.locator('.tree-row', { hasText: /^▸customer/ }).waitFor();
  });

  test('a page has no Node, opens nothing and loads nothing', async () => {
    const bridgeKeys =
      'onClose,onText,open,openService,pick,removeRecent,requestService,send,services,showStartPage,startServer,windowState';
    expect(
      await page.evaluate('[typeof require, typeof process, typeof module, Object.keys(turntable).sort().join()]'),
    ).toEqual(['undefined', 'undefined', 'undefined', bridgeKeys]);
    const before = page.url();
    expect(before).toBe('turntable-window://debugger/index.html');
    expect(await page.evaluate(`window.open('https://example.org/') === null`)).toBe(true);
    expect(await page.evaluate(`fetch('http://127.0.0.1:1/').then(() => 'went', (error) => 'refused')`)).toBe(
      'refused',
    );
    expect(
      await page.evaluate(
        `fetch('turntable-window://debugger/../../package.json').then(({ status }) => status, () => 404)`,
      ),
    ).toBe(404);
    expect(
      await page.evaluate(`import('data:text/javascript,export default 1').then(() => 'run', () => 'refused')`),
    ).toBe('refused');
    expect(await page.evaluate(`Notification.requestPermission()`)).toBe('denied');
    const written = `const script = document.createElement('script'); script.textContent = 'window.ran = true'; document.head.append(script); String(window.ran)`;
    expect(await page.evaluate(written)).toBe('undefined');
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const contents = window?.webContents as unknown as { getLastWebPreferences(): object } | undefined;
      return contents?.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
    });
    expect(app.windows().length).toBe(1);
  });

  test('an invalid message of a page is dropped and ends nothing', async () => {
    await page.evaluate(
      `turntable.send({ not: 'a text' }); turntable.send('x'.repeat(2 ** 20 + 1)); turntable.send('{}\\n{}')`,
    );
    await page.keyboard.press('Home');
    await page.locator('.position', { hasText: '0.1' }).waitFor();
  });

  test('when the server is killed, the window reports it and starts another one', async () => {
    for (const pid of serverPids(app.process().pid ?? 0)) process.kill(pid, 'SIGKILL');
    const lost = page.getByRole('alertdialog', { name: 'The connection to the debugger was lost' });
    await lost.waitFor();
    await lost.getByText('SIGKILL').waitFor();
    await lost.getByRole('button', { name: 'Reconnect' }).click();
    await page.locator('.plot canvas').waitFor();
    await page.keyboard.press('End');
    await page.getByText('the end of the recording').waitFor();
  });

  // The last test: after a prevented navigation, Playwright keeps waiting for it.
  test('a page cannot navigate', async () => {
    const shown = await app.evaluate(
      async ({ BrowserWindow }, addresses) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        for (const address of addresses)
          await contents?.executeJavaScript(`void (location.href = ${JSON.stringify(address)})`);
        await contents?.executeJavaScript(`new Promise((settle) => setTimeout(settle, 500))`);
        return [contents?.getURL(), (await contents?.executeJavaScript(`document.title`)) as string];
      },
      [
        'https://example.org/',
        'file:///etc/hostname',
        'turntable-window://debugger/main.js',
        'javascript:document.title="gone"',
      ],
    );
    expect(shown).toEqual(['turntable-window://debugger/index.html', 'Turntable']);
  });
});
