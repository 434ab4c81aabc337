// Uses the pages in a real browser while the service is recorded, and replays the recording. Skipped without Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { replayAndCompare, ProgramProcess, type Subject } from '../../../test/outside/recorded.ts';
import { chromiumPath } from './chromium-path.ts';

const USER = 'uid2@email.com';
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.runIf(chromiumPath !== undefined)('replays a recording made with a browser', { timeout: 120_000 }, async () => {
  const subject: Subject = {
    file: '../../../examples/acmeair/src/main.ts',
    workingDirectory: join(directory, 'place'),
    recordings: join(directory, 'recordings'),
    env: { ACMEAIR_PORT: '0', ACMEAIR_CUSTOMERS: '100', TURNTABLE_SNAPSHOTS: 'requests=25,end' },
  };
  const program = new ProgramProcess('recorded', subject);
  const url = `http://127.0.0.1:${await program.port}`;
  // Chromium's sandbox does not support root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args });
  const errors: string[] = [];
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    await fillDatabase(page, url);
    await logIn(page, url);
    const numbers = await bookThereAndBack(page);
    await cancelOneOf(page, numbers);
    await moveHouse(page);
    await lookAtConfiguration(page);
    await page.click('#logout');
    await page.waitForURL('**/index.html');
    await page.goto(`${url}/checkin.html`);
    await page.waitForURL('**/index.html');
  } finally {
    await browser.close();
  }
  // Errors of the service are shown on the page and thrown.
  expect(errors.filter((each) => !/wrong name or password|not logged in/.test(each))).toEqual([]);
  program.terminate();
  const ended = await program.exited;
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  const { differences, replay: replayed } = replayAndCompare(subject, ended);
  expect(differences).toEqual([]);
  expect(replayed.report.cuts.compared).toBeGreaterThan(0);
});

async function expectStatus(page: Page, text: RegExp | string): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}

async function fillDatabase(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/loader.html`);
  await page.waitForFunction('document.forms[0].elements.numCustomers.value === "100"');
  await page.click('form button');
  await expectStatus(page, 'Database Finished Loading');
}

async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByLabel('Name').fill(USER);
  await page.getByLabel('Password').fill('guess');
  await page.click('form button');
  await expectStatus(page, 'wrong name or password');
  await page.getByLabel('Password').fill('password');
  await page.click('form button');
  await page.waitForURL('**/flights.html');
}

/** Returns the numbers of both bookings. */
async function bookThereAndBack(page: Page): Promise<string[]> {
  await page.click('form button');
  const choices = page.getByRole('radio');
  await choices.nth(1).waitFor();
  expect(await choices.count()).toBe(2);
  expect(await page.locator('#book').isDisabled()).toBe(true);
  await choices.nth(0).check();
  await choices.nth(1).check();
  await page.click('#book');
  await expectStatus(page, /^Booked: /);
  const text = (await page.getByRole('status').textContent()) ?? '';
  return text.replace('Booked: ', '').split(', ');
}

async function cancelOneOf(page: Page, numbers: readonly string[]): Promise<void> {
  expect(numbers.length).toBe(2);
  await page.getByRole('link', { name: 'Bookings' }).click();
  for (const number of numbers) await page.getByRole('cell', { name: number, exact: true }).waitFor();
  await page.getByRole('checkbox', { name: `Choose ${numbers[0]}` }).check();
  await page.click('#cancel');
  await expectStatus(page, '1 cancelled.');
  expect(await page.getByRole('checkbox').count()).toBe(1);
}

async function moveHouse(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Account' }).click();
  // Two bookings have earned miles.
  await page.locator('#total', { hasText: '1,001,000' }).waitFor();
  await page.getByLabel('Street', { exact: true }).fill('124 Main St.');
  await page.getByLabel('Password').fill('password');
  await page.click('form button');
  await expectStatus(page, 'Saved.');
  await page.reload();
  await page.waitForFunction('document.forms[0].elements.streetAddress1.value === "124 Main St."');
}

async function lookAtConfiguration(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Configuration' }).click();
  await page.getByRole('row', { name: 'Customers 100' }).waitFor();
  await page.getByRole('row', { name: 'Bookings 1', exact: true }).waitFor();
  await page.getByRole('row', { name: `node ${process.versions.node}` }).waitFor();
  expect(await page.locator('#service').textContent()).toBe('sqlite');
}
