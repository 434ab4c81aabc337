// The browser of the machine, started without anything to be seen.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../../../examples/acmeair/test/chromium-path.ts';

export type { Browser, Locator, Page } from 'playwright-core';

export function launchChromium(): Promise<Browser> {
  // Of root's processes Chromium's sandbox is none.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath ?? '', args });
}

/** Where pictures of the window go, if somebody wants to look at them. */
const PICTURES_DIRECTORY = process.env['TURNTABLE_PICTURES'];

/** What a view is looked at in: a large window, a small one, and the large one with everything twice as large. */
const VIEWPORTS = { large: [1440, 900], small: [1024, 700], twice: [720, 450] } as const;

export async function takePictures(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  if (PICTURES_DIRECTORY === undefined || before === null) return;
  mkdirSync(PICTURES_DIRECTORY, { recursive: true });
  for (const [size, [width, height]] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize({ width, height });
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      await page.evaluate('new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle)))');
      await page.screenshot({ path: join(PICTURES_DIRECTORY, `${name}-${size}-${theme}.png`) });
    }
  }
  await page.setViewportSize(before);
}
