import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { launchChromium } from './chromium.ts';
const [recording, out, ...keys] = process.argv.slice(2);
const child = spawn(
  process.execPath,
  ['-C', 'turntable-source', 'packages/turntable/src/cli.ts', 'debug', recording as string, '--browser'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
const browser = await launchChromium();
for (const theme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(line.trim());
  await page.waitForTimeout(4000);
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  if (theme === 'light')
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(1500);
    }
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${out}-${theme}.png` });
  await page.close();
}
await browser.close();
child.kill('SIGINT');
