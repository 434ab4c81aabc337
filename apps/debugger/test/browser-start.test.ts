// The start page in a real browser: offered, opened and refused recordings, the loss of the time machine, and the focus
// of the views on a range of the recording. Skipped without Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumPath } from '../../../examples/acmeair/test/chromium-path.ts';
import { root } from '../../../scripts/node-release.mjs';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';
import { startService as startedService } from '../../../test/live/service.ts';
import { record, recordingIn, runTurntable } from '../../../test/replay/record-and-replay.ts';
import { editManifest } from '../../../test/recordings/edit-manifest.ts';
import { launchChromium, takePictures, type Browser, type Page } from './chromium.ts';
import { firstLine } from './first-line.ts';
import { readabilityProblems } from './readability.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const recordings = join(directory, 'recordings');
/** A recording of another version of Node. */
const otherVersion = join(directory, 'other');
let browser: Browser;
const processes: ChildProcess[] = [];

/** Runs `turntable debug --browser` next to the recordings. @param sockets directory of the services that it lists */
async function startServer(sockets = 'off'): Promise<{ readonly server: ChildProcess; readonly address: string }> {
  const server = spawn(process.execPath, [...FLAGS, CLI, 'debug', '--browser'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      TURNTABLE_CACHE: mkdtempSync(join(directory, 'cache-')),
      TURNTABLE_SERVICES: sockets,
    },
  });
  processes.push(server);
  return { server, address: await firstLine(server) };
}

async function openPage(address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(address);
  return page;
}

async function openTypedPath(page: Page, path: string): Promise<void> {
  await page.getByLabel('Path of a recording').fill(path);
  await page.keyboard.press('Enter');
}

/** Answers the question before a recording is replayed. */
async function agree(page: Page): Promise<void> {
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replay' }).click();
}

