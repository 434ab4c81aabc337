// Starts the installed Chromium without a window.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../../../examples/acmeair/test/chromium-path.ts';

export type { Browser, Locator, Page } from 'playwright-core';

export function launchChromium(): Promise<Browser> {
  // Chromium cannot run its sandbox as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath ?? '', args });
}

/** Directory for screenshots, if the developer wants any. */
const PICTURES_DIRECTORY = process.env['TURNTABLE_PICTURES'];

/** Viewports of the screenshots: large, small, and the large one at twice the scale. */
const VIEWPORTS = { large: [1440, 900], small: [1024, 700], twice: [720, 450] } as const;

export const THEMES = ['light', 'dark'] as const;

/** Changes the theme of a page, and waits until it is painted. */
export async function showTheme(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  await page.evaluate('new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle)))');
}

export async function takePictures(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  if (PICTURES_DIRECTORY === undefined || before === null) return;
  mkdirSync(PICTURES_DIRECTORY, { recursive: true });
  for (const [size, [width, height]] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize({ width, height });
    for (const theme of THEMES) {
      await showTheme(page, theme);
      await page.screenshot({ path: join(PICTURES_DIRECTORY, `${name}-${size}-${theme}.png`) });
    }
  }
  await page.setViewportSize(before);
}
