// The page of the debugger in a browser, measured from outside: paints, frames, settled views and memory.

import { existsSync, readFileSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Browser, Page } from '../../apps/debugger/test/chromium.ts';
import { BenchError } from '../harness/session.ts';
import { BUNDLED_CLI_ARGS } from '../harness/whole-run.ts';

/** Time limit of every wait. */
const TIMEOUT_MS = 300_000;
/** Time without a change after which views have settled. */
const QUIET_MS = 250;

/** Milliseconds since the page was requested. */
export interface OpeningTimes {
  /** First contentful paint. */
  readonly first: number;
  /** First paint of the timeline, possibly incomplete. */
  readonly timeline: number;
  /** Paint of the complete timeline. */
  readonly whole: number;
}

export interface FrameTimes {
  /** Painting time of each frame. */
  readonly painting: number[];
  /** Time from each frame to the next. */
  readonly intervals: number[];
}

/** Server of `turntable debug --browser` for a recording. */
export class DebugPageServer {
  readonly #child: ChildProcess;
  readonly address: string;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  /** @param cache directory of the cache */
  static async start(recording: string, cache: string): Promise<DebugPageServer> {
    const child = spawn(process.execPath, [...BUNDLED_CLI_ARGS, 'debug', recording, '--browser'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: cache },
    });
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout as Readable }).once('line', resolve);
      child.once('close', (code) =>
        reject(new BenchError('TT_BENCH_PROCESS', `turntable debug ended early (${code})`)),
      );
    });
    return new DebugPageServer(child, address);
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** Script that runs in the page before its own scripts. */
const PAINT_OBSERVER = `
  const painted = (selector) => new Promise((settle) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector(selector) === null) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => settle(performance.now())));
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  window.painted = Promise.all([painted('.plot canvas'), painted('.timeline[aria-busy="false"] .plot canvas')]);
`;

export async function openPage(browser: Browser, address: string): Promise<{ page: Page; opening: OpeningTimes }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.addInitScript(PAINT_OBSERVER);
  await page.goto(address);
  const opening = await page.evaluate<OpeningTimes>(`window.painted.then(([timeline, whole]) => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? timeline,
    timeline,
    whole,
  }))`);
  return { page, opening };
}

/** Zooms in, pans, scrolls, pans back and zooms out, and times the frames. */
export function frameTimes(page: Page, steps: number): Promise<FrameTimes> {
  return page.evaluate<FrameTimes>(`(async () => {
    const canvas = document.querySelector('.plot canvas');
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const wheel = (deltaX, deltaY, ctrlKey) => canvas.dispatchEvent(new WheelEvent('wheel', {
      clientX: left + 176 + (width - 176) / 2, clientY: top + height / 2, deltaX, deltaY, ctrlKey, bubbles: true, cancelable: true,
    }));
    const frame = (change) => new Promise((settle) => {
      let began;
      requestAnimationFrame((time) => { began = [time, performance.now()]; });
      change();
      requestAnimationFrame(() => settle([began[0], performance.now() - began[1]]));
    });
    const changes = [() => wheel(0, -40, true), () => wheel(60, 0, false), () => wheel(0, 30, false), () => wheel(-60, 0, false), () => wheel(0, 40, true)];
    const painting = [], intervals = [];
    let last;
    for (const change of changes)
      for (let i = 0; i < ${steps}; i++) {
        const [time, took] = await frame(change);
        painting.push(took);
        if (last !== undefined) intervals.push(time - last);
        last = time;
      }
    return { painting, intervals };
  })()`);
}

/** Moves to a position. @param percentage percentage of the recording's tasks */
export async function moveToPercentage(page: Page, percentage: number): Promise<void> {
  const before = await page.locator('.position').textContent();
  await page.keyboard.press('Control+k');
  for (const text of ['percentage', `${percentage}%`]) {
    await page.locator('#palette-text').fill(text);
    await page.keyboard.press('Enter');
  }
  await page.waitForFunction(`document.querySelector('.position')?.textContent !== ${JSON.stringify(before)}`);
}

/** Returns the milliseconds from a key press until no view changes any more. */
export async function timeSettled(page: Page, key: string): Promise<number> {
  const elapsedMs = await page.evaluate<number | null>(`new Promise((settle) => {
    const where = () => document.querySelector('.position')?.textContent;
    const before = where();
    const began = performance.now();
    let last = began;
    const observer = new MutationObserver(() => { last = performance.now(); });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }));
    const look = () => {
      const now = performance.now();
      const isBusy = document.querySelector('.busy, [aria-busy="true"]') !== null;
      const isThere = where() !== before && !isBusy && now - last > ${QUIET_MS};
      if (!isThere && now - began < ${TIMEOUT_MS / 10}) return void setTimeout(look, 10);
      observer.disconnect();
      settle(where() === before ? null : last - began);
    };
    look();
  })`);
  if (elapsedMs === null) throw new BenchError('TT_BENCH_FAILURE', `the key ${key} has no effect`);
  return elapsedMs;
}

/** Resident MB of the largest renderer process; NaN where the system has no /proc. */
export async function rendererMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const all = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMegabytes(id));
  return Math.max(...all);
}

function residentMegabytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN) / 1024;
}