describe.runIf(chromiumPath !== undefined)('the start page in a browser', () => {
  beforeAll(async () => {
    record(recordings, [join(root, 'test/engine/programs/selling.ts')]);
    cpSync(recordingIn(recordings), otherVersion, { recursive: true });
    editManifest(otherVersion, ({ versions }) => ({ versions: { ...versions, node: '22.1.0' } }));
    mkdirSync(join(directory, 'damaged'));
    const manifest = readFileSync(join(otherVersion, 'manifest.json'));
    writeFileSync(join(directory, 'damaged/manifest.json'), manifest.subarray(0, 100));
    const redacted = ['pack', recordingIn(recordings), '-o', join(directory, 'redacted.ttr'), '--redact', 'sum'];
    expect(runTurntable(redacted).status).toBe(0);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    for (const each of processes) each.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  test('a local recording opens after consent, and is then listed as recent and opens with one click', async () => {
    const { address } = await startServer();
    const page = await openPage(address);
    await page.getByText('No recordings yet').waitFor({ state: 'detached' });
    const localRegion = page.getByRole('region', { name: 'In ./recordings' });
    await localRegion.getByRole('button').first().waitFor();
    await takePictures(page, 'start');
    await localRegion.getByRole('button').first().click();
    await agree(page);
    await page.locator('.plot canvas').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.goto(address);
    const recentRegion = page.getByRole('region', { name: 'Recent recordings' });
    await recentRegion.locator('.offer-open').waitFor();
    // Its time machine still runs, and is used again.
    await recentRegion.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    await page.goto(address);
    await page.getByRole('button', { name: /^Remove .* from this list$/ }).click();
    await recentRegion.waitFor({ state: 'detached' });
    await page.close();
  });

  test('a recording that cannot be opened is refused with the reason, and one that may diverge opens on confirmation', async () => {
    const { address } = await startServer();
    const page = await openPage(address);
    const alert = page.getByRole('alert');
    await openTypedPath(page, 'nowhere');
    await alert.getByText('there is no directory or packed recording').waitFor();
    expect(await alert.getByRole('button').count()).toBe(0);
    await openTypedPath(page, 'damaged');
    await alert.getByText('is damaged at byte 0').waitFor();
    await openTypedPath(page, 'redacted.ttr');
    await agree(page);
    await alert.getByText('it is redacted (sum) and lacks inputs').waitFor();
    await openTypedPath(page, 'other');
    await agree(page);
    await alert.getByText('it was recorded by Node 22.1.0').waitFor();
    await takePictures(page, 'start-refused');
    await alert.getByRole('button', { name: 'Open anyway' }).click();
    await page.locator('.plot canvas').waitFor();
    await page.close();
  });

  test('the question before a replay is a modal dialog that the keyboard answers, and that returns the focus', async () => {
    const { address } = await startServer();
    const page = await openPage(address);
    await openTypedPath(page, 'recordings');
    const path = recordingIn(recordings);
    const dialog = page.getByRole('alertdialog', { name: `Replay the program of ${path}?` });
    await dialog.waitFor();
    expect(await dialog.getAttribute('aria-describedby')).toBe('consent-detail');
    await dialog.getByText('Open only recordings from people whose programs you would run.').waitFor();
    expect(await readabilityProblems(page)).toEqual([]);
    await takePictures(page, 'start-consent');
    await dialog.locator('button:focus', { hasText: 'Cancel' }).waitFor();
    await page.keyboard.press('Tab');
    await dialog.locator('button:focus', { hasText: 'Replay' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.start-path input:focus').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    // While the question is open, the code changes: the answer is asked for again.
    const log = join(path, 'modules.jsonl');
    writeFileSync(log, '');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    rmSync(log);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('region', { name: 'Recent recordings' }).count()).toBe(0);
    await page.close();
  });

  test('two recordings can be open at the same time', async () => {
    const { address } = await startServer();
    const [one, two] = [await openPage(address), await openPage(address)];
    await openTypedPath(one, 'recordings');
    await agree(one);
    await openTypedPath(two, 'other');
    await agree(two);
    await two.getByRole('button', { name: 'Open anyway' }).click();
    await one.locator('.plot canvas').waitFor();
    await two.locator('.plot canvas').waitFor();
    expect(new URL(one.url()).port).not.toBe(new URL(two.url()).port);
    await one.keyboard.press('End');
    await one.getByText('the end of the recording').waitFor();
    expect(await two.locator('.position').textContent()).toBe('0.1');
    await one.close();
    await two.close();
  });

  test('a running program can be inspected and refreshed while it keeps running', async () => {
    const sockets = join(directory, 'sockets');
    const service = await startedService({
      sockets,
      cwd: mkdtempSync(join(directory, 'live-')),
      flags: ['--snapshots', 'end'],
    });
    processes.push(service.process);
    expect(await service.get('/first')).toBe('1 /first');
    const { address } = await startServer(sockets);
    const page = await openPage(address);
    const running = page.getByRole('region', { name: 'Running now' });
    await running.getByText('0 snapshots').waitFor();
    await running.getByRole('button', { name: /^Take a snapshot/ }).click();
    await running.getByText('1 snapshot').waitFor();
    await takePictures(page, 'start-running');
    await running.locator('.offer-open').click();
    await page.locator('.plot canvas').waitFor();
    await page.getByText(/^until /).waitFor();
    await page.keyboard.press('3');
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByText('/first').waitFor();
    await page.keyboard.press('B');
    const breakpoints = page.getByRole('region', { name: 'Breakpoints' });
    await breakpoints.getByRole('combobox').selectOption('request');
    await breakpoints.getByRole('button', { name: 'Add' }).click();
    await breakpoints.locator('li').waitFor();
    expect(await service.get('/second')).toBe('2 /second');
    await page.getByRole('button', { name: 'Latest', exact: true }).click();
    await page.getByText('the end of the recording').waitFor();
    await page.locator('.bookmarks li').waitFor();
    await breakpoints.locator('li').waitFor();
    await page.getByRole('tab', { name: 'Requests' }).click();
    await requests.getByText('/second').waitFor();
    await takePictures(page, 'running');
    expect(await service.get('/third')).toBe('3 /third');
    await page.close();
  });

  test('the window reports that the time machine was killed', async () => {
    const { server, address } = await startServer();
    const page = await openPage(address);
    await openTypedPath(page, 'recordings');
    await agree(page);
    await page.locator('.plot canvas').waitFor();
    server.kill('SIGKILL');
    await page.getByRole('alertdialog', { name: 'The connection to the debugger was lost' }).waitFor();
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByText('connection refused').waitFor();
    await page.close();
  });

  test('a range that is selected with the mouse or the keyboard restricts the list of turns until Escape', async () => {
    const { address } = await startServer();
    const page = await openPage(address);
    await openTypedPath(page, 'recordings');
    await agree(page);
    const canvas = page.locator('.plot canvas');
    await canvas.waitFor();
    const turns = page.locator('.turns .turn');
    await turns.nth(3).waitFor();
    const all = await turns.count();
    const box = await canvas.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 176, (box?.y ?? 0) + 36];
    const across = (box?.width ?? 0) - 176;
    // In the ruler.
    await page.mouse.move(x + across * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(x + across * 0.6, y, { steps: 4 });
    await page.mouse.up();
    const chip = page.locator('.focus-chip');
    await chip.waitFor();
    const [from = 0, to = 0] = ((await chip.textContent()) ?? '').match(/\d+/g)?.map(Number) ?? [];
    expect(from).toBeGreaterThan(1);
    expect(to).toBeGreaterThanOrEqual(from);
    await takePictures(page, 'focus');
    await expect.poll(() => turns.count(), { timeout: TIMEOUT_MS }).toBe(to - from + 1);
    await page.keyboard.press('Escape');
    await chip.waitFor({ state: 'detached' });
    await expect.poll(() => turns.count(), { timeout: TIMEOUT_MS }).toBe(all);
    // By keyboard, like a selection of text.
    await page.keyboard.press('0');
    await page.keyboard.press('Shift+ArrowRight');
    await chip.waitFor();
    await chip.getByRole('button', { name: 'Show the whole recording' }).click();
    await chip.waitFor({ state: 'detached' });
    await page.close();
  });
});
