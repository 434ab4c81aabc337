// Finds text in a page that is hard to read: with too little contrast, or clipped.
import { readFileSync } from 'node:fs';
import { showTheme, THEMES, type Page } from './chromium.ts';

/** Minimum contrast between text and background, for the smaller sizes of text, as WCAG AA demands. */
const MIN_CONTRAST = 4.5;
const FIND_PROBLEMS = readFileSync(new URL('readability-in-page.js', import.meta.url), 'utf8');
const SIZE = { width: 1280, height: 800 };

/** Problems of the visible text in both themes, at 1280 × 800. */
export async function readabilityProblems(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  await page.setViewportSize(SIZE);
  const problems: string[] = [];
  for (const theme of THEMES) {
    await showTheme(page, theme);
    const found = (await page.evaluate(`${FIND_PROBLEMS}\nfindProblems(${MIN_CONTRAST})`)) as string[];
    problems.push(...found.map((problem) => `${theme}: ${problem}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return problems;
}
