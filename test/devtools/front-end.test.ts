// Chrome's own DevTools on the recording of Acme Air's seeded bug: from the end of the recording back to the two turns
// that write a value both have read. Skipped if Chromium is not installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { launchChromium, takePictures, type Browser } from '../../apps/debugger/test/chromium.ts';
import { chromiumPath } from '../../examples/acmeair/test/chromium-path.ts';
import { recordSeededBug } from '../../examples/acmeair/story/seeded-bug.ts';
import { startDevTools, type DevToolsServer } from './devtools-server.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });
/** Timeout in milliseconds on a busy machine. */
const TIMEOUT_MS = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
let served: DevToolsServer;
let browser: Browser;

describe.runIf(chromiumPath !== undefined)('in Chrome DevTools', () => {
  beforeAll(async () => {
    await recordSeededBug(directory);
    served = await startDevTools(directory);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('finds the lost update backwards, from its last write to the sender of the message', async () => {
    const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(served.frontEnd);
    await page.getByText('Debugger paused').waitFor();
    await page.keyboard.press('Escape');
    const prompt = page.locator('.console-view .cm-content').last();
    const results = page.locator('.console-user-command-result');
    /** Evaluates in the console. The console is cleared first, because it only renders visible results. */
    const evaluate = async (text: string): Promise<string> => {
      await prompt.click();
      await page.keyboard.press('Control+l');
      await results.last().waitFor({ state: 'hidden' });
      await page.keyboard.insertText(text);
      await prompt.filter({ hasText: text.slice(0, 20) }).waitFor();
      await page.keyboard.press('Enter');
      // Objects are rendered later than their line.
      const rendered = results.filter({ hasText: /\S/ }).last();
      await rendered.waitFor();
      return rendered.innerText();
    };
    const frames = page.locator('.call-frame-item');
    await takePictures(page, 'opened');

    const kind = '{"kind": "enter", "text": "customers.replace"}';
    await evaluate(`TimeTravel.setBreakpoint(${kind})`);
    await results.filter({ hasText: 'breakpointId' }).waitFor();
    await evaluate('TimeTravel.move({"move": "goto", "arguments": {"target": "end"}})');
    await frames.filter({ hasText: 'the end of the recording' }).waitFor();
    // The last write and the one before it: both turns have booked, and both have written the same value.
    await evaluate('TimeTravel.reverse()');
    await frames.filter({ hasText: 'customers.ts' }).first().waitFor();
    const miles = 'customer._id + " has " + customer.total_miles';
    const written = await evaluate(miles);
    expect(written).toMatch(/has \d+/);
    const line = page.locator('.cm-executionLine');
    expect(await line.innerText()).toContain('this.find(customer._id)');
    await takePictures(page, 'write');
    await evaluate('TimeTravel.reverse()');
    expect(await evaluate(miles)).toBe(written);
    // The sender follows in the stack of asynchronous calls.
    await frames.filter({ hasText: 'bookings.ts' }).first().waitFor();
    await takePictures(page, 'sender');
    // The last write of the value is where the message is sent. From there, the buttons step forward.
    await evaluate('TimeTravel.whoWrote("customer.total_miles")');
    await frames.first().filter({ hasText: 'bookings.ts' }).waitFor();
    const sending = await line.innerText();
    await page.getByLabel('Step over next function call').first().click();
    await line.filter({ hasNotText: sending.trim() }).waitFor();
    await takePictures(page, 'written');
  });
});
