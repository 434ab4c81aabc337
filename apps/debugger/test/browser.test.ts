// The window in a real browser, on the recording of Acme Air's seeded bug: from the end of the recording to the two
// turns that write what both have read. Skipped without Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { chromiumPath } from '../../../examples/acmeair/test/chromium-path.ts';
import { recordSeededBug } from '../../../examples/acmeair/story/seeded-bug.ts';
import { root } from '../../../scripts/node-release.mjs';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';
import { record } from '../../../test/replay/record-and-replay.ts';
import { launchChromium, takePictures, type Browser, type Locator, type Page } from './chromium.ts';
import { firstLine } from './first-line.ts';
import { readabilityProblems } from './readability.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));

let server: ChildProcess;
let address: string;
let browser: Browser;
/** Errors of pages, and on their consoles. */
const errors: string[] = [];

function startServer(recordings: string): ChildProcess {
  return spawn(process.execPath, [...FLAGS, CLI, 'debug', recordings, '--browser'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function openPage(size = { width: 1440, height: 900 }, at = address): Promise<Page> {
  const page = await browser.newPage({ viewport: size });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(at);
  await page.locator('.plot canvas').waitFor();
  return page;
}

/** Enters a move and its arguments in the palette. */
async function runCommand(page: Page, ...inputs: readonly string[]): Promise<void> {
  await page.keyboard.press('Control+k');
  for (const text of inputs) {
    await page.locator('#palette-text').fill(text);
    await page.keyboard.press('Enter');
  }
}

/** A variable at the current position, not one that is still shown from the previous position. */
function variableRow(page: Page, text: RegExp): Locator {
  return page.locator('.values .tree:not(.is-stale) .tree-row', { hasText: text });
}

const DIMMED = '[aria-busy=true], .is-stale';

/** Runs in the page: counts the changes after which something is dimmed. */
const COUNT_DIMMINGS = `(() => {
  const counter = { count: 0 };
  const observer = new MutationObserver(() => {
    if (document.querySelector('${DIMMED}') !== null) counter.count++;
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  return counter;
})()`;

describe.runIf(chromiumPath !== undefined)('in a browser', () => {
  beforeAll(async () => {
    await recordSeededBug(directory);
    server = startServer(directory);
    address = await firstLine(server);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  test('the lost update is found in nine actions: the write, the previous write, and the sender of the stale value', async () => {
    const page = await openPage();
    await takePictures(page, 'opened');
    const title = page.locator('.head .title');
    const position = page.locator('.position');
    const miles = variableRow(page, /^\s*total_miles/);
    // 1: to the end. 2: the last write of a customer. 3: its first statement. 4: the written value.
    await page.keyboard.press('End');
    await title.filter({ hasText: 'the end of the recording' }).waitFor();
    await runCommand(page, 'back turn', 'customers.replace');
    await title.filter({ hasText: 'customers.replace' }).waitFor();
    const last = (await position.textContent()) ?? '';
    await page.keyboard.press('n');
    await variableRow(page, /^▸customer/).click();
    await miles.waitFor();
    const written = await miles.textContent();
    await takePictures(page, 'write');
    // 5 and 6: to the start of this turn, and to the actor's previous turn. It writes the same number of miles, so
    // one of the two updates is lost. 7: into it.
    await page.keyboard.press('A');
    await position.filter({ hasText: new RegExp(`^${last}$`) }).waitFor();
    await page.keyboard.press('A');
    await position.filter({ hasNotText: last }).waitFor();
    expect(await title.textContent()).toContain('customers.replace');
    await page.keyboard.press('n');
    await miles.waitFor();
    expect(await miles.textContent()).toBe(written);
    expect(await page.locator('.editor .cm-current').textContent()).toContain('this.find(customer._id)');
    // 8 and 9: its sender, and the value that the sender had read.
    await page.keyboard.press('m');
    await title.filter({ hasText: 'bookings' }).waitFor();
    await page.keyboard.press('n');
    await page
      .locator('.editor .cm-current')
      .filter({ hasText: 'creditRacily' })
      .or(page.locator('.pane.source .pane-head').filter({ hasText: 'redit' }))
      .first()
      .waitFor();
    await takePictures(page, 'sender');
    await page.close();
    expect(errors).toEqual([]);
  });

  test('the origin of a written value is traced back to the message, by mouse and by keyboard', async () => {
    const page = await openPage();
    const title = page.locator('.head .title');
    await page.keyboard.press('End');
    await title.filter({ hasText: 'the end of the recording' }).waitFor();
    await runCommand(page, 'back turn', 'customers.replace');
    await title.filter({ hasText: 'customers.replace' }).waitFor();
    const written = (await page.locator('.position').textContent()) ?? '';
    await page.keyboard.press('n');
    const customer = variableRow(page, /^▸customer/);
    await customer.click();
    const miles = variableRow(page, /^\s*total_miles/);
    await miles.hover();
    await miles.getByRole('button', { name: 'Show the write history of customer.total_miles' }).click();
    const steps = page.locator('.step');
    await page.locator('.step-end', { hasText: 'choose one' }).waitFor();
    expect(await steps.first().textContent()).toMatch(/^sent.*replace/);
    await steps.first().getByRole('button', { name: 'total_miles', exact: true }).click();
    await steps.nth(1).waitFor();
    expect(await steps.nth(1).textContent()).toContain('const { total_miles, miles_ytd } = customer');
    // Enough: the value was read before the last await.
    await page.keyboard.press('Escape');
    await page.locator('.step-end', { hasNotText: 'looking back' }).waitFor();
    await takePictures(page, 'origin');
    // To the statement that sent the message, and back.
    await steps.first().locator('.step-location').click();
    await title.filter({ hasText: 'bookings' }).waitFor();
    await page.keyboard.press('Alt+ArrowLeft');
    await title.filter({ hasText: 'customers.replace' }).waitFor();
    // The same by keyboard.
    await miles.waitFor();
    await miles.focus();
    await page.keyboard.press('m');
    await title.filter({ hasText: 'bookings' }).waitFor();
    expect(await page.locator('.position').textContent()).not.toContain(written);
    await page.close();
    expect(errors).toEqual([]);
  });

  test('the state of an actor shows its changes since a bookmark, and the system view shows all actors', async () => {
    const page = await openPage();
    await page.keyboard.press('End');
    await page.locator('.head .title', { hasText: 'the end of the recording' }).waitFor();
    await runCommand(page, 'back turn', 'customers.replace');
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    await page.keyboard.press('B');
    const note = page.getByLabel(/^Note of /);
    await note.fill('the last write');
    await page.keyboard.press('Enter');
    const marked = (await note.getAttribute('aria-label'))?.replace('Note of ', '') ?? '';
    await runCommand(page, 'back turn', 'customers.replace');
    await page.locator('.bookmark:not(.is-current)').waitFor();
    await page.locator('.head').click();
    await page.keyboard.press('1');
    const state = page.getByRole('region', { name: 'State' });
    await state.getByRole('treeitem').nth(1).waitFor();
    expect(await state.getByLabel('Actor', { exact: true }).inputValue()).toContain('customers');
    await state.getByLabel('State to compare with').selectOption({ label: `${marked} the last write` });
    // Its state is too large to be compared completely.
    await state.getByText('Deeper parts were not compared').waitFor();
    expect(await state.locator('.messages').textContent()).toContain('replace(');
    await takePictures(page, 'state');
    await page.keyboard.press('2');
    const system = page.getByRole('region', { name: 'Messages' });
    // By keyboard.
    await system.getByRole('button', { name: /^customers/ }).focus();
    await page.keyboard.press('Enter');
    await system.getByText('Receives from').waitFor();
    expect(await system.locator('.node-details').textContent()).toContain('bookings');
    await takePictures(page, 'system');
    // From the start of the recording, since the current position may already be at the write.
    await page.keyboard.press('Home');
    await page.locator('.position', { hasText: /^\d+\.1$/ }).waitFor();
    await system.locator('.node-details li').first().getByRole('button').last().click();
    await page.locator('.head .title', { hasText: 'customers' }).waitFor();
    await page.locator('.position', { hasNotText: /^\d+\.1$/ }).waitFor();
    // Another window shows the bookmark, until it is removed.
    const other = await openPage({ width: 1180, height: 800 });
    await other.getByRole('tab', { name: 'Bookmarks' }).click();
    await other.locator('.bookmark').waitFor();
    await takePictures(other, 'bookmarks');
    await other.getByRole('button', { name: /^Remove the bookmark/ }).click();
    await other.getByText('No bookmarks.').waitFor();
    await other.close();
    await page.close();
    expect(errors).toEqual([]);
  });

  test('a log point at the line of both writes shows the value of each', async () => {
    const page = await openPage();
    // Windows share the position, and the previous test may have left it after the last match.
    await page.keyboard.press('Home');
    await page.locator('.position', { hasText: /^\d+\.1$/ }).waitFor();
    await runCommand(page, 'forward turn', 'customers.replace');
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    const line = await page.locator('.editor .cm-line', { hasText: 'this.find(customer._id)' }).boundingBox();
    const numbers = await page.locator('.editor .cm-lineNumbers').boundingBox();
    await page.mouse.click((numbers?.x ?? 0) + 8, (line?.y ?? 0) + 8);
    await page.locator('.editor .cm-dot').last().waitFor();
    await page.getByLabel('Expression to log at each execution').fill('customer.total_miles');
    await page.keyboard.press('Enter');
    const hits = page.locator('.hits li');
    await hits.filter({ hasText: /executions$/ }).waitFor();
    const values = await page.locator('.hits li button + span').allTextContents();
    expect(values.length).toBeGreaterThan(1);
    expect(values.at(-1)).toMatch(/^\d+$/);
    expect(values.at(-1)).toBe(values.at(-2));
    await takePictures(page, 'logged');
    // To one of the hits.
    await hits.first().getByRole('button').click();
    await page.locator('.position', { hasText: ':1.1' }).waitFor();
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByText('No breakpoints.').waitFor();
    await page.close();
    expect(errors).toEqual([]);
  });

  test('a request leads to the task that received it and to the task that answered it', async () => {
    const page = await openPage();
    await page.keyboard.press('End');
    await page.locator('.head .title', { hasText: 'the end of the recording' }).waitFor();
    await page.keyboard.press('3');
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByLabel('Text in method, URL or status').fill('bookflights');
    const booking = requests.locator('.request').first();
    await booking.filter({ hasText: 'bookflights' }).waitFor();
    expect(await booking.textContent()).toContain('200');
    await requests.getByLabel('slowest first').check();
    await booking.locator('.row-main').click();
    await page.locator('.head .title', { hasNotText: 'the end of the recording' }).waitFor();
    await requests.locator('.request.is-current').waitFor();
    await takePictures(page, 'requests');
    const receivedPosition = (await page.locator('.position').textContent()) ?? '';
    await requests
      .locator('.request.is-current')
      .getByRole('button', { name: /go to the response/ })
      .click();
    await page.locator('.position', { hasNotText: new RegExp(`^${receivedPosition}$`) }).waitFor();
    await requests.getByRole('button', { name: 'Failed' }).click();
    await requests.getByText('No matching requests.').waitFor();
    await page.close();
    expect(errors).toEqual([]);
  });

  test('a pending promise shows its waiters and the promises that it waits for', async () => {
    const page = await openPage();
    await page.keyboard.press('End');
    await page.locator('.head .title', { hasText: 'the end of the recording' }).waitFor();
    await runCommand(page, 'back turn', 'customers.replace');
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    await page.keyboard.press('4');
    const promises = page.getByRole('region', { name: 'Promises' });
    const answer = promises.locator('.promise', { hasText: 'the answer of customers.replace' }).first();
    await answer.getByText('awaited by').first().waitFor();
    await answer.locator('.row-main').click();
    await answer.getByRole('list', { name: 'Chain of promises' }).waitFor();
    await takePictures(page, 'promises');
    await page.close();
    expect(errors).toEqual([]);
  });

  test('printed lines and search results lead to their positions', async () => {
    const page = await openPage();
    await page.keyboard.press('End');
    await page.locator('.head .title', { hasText: 'the end of the recording' }).waitFor();
    await page.keyboard.press('5');
    const output = page.getByRole('region', { name: 'Console' });
    await output.locator('.line').first().locator('.row-main').click();
    await page.locator('.head .title', { hasNotText: 'the end of the recording' }).waitFor();
    await output.locator('.line.is-current').first().waitFor();
    await takePictures(page, 'output');
    await page.keyboard.press('/');
    await output.locator('#search:focus').fill('CUSTOMERS.replace');
    await output.locator('.line mark', { hasText: 'customers.replace' }).first().waitFor();
    await output.locator('.line').first().locator('.row-main').click();
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    await takePictures(page, 'search');
    await page.close();
    expect(errors).toEqual([]);
  });

  test('the contents of a snapshot are listed by class', async () => {
    const page = await openPage();
    await page.keyboard.press('Home');
    await page.locator('.position', { hasText: /^0\.1$/ }).waitFor();
    await page.keyboard.press('6');
    const snapshots = page.getByRole('region', { name: 'Snapshots' });
    await snapshots.getByTitle('Contents', { exact: true }).last().click();
    const classes = snapshots.getByRole('table');
    await classes.getByRole('row').nth(2).waitFor();
    await classes.getByRole('button', { name: 'Objects' }).click();
    await classes.getByRole('columnheader', { name: 'Objects' }).and(classes.locator('[aria-sort]')).waitFor();
    await takePictures(page, 'snapshots');
    await snapshots
      .getByRole('button', { name: /^Go to snapshot/ })
      .first()
      .click();
    await page.locator('.position', { hasNotText: /^0\.1$/ }).waitFor();
    await page.close();
    expect(errors).toEqual([]);
  });

  test('two snapshots are compared by class, with the classes that have grown most first', async () => {
    const selling = join(directory, 'selling');
    record(selling, ['--snapshots', 'end', join(root, 'test/engine/programs/selling.ts')]);
    const other = startServer(selling);
    onTestFinished(() => void other.kill('SIGTERM'));
    const page = await openPage(undefined, await firstLine(other));
    await page.keyboard.press('6');
    const snapshots = page.getByRole('region', { name: 'Snapshots' });
    await snapshots.getByTitle('Contents', { exact: true }).last().click();
    const classes = snapshots.getByRole('table');
    await classes.getByRole('row').nth(2).waitFor();
    await snapshots.getByLabel('Compared with').selectOption({ index: 1 });
    await classes.getByRole('columnheader', { name: 'Grown' }).and(classes.locator('[aria-sort]')).waitFor();
    const retained = await classes.locator('tbody tr td:nth-of-type(3)').allTextContents();
    expect(retained.every((each) => /^\d+(\.\d)? (B|KB|MB)$/.test(each))).toBe(true);
    const grown = classes.locator('tbody tr td:nth-of-type(4)');
    expect(await grown.first().textContent()).toMatch(/^\+\d/);
    expect(await grown.first().getAttribute('title')).toMatch(/^retains .+ now, .+ in the other snapshot$/);
    await snapshots.getByLabel('Text in the name or file of a class').fill('no class is called like this');
    await snapshots.getByText('No matching classes.').waitFor();
    await snapshots.getByLabel('Text in the name or file of a class').fill('');
    await classes.getByRole('row').nth(2).waitFor();
    await takePictures(page, 'compared');
    await page.close();
    expect(errors).toEqual([]);
  });

  test('all text has enough contrast, and nothing is clipped at 1280 × 800, in both themes', async () => {
    const page = await openPage({ width: 1280, height: 800 });
    const problems: Record<string, readonly string[]> = {};
    const check = async (view: string): Promise<void> => {
      let found: string[];
      let dimmings: number;
      // Values of the previous position are dimmed until those of the current one arrive.
      do {
        await page.locator(DIMMED).first().waitFor({ state: 'detached' });
        const counter = await page.evaluateHandle(COUNT_DIMMINGS);
        found = await readabilityProblems(page);
        dimmings = Number(await (await counter.getProperty('count')).jsonValue());
      } while (dimmings > 0);
      if (found.length > 0) problems[view] = found;
      await takePictures(page, `readable-${view}`);
    };
    await check('opened');
    await page.keyboard.press('End');
    await page.locator('.head .title', { hasText: 'the end of the recording' }).waitFor();
    await runCommand(page, 'back turn', 'customers.replace');
    await page.locator('.head .title', { hasText: 'customers.replace' }).waitFor();
    await page.keyboard.press('s');
    await page.locator('.values .tree-row').first().waitFor();
    await check('statement');
    for (const [name, key] of [
      ['state', '1'],
      ['messages', '2'],
      ['requests', '3'],
      ['promises', '4'],
      ['output', '5'],
      ['snapshots', '6'],
      ['search', '/'],
      ['write-history', 'y'],
    ] as const) {
      await page.locator('.head').click();
      await page.keyboard.press(key);
      await check(name);
    }
    await page.keyboard.press('Control+k');
    await page.locator('#palette-text').waitFor();
    await check('palette');
    await page.close();
    expect(problems).toEqual({});
  });

  test('the page has a content security policy, and its address no longer has the secret', async () => {
    const page = await browser.newPage();
    await page.goto(address);
    await page.locator('.plot canvas').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await page.locator('.plot canvas').waitFor();
    expect(
      await page.evaluate(`import('data:text/javascript,export default 1').then(() => 'run', () => 'refused')`),
    ).toBe('refused');
    const stranger = await browser.newPage();
    await stranger.goto(address.split('#')[0] ?? '');
    await stranger.getByRole('alertdialog', { name: 'The connection to the debugger was lost' }).waitFor();
    await takePictures(stranger, 'stranger');
    await stranger.close();
  });
});
