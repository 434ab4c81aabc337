// The browser of the machine, started without anything to be seen.
import { chromium, type Browser } from 'playwright-core';
import { chromiumHere } from '../../../examples/acmeair/test/chromium-here.ts';

export type { Browser, Page } from 'playwright-core';

export function launchedChromium(): Promise<Browser> {
  // Of root's processes Chromium's sandbox is none.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumHere ?? '', args });
}
