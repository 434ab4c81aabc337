// Ways to open recordings on the desktop: dialog, drop, command line, link and recent list; and refusals. Skipped
// without Electron.
import './built.ts';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { root } from '../../../scripts/node-release.mjs';
import { startService } from '../../../test/live/service.ts';
import { record, recordingIn, runTurntable } from '../../../test/replay/record-and-replay.ts';
import { ELECTRON_DIRECTORY, launchApp, launchAppWithoutCli, startSecondInstance } from './electron-app.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const keyFile = join(directory, 'key');
const packed = join(directory, 'packed.ttr');
let recording: string;
let sealed: string;
let dataDirectory: string;
let app: ElectronApplication;

interface DialogAnswers {
  /** Whether the user agrees to run the recorded program. */
  readonly agrees: boolean;
  /** The chosen file of an open dialog. */
  readonly chosenPath?: string;
}

/** Answers all dialogs in place of a user, and records their questions. */
function answerDialogs({ agrees, chosenPath }: DialogAnswers): Promise<void> {
  return app.evaluate(
    ({ dialog }, answers) => {
      const global = globalThis as { questions?: string[] };
      global.questions ??= [];
      Object.assign(dialog, {
        showMessageBox: ({ message }: { message: string }) => {
          global.questions?.push(message);
          return Promise.resolve({ response: answers.agrees ? 1 : 0 });
        },
        showOpenDialog: () => Promise.resolve({ filePaths: answers.chooses === undefined ? [] : [answers.chooses] }),
      });
    },
    { agrees, chooses: chosenPath },
  );
}

/** Questions of dialogs since the last call. */
function takeQuestions(): Promise<string[]> {
  return app.evaluate(() => (globalThis as { questions?: string[] }).questions?.splice(0) ?? []);
}

async function firstPage(): Promise<Page> {
  const page = await app.firstWindow();
  page.setDefaultTimeout(TIMEOUT_MS);
  return page;
}

/** The window that an action opens. */
async function newWindow(action: Promise<unknown>): Promise<Page> {
  const [page] = await Promise.all([app.waitForEvent('window', { timeout: TIMEOUT_MS }), action]);
  page.setDefaultTimeout(TIMEOUT_MS);
  return page;
}

async function dropFile(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const dragged = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data: dragged });
}

