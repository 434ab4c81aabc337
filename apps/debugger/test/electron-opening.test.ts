// How recordings come into windows of the desktop: chosen, dropped, named in a terminal or by a link, opened again; and what is refused. Left out where there is no Electron.
import './built.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { root } from '../../../scripts/node-release.mjs';
import { started } from '../../../test/live/service.ts';
import { record, recordingIn, turntable } from '../../../test/replay/again.ts';
import { DIST, launched, startedAgain } from './electron-app.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Milliseconds: what has not come by then never will, even where all else goes before it. */
const LIMIT = 120_000;

const room = mkdtempSync(join(tmpdir(), 'turntable-'));
const key = join(room, 'key');
const packed = join(room, 'packed.ttr');
let whole: string;
let sealed: string;
let data: string;
let app: ElectronApplication;

interface Answers {
  /** Whether somebody agrees to have a program run again. */
  readonly agrees: boolean;
  /** What is chosen in a dialog. */
  readonly chooses?: string;
}

/** Nobody is there to answer dialogs. What they were asked is counted. */
function answers({ agrees, chooses }: Answers): Promise<void> {
  return app.evaluate(
    ({ dialog }, its) => {
      const global = globalThis as { questions?: string[] };
      global.questions ??= [];
      Object.assign(dialog, {
        showMessageBox: ({ message }: { message: string }) => {
          global.questions?.push(message);
          return Promise.resolve({ response: its.agrees ? 1 : 0 });
        },
        showOpenDialog: () => Promise.resolve({ filePaths: its.chooses === undefined ? [] : [its.chooses] }),
      });
    },
    { agrees, chooses },
  );
}

/** What somebody was asked since then. */
function questions(): Promise<string[]> {
  return app.evaluate(() => (globalThis as { questions?: string[] }).questions?.splice(0) ?? []);
}

async function first(): Promise<Page> {
  const page = await app.firstWindow();
  page.setDefaultTimeout(LIMIT);
  return page;
}

/** The window that comes of this. */
async function windowOf(doing: Promise<unknown>): Promise<Page> {
  const [page] = await Promise.all([app.waitForEvent('window', { timeout: LIMIT }), doing]);
  page.setDefaultTimeout(LIMIT);
  return page;
}

async function drop(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const dragged = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data: dragged });
}

