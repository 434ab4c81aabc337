// Chrome's own DevTools on a TypeScript program: breakpoints, steps over `await`, values, the console, and a restart of
// the server. Skipped if Chromium is not installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { launchChromium, type Browser, type Locator, type Page } from '../../apps/debugger/test/chromium.ts';
import { chromiumPath } from '../../examples/acmeair/test/chromium-path.ts';
import { record } from '../replay/record-and-replay.ts';
import { startDevTools, type DevToolsServer } from './devtools-server.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });
/** Timeout in milliseconds on a busy machine. */
const TIMEOUT_MS = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const recordings = join(directory, 'recordings');
const env = { TURNTABLE_CACHE: join(directory, 'cache') };
let served: DevToolsServer;
let browser: Browser;

class DevTools {
  readonly page: Page;
  readonly frames: Locator;
  readonly messages: Locator;
  readonly #line: Locator;

  private constructor(page: Page) {
    this.page = page;
    this.frames = page.locator('.call-frame-item');
    this.messages = page.locator('.console-message-wrapper');
    this.#line = page.locator('.cm-executionLine');
  }

  static async open(): Promise<DevTools> {
    const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(served.frontEnd);
    await page.getByText('Debugger paused').waitFor();
    await page.keyboard.press('Escape');
    return new DevTools(page);
  }

  async click(label: string): Promise<void> {
    await this.page.getByLabel(label).first().click();
  }

  /** Waits until a statement is the current one. @param caller location of the frame that must follow */
  async pausedAt(statement: string, caller?: string): Promise<void> {
    await this.#line.filter({ hasText: statement }).waitFor();
    if (caller !== undefined) await this.frames.filter({ hasText: caller }).first().waitFor();
  }

  gutter(line: number): Locator {
    return this.page.locator('.cm-lineNumbers .cm-gutterElement').filter({ hasText: new RegExp(`^${line}$`) });
  }

  async type(input: string): Promise<void> {
    await this.page.locator('.console-view .cm-content').last().click();
    await this.page.keyboard.insertText(input);
    await this.page.keyboard.press('Enter');
  }

  /** Waits for a line of the console. */
  async message(text: string): Promise<Locator> {
    const found = this.messages.filter({ hasText: text }).last();
    await found.waitFor();
    return found;
  }
}

describe.runIf(chromiumPath !== undefined)('in Chrome DevTools', () => {
  beforeAll(async () => {
    record(recordings, [join(import.meta.dirname, 'programs/orders.ts')]);
    served = await startDevTools(recordings, env);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('a TypeScript program is debugged forward and backward', async () => {
    const tools = await DevTools.open();
    const { page } = tools;
    await tools.message('To go back: TimeTravel.stepBack()');

    // A breakpoint, and the caller that awaits the function.
    await tools.gutter(33).click();
    await tools.click('Resume script execution');
    await tools.pausedAt('const price = prices[name];', 'orders.ts:42');
    // Only TypeScript has types.
    const types = page.locator('.cm-line', { hasText: 'async function priceOf' }).locator('.token-type');
    expect(await types.allInnerTexts()).toEqual(['string', 'Promise', 'number']);
    await tools.gutter(33).click();

    // Out to the caller, where values are shown beside the code.
    await tools.click('Step out of current function');
    await tools.pausedAt('order.add({ name, count: 2 }, price);');
    await page.locator('.cm-line', { hasText: 'customer = "Ann", names = (2)' }).waitFor();
    await page.locator('.cm-line', { hasText: 'price = 3' }).waitFor();

    // Over the await, backward and forward.
    await tools.type('TimeTravel.stepBack()');
    await tools.pausedAt('const price = await priceOf(name);');
    await tools.click('Step over next function call');
    await tools.pausedAt('order.add({ name, count: 2 }, price);');

    // Output links to its statement.
    await tools.click('Step over next function call');
    await tools.pausedAt('console.log(`${customer} buys ${name}`);');
    await page
      .locator('.cm-executionLine span', { hasText: /^customer$/ })
      .first()
      .hover();
    await page.locator('.monospace.object-value-string', { hasText: '"Ann"' }).waitFor();
    await tools.click('Step over next function call');
    expect(await (await tools.message('Ann buys tea')).innerText()).toContain('orders.ts:44');

    await page.getByText('Pause on caught exceptions').locator('visible=true').first().click();
    await tools.click('Resume script execution');
    await page.getByText('Paused on exception').waitFor();
    await tools.pausedAt('throw new RangeError');
    await tools.type('name');
    await tools.message('salt');
    await tools.type('$_.length + 1000');
    await tools.message('1004');
    await page.getByText('Pause on caught exceptions').locator('visible=true').first().click();

    // The objects at this position. The tools enable the debugger again, which shows the sources.
    await page.getByRole('tab', { name: 'Memory' }).click();
    await page.getByRole('button', { name: 'Take heap snapshot' }).locator('visible=true').first().click();
    await page.getByText('Debugger paused').or(page.getByText('Paused on exception')).first().waitFor();
    await page.getByRole('tab', { name: 'Memory' }).click();
    await page.getByRole('row', { name: /^Shop/ }).first().waitFor();
    await page.getByRole('tab', { name: 'Sources' }).click();

    // A log point shows the whole recording.
    await tools.gutter(22).click({ modifiers: ['Control', 'Shift'] });
    // The editor of the log point is the third visible one, after the file and the console.
    await page.locator('.cm-editor').locator('visible=true').nth(2).waitFor();
    await page.keyboard.insertText('"logged", customer');
    await page.keyboard.press('Enter');
    await tools.message('logged Ann');
    await tools.message('logged Bob');

    await tools.click('Resume script execution');
    await tools.pausedAt("console.log('total', ann.total + bob.total");
    await tools.type('TimeTravel.whoWrote("bob.total")');
    await tools.pausedAt('this.total += line.count * price;');
    await page.close();
  });

  test('the address survives a restart of the server', async () => {
    const { frontEnd, printed } = served;
    expect(printed).toContain(`Recording ${recordings}`);
    await served.stop();
    served = await startDevTools(recordings, env);
    expect(served.frontEnd).toBe(frontEnd);
    const tools = await DevTools.open();
    await tools.frames.filter({ hasText: 'orders.ts' }).first().waitFor();
  });
});
