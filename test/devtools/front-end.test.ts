// The tools of a real Chrome, on the recording of Acme Air's seeded bug: from the end of the recording back to the two turns that write what both have read. Left out where there is no Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { launchChromium, takePictures, type Browser } from '../../apps/debugger/test/chromium.ts';
import { chromiumPath } from '../../examples/acmeair/test/chromium-path.ts';
import { recordSeededBug } from '../../examples/acmeair/story/seeded-bug.ts';
import { root } from '../../scripts/node-release.mjs';
import { startDevTools, type DevToolsServer } from './devtools-server.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });
/** Milliseconds: what has not come by then never will, even where all else goes before it. */
const LIMIT = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
let served: DevToolsServer;
let browser: Browser;

describe.runIf(chromiumPath !== undefined)('in the tools of Chrome', () => {
  beforeAll(async () => {
    await recordSeededBug(directory);
    // As it was built: an engine begins many times here.
    served = await startDevTools(directory, [join(root, 'packages/turntable/dist/cli.js')]);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    served?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('the lost update is found backwards, from its last write to who has sent it', async () => {
    const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    page.setDefaultTimeout(LIMIT);
    await page.goto(served.frontEnd);
    await page.getByText('Debugger paused').waitFor();
    await page.keyboard.press('Escape');
    const prompt = page.locator('.console-view .cm-content').last();
    const results = page.locator('.console-user-command-result');
    /** What the console answers to it: it shows no more than there is room for, so it is cleared before. */
    const answered = async (text: string): Promise<string> => {
      await prompt.click();
      await page.keyboard.press('Control+l');
      await results.last().waitFor({ state: 'hidden' });
      await page.keyboard.insertText(text);
      await page.keyboard.press('Enter');
      await results.last().waitFor();
      return results.last().innerText();
    };
    const frames = page.locator('.call-frame-item');
    await takePictures(page, 'opened');

    const kind = '{"kind": "entered", "matching": "customers.replace"}';
    expect(await answered(`TimeTravel.setBreakpoint(${kind})`)).toContain('breakpointId');
    await answered('TimeTravel.move({"move": "end"})');
    await frames.filter({ hasText: 'the end of the recording' }).waitFor();
    // The last write, and the one before it: both have booked, and both have written the same.
    await answered('TimeTravel.reverse()');
    await frames.filter({ hasText: 'customers.ts' }).first().waitFor();
    const miles = 'customer._id + " has " + customer.total_miles';
    const written = await answered(miles);
    expect(written).toMatch(/has \d+/);
    const line = page.locator('.cm-executionLine');
    expect(await line.innerText()).toContain('this.find(customer._id)');
    await takePictures(page, 'write');
    await answered('TimeTravel.reverse()');
    expect(await answered(miles)).toBe(written);
    // Who has sent it stands behind it in the stack of asynchronous calls.
    await frames.filter({ hasText: 'bookings.ts' }).first().waitFor();
    await takePictures(page, 'sender');
    // What is written comes from the message; and its buttons go forward.
    await answered('TimeTravel.whoWrote("customer.total_miles")');
    await frames.first().filter({ hasText: 'bookings.ts' }).waitFor();
    const sending = await line.innerText();
    await page.getByLabel('Step over next function call').first().click();
    await line.filter({ hasNotText: sending.trim() }).waitFor();
    await takePictures(page, 'written');
  });
});