describe.runIf(ELECTRON_DIRECTORY !== undefined)('on the desktop', () => {
  beforeAll(() => {
    const program = join(root, 'test/engine/programs/selling.ts');
    writeFileSync(keyFile, '5a'.repeat(32));
    record(join(directory, 'whole'), [program]);
    record(join(directory, 'sealed'), ['--key', keyFile, program]);
    recording = recordingIn(join(directory, 'whole'));
    sealed = recordingIn(join(directory, 'sealed'));
    expect(runTurntable(['pack', recording, '-o', packed]).status).toBe(0);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(directory, 'data-'));
  });
  afterEach(() => app.close());

  test('a window without a recording lets the user choose one, and opens it after consent', async () => {
    app = await launchApp(dataDirectory);
    const page = await firstPage();
    const open = page.getByRole('button', { name: 'Open a recording…' });
    await open.waitFor();
    await answerDialogs({ agrees: false, chosenPath: recording });
    await open.click();
    await vi.waitFor(async () => expect((await takeQuestions()).join()).toContain(recording), { timeout: TIMEOUT_MS });
    await page.getByText('No recordings yet').waitFor();
    await answerDialogs({ agrees: true, chosenPath: recording });
    await open.click();
    await page.locator('.plot canvas').waitFor();
    expect(app.windows().length).toBe(1);
    expect(await takeQuestions()).toEqual([`Replay the program of ${recording}?`]);
    // Again, with consent to the same code.
    await page.keyboard.press('Control+k');
    await page.locator('#palette-text').fill('show recent recordings');
    await page.keyboard.press('Enter');
    await page.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    expect(await takeQuestions()).toEqual([]);
  });

  test('the Turntable of a project runs after the user has confirmed it, once', async () => {
    const project = mkdtempSync(join(directory, 'project-'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(join(root, 'packages/turntable'), join(project, 'node_modules/turntable'));
    const ownRecording = join(project, 'recording');
    cpSync(recording, ownRecording, { recursive: true });
    app = await launchAppWithoutCli(dataDirectory);
    const page = await firstPage();
    const open = page.getByRole('button', { name: 'Open a recording…' });
    await open.waitFor();
    await answerDialogs({ agrees: true, chosenPath: ownRecording });
    await open.click();
    await page.locator('.plot canvas').waitFor();
    expect(await takeQuestions()).toEqual([
      `Replay the program of ${ownRecording}?`,
      `Run the Turntable at ${join(project, 'node_modules/turntable/dist/cli.js')}?`,
    ]);
    await page.keyboard.press('Control+k');
    await page.locator('#palette-text').fill('show recent recordings');
    await page.keyboard.press('Enter');
    await page.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    expect(await takeQuestions()).toEqual([]);
  });

  test('two recordings open in two windows, and an open recording is not opened again', async () => {
    app = await launchApp(dataDirectory, recording);
    const one = await firstPage();
    await one.locator('.plot canvas').waitFor();
    const two = await newWindow(startSecondInstance(dataDirectory, packed));
    await two.locator('.plot canvas').waitFor();
    expect(await two.locator('.head h1').textContent()).toBe('packed.ttr');
    await one.keyboard.press('End');
    await one.getByText('the end of the recording').waitFor();
    expect(await two.locator('.position').textContent()).toBe('0.1');
    await startSecondInstance(dataDirectory, recording);
    expect(app.windows().length).toBe(2);
  });

  test('a running program can be asked for a snapshot and inspected up to its latest events', async () => {
    const sockets = join(directory, 'sockets');
    const service = await startService({ sockets, cwd: mkdtempSync(join(directory, 'live-')), flags: ['--later'] });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    vi.stubEnv('TURNTABLE_SERVICES', sockets);
    onTestFinished(() => void vi.unstubAllEnvs());
    app = await launchApp(dataDirectory);
    const page = await firstPage();
    const running = page.getByRole('region', { name: 'Running now' });
    await running.getByText('not recorded yet').waitFor();
    expect(await running.locator('.offer-open').isDisabled()).toBe(true);
    await running.getByRole('button', { name: /^Record: / }).click();
    await running.getByText('1 snapshot').waitFor();
    expect(await service.get('/first')).toBe('1 /first');
    await running.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    expect(await service.get('/second')).toBe('2 /second');
    await page.getByRole('button', { name: 'Latest', exact: true }).click();
    await page.getByText('the end of the recording').waitFor();
    await page.keyboard.press('3');
    await page.getByRole('region', { name: 'Requests' }).getByText('/second').waitFor();
    expect(await service.get('/third')).toBe('3 /third');
  });

  test('a link needs consent each time, and a link without an absolute path opens nothing', async () => {
    app = await launchApp(dataDirectory, recording);
    await (await firstPage()).locator('.plot canvas').waitFor();
    await answerDialogs({ agrees: false });
    await startSecondInstance(dataDirectory, `turntable://open?recording=${encodeURIComponent(packed)}`);
    await vi.waitFor(async () => expect(await takeQuestions()).toEqual([`Replay the program of ${packed}?`]), {
      timeout: TIMEOUT_MS,
    });
    await answerDialogs({ agrees: true });
    const page = await newWindow(
      startSecondInstance(dataDirectory, `turntable://open?recording=${encodeURIComponent(packed)}`),
    );
    await page.locator('.plot canvas').waitFor();
    expect((await takeQuestions()).length).toBe(1);
    await page.close();
    await answerDialogs({ agrees: false });
    await startSecondInstance(dataDirectory, `turntable://open?recording=${encodeURIComponent(packed)}`);
    await vi.waitFor(async () => expect((await takeQuestions()).length).toBe(1), { timeout: TIMEOUT_MS });
    const start = await newWindow(startSecondInstance(dataDirectory, 'turntable://open?recording=..%2Fwhole'));
    await start.getByRole('button', { name: 'Open a recording…' }).waitFor();
    expect(await takeQuestions()).toEqual([]);
  });

  test('a dropped file opens in the window after consent', async () => {
    app = await launchApp(dataDirectory);
    const page = await firstPage();
    await page.getByText('or drop one here').waitFor();
    await answerDialogs({ agrees: true });
    await dropFile(page, packed);
    await page.locator('.plot canvas').waitFor();
    expect(await page.locator('.head h1').textContent()).toBe('packed.ttr');
    expect(await takeQuestions()).toEqual([`Replay the program of ${packed}?`]);
  });

  test('a page can neither open a recording that the user has not opened, nor fake a drop', async () => {
    app = await launchApp(dataDirectory);
    const page = await firstPage();
    await page.getByText('No recordings yet').waitFor();
    await answerDialogs({ agrees: true });
    expect(await page.evaluate(`turntable.open(${JSON.stringify(packed)})`)).toContain(
      'only recent recordings can be opened from here',
    );
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], '/etc/hostname'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
    })()`);
    // The shell handles requests in order, so the drop was handled before.
    expect(await page.evaluate(`turntable.windowState().then(({ path }) => String(path))`)).toBe('undefined');
    expect(await takeQuestions()).toEqual([]);
  });

  test('a sealed recording opens with its key, and a missing one leads back to the start page', async () => {
    app = await launchApp(dataDirectory, sealed);
    const page = await firstPage();
    const refused = page.getByRole('alertdialog', { name: 'This recording cannot be opened' });
    await refused.getByText('key').first().waitFor();
    await answerDialogs({ agrees: true, chosenPath: keyFile });
    await refused.getByRole('button', { name: 'Choose the key…' }).click();
    await page.locator('.plot canvas').waitFor();
    const gone = await newWindow(startSecondInstance(dataDirectory, directory));
    await gone.getByRole('alertdialog', { name: 'This recording cannot be opened' }).waitFor();
    await gone.getByText(`there is no recording in ${directory}`).waitFor();
    await gone.getByRole('button', { name: 'Open another recording…' }).click();
    await gone.getByRole('button', { name: 'Open a recording…' }).waitFor();
    // The list is loaded after the page.
    await gone.locator('.offer').nth(1).waitFor();
    expect(await gone.locator('.offer').count()).toBe(2);
  });
});
