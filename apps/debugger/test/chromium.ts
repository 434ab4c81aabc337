// The browser of the machine, started without anything to be seen.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumHere } from '../../../examples/acmeair/test/chromium-here.ts';

export type { Browser, Locator, Page } from 'playwright-core';

export function launchedChromium(): Promise<Browser> {
  // Of root's processes Chromium's sandbox is none.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumHere ?? '', args });
}

/** Where pictures of the window go, if somebody wants to look at them. */
const PICTURES = process.env['TURNTABLE_PICTURES'];

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await page.evaluate('new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle)))');
    await page.screenshot({ path: join(PICTURES, `${name}-${theme}.png`) });
  }
}
