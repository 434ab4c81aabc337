// The window in a real browser with a very large and an empty recording. A server without replay processes serves run
// indexes that no program has recorded. Skipped without Chromium.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { chromiumPath } from '../../../examples/acmeair/test/chromium-path.ts';
import { interfaceSite, pageAddress } from '../../../packages/turntable/src/debug/interface-site.ts';
import { buildRunIndex, type RandomStep } from '../../../packages/time-machine/test/random-runs.ts';
import { launchChromium, takePictures, type Browser, type Page } from './chromium.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
/** Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 120_000;
const ACTOR_COUNT = 10_000;
/** Layout of the timeline: width of the names, height of the ruler, height of a row. */
const [NAMES_WIDTH, LANES_TOP, ROW_HEIGHT] = [176, 48, 20];

let browser: Browser;
const servers: TimeMachineServer[] = [];

async function openPage(
  steps: readonly RandomStep[],
): Promise<{ readonly page: Page; readonly errors: readonly string[] }> {
  const server = new TimeMachineServer(buildRunIndex(steps), { name: 'x', from: undefined, verdict: 'same' }, '1.2.3');
  servers.push(server);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(pageAddress(await server.listen(0, interfaceSite())));
  return { page, errors };
}

describe.runIf(chromiumPath !== undefined)('in a browser', () => {
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    for (const each of servers) await each.close();
  });

  test('ten thousand actors can be scrolled through, filtered and selected', async () => {
    const steps = Array.from({ length: 2 * ACTOR_COUNT }, (_, i): RandomStep => ({
      action: 'run',
      thread: 0,
      sends: 0,
      kind: i < ACTOR_COUNT ? 'construct' : 'call',
      actor: i % ACTOR_COUNT,
    }));
    const { page, errors } = await openPage(steps);
    await page.locator('.timeline[aria-busy="false"] .plot canvas').waitFor();
    await page.getByText('20,000 tasks').waitFor();
    await takePictures(page, 'many');
    const canvas = page.locator('.plot canvas');
    const { x, y, width, height } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const title = page.locator('.head .title');
    // The last row, at the last task of the last actor.
    await canvas.dispatchEvent('wheel', {
      clientX: x + width / 2,
      clientY: y + height / 2,
      deltaY: ACTOR_COUNT * ROW_HEIGHT,
    });
    await page.mouse.click(x + width - 2, y + height - ROW_HEIGHT / 2);
    await title.filter({ hasText: `actor ${ACTOR_COUNT - 1} of 0.m` }).waitFor();
    // The only match, below its worker.
    await page.getByPlaceholder('Filter actors').fill('actor 4711 ');
    const createdX = NAMES_WIDTH + ((4711 + 0.5) / (2 * ACTOR_COUNT)) * (width - NAMES_WIDTH);
    await page.mouse.click(x + createdX, y + LANES_TOP + 1.5 * ROW_HEIGHT);
    await title.filter({ hasText: 'actor 4711 of 0 is created' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test('every view of an empty recording says that it is empty', async () => {
    const { page, errors } = await openPage([]);
    await page.locator('.timeline[aria-busy="false"]').waitFor();
    await page.getByText('No tasks in this recording.').waitFor();
    await page.getByText('No tasks.').waitFor();
    await takePictures(page, 'empty');
    for (const [key, text] of [
      ['3', 'The program received no requests.'],
      ['2', 'No tasks in this recording.'],
      ['5', 'The program printed nothing.'],
      ['6', 'This recording has no snapshots that can be read.'],
      ['End', 'the end of the recording'],
      ['t', 'there is no later turn of any actor'],
    ] as const) {
      await page.locator('.head').click();
      await page.keyboard.press(key);
      await page.getByText(text).last().waitFor();
    }
    expect(errors).toEqual([]);
    await takePictures(page, 'empty-views');
    await page.close();
  });
});