describe.runIf(DIST !== undefined)('on the desktop', () => {
  beforeAll(() => {
    const program = join(root, 'test/engine/programs/selling.ts');
    writeFileSync(key, '5a'.repeat(32));
    record(join(room, 'whole'), [program]);
    record(join(room, 'sealed'), ['--key', key, program]);
    whole = recordingIn(join(room, 'whole'));
    sealed = recordingIn(join(room, 'sealed'));
    expect(turntable(['pack', whole, '-o', packed]).status).toBe(0);
  });
  afterAll(() => rmSync(room, { recursive: true, force: true }));
  beforeEach(() => {
    data = mkdtempSync(join(room, 'data-'));
  });
  afterEach(() => app.close());

  test('without a recording a window asks which one, and shows it where somebody agrees', async () => {
    app = await launched(data);
    const page = await first();
    const open = page.getByRole('button', { name: 'Open a recording…' });
    await open.waitFor();
    await answers({ agrees: false, chooses: whole });
    await open.click();
    await vi.waitFor(async () => expect((await questions()).join()).toContain(whole), { timeout: LIMIT });
    await page.getByText('None was opened here yet').waitFor();
    await answers({ agrees: true, chooses: whole });
    await open.click();
    await page.locator('.plot canvas').waitFor();
    expect(app.windows().length).toBe(1);
    expect(await questions()).toEqual([`Run the program of ${whole} again?`]);
    // And again: this code somebody has agreed to before.
    await page.keyboard.press('Control+k');
    await page.locator('#palette-text').fill('opened lately');
    await page.keyboard.press('Enter');
    await page.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    expect(await questions()).toEqual([]);
  });

  test('two recordings have two windows, and one that is open already is not opened twice', async () => {
    app = await launched(data, whole);
    const one = await first();
    await one.locator('.plot canvas').waitFor();
    const two = await windowOf(startedAgain(data, packed));
    await two.locator('.plot canvas').waitFor();
    expect(await two.locator('.head h1').textContent()).toBe('packed.ttr');
    await one.keyboard.press('End');
    await one.getByText('the end of the recording').waitFor();
    expect(await two.locator('.position').textContent()).toBe('0.1');
    await startedAgain(data, whole);
    expect(app.windows().length).toBe(2);
  });

  test('a program that is running is asked for a snapshot, and looked into as far as it has come', async () => {
    const sockets = join(room, 'sockets');
    const service = await started({ sockets, cwd: mkdtempSync(join(room, 'live-')), flags: ['--later'] });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    vi.stubEnv('TURNTABLE_SERVICES', sockets);
    onTestFinished(() => void vi.unstubAllEnvs());
    app = await launched(data);
    const page = await first();
    const running = page.getByRole('region', { name: 'Running now' });
    await running.getByText('not recorded yet').waitFor();
    expect(await running.locator('.offer-open').isDisabled()).toBe(true);
    await running.getByRole('button', { name: /^Record: / }).click();
    await running.getByText('1 snapshot').waitFor();
    expect(await service.ask('/first')).toBe('1 /first');
    await running.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    expect(await service.ask('/second')).toBe('2 /second');
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await page.getByText('the end of the recording').waitFor();
    await page.keyboard.press('q');
    await page.getByRole('region', { name: 'Requests' }).getByText('/second').waitFor();
    expect(await service.ask('/third')).toBe('3 /third');
  });

  test('what a link leads to is asked about each time, and a link that names no path opens nothing', async () => {
    app = await launched(data, whole);
    await (await first()).locator('.plot canvas').waitFor();
    await answers({ agrees: false });
    await startedAgain(data, `turntable://open?recording=${encodeURIComponent(packed)}`);
    await vi.waitFor(async () => expect(await questions()).toEqual([`Run the program of ${packed} again?`]), {
      timeout: LIMIT,
    });
    await answers({ agrees: true });
    const page = await windowOf(startedAgain(data, `turntable://open?recording=${encodeURIComponent(packed)}`));
    await page.locator('.plot canvas').waitFor();
    expect((await questions()).length).toBe(1);
    await page.close();
    await answers({ agrees: false });
    await startedAgain(data, `turntable://open?recording=${encodeURIComponent(packed)}`);
    await vi.waitFor(async () => expect((await questions()).length).toBe(1), { timeout: LIMIT });
    const start = await windowOf(startedAgain(data, 'turntable://open?recording=..%2Fwhole'));
    await start.getByRole('button', { name: 'Open a recording…' }).waitFor();
    expect(await questions()).toEqual([]);
  });

  test('a file that is dropped on the window is opened in it, where somebody agrees', async () => {
    app = await launched(data);
    const page = await first();
    await page.getByText('or drop one here').waitFor();
    await answers({ agrees: true });
    await drop(page, packed);
    await page.locator('.plot canvas').waitFor();
    expect(await page.locator('.head h1').textContent()).toBe('packed.ttr');
    expect(await questions()).toEqual([`Run the program of ${packed} again?`]);
  });

  test('a page cannot have opened what nobody has opened, nor say that something was dropped', async () => {
    app = await launched(data);
    const page = await first();
    await page.getByText('None was opened here yet').waitFor();
    await answers({ agrees: true });
    expect(await page.evaluate(`turntable.open(${JSON.stringify(packed)})`)).toContain('what was opened before');
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], '/etc/hostname'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
    })()`);
    // Answered in their order.
    expect(await page.evaluate(`turntable.begin().then(({ place }) => String(place))`)).toBe('undefined');
    expect(await questions()).toEqual([]);
  });

  test('a sealed recording takes its key, and one that is gone leads back to where another is chosen', async () => {
    app = await launched(data, sealed);
    const page = await first();
    const refused = page.getByRole('alertdialog', { name: 'This recording cannot be opened' });
    await refused.getByText('key').first().waitFor();
    await answers({ agrees: true, chooses: key });
    await refused.getByRole('button', { name: 'Choose its key…' }).click();
    await page.locator('.plot canvas').waitFor();
    const gone = await windowOf(startedAgain(data, room));
    await gone.getByRole('alertdialog', { name: 'This recording cannot be opened' }).waitFor();
    await gone.getByText(`there is no recording in ${room}`).waitFor();
    await gone.getByRole('button', { name: 'Open another recording…' }).click();
    await gone.getByRole('button', { name: 'Open a recording…' }).waitFor();
    // They are asked for once the page is there.
    await gone.locator('.offer').nth(1).waitFor();
    expect(await gone.locator('.offer').count()).toBe(2);
  });
});
