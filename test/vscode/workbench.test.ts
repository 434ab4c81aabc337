// VS Code's own workbench with the packaged extension: a user opens a recording and goes through it forward and back.
// Skipped unless TURNTABLE_VSCODE names a VS Code server and Chromium is installed.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { canRunWorkbench, loggedRequests, turntableCommand, Workbench } from './workbench.ts';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
const folder = join(scratch, 'shop');
const recordings = join(scratch, 'recordings');
const log = join(scratch, 'requests.log');
const GOLDEN = join(import.meta.dirname, '../dap/golden/vscode-requests.txt');
let code: Workbench;

function commandsIn(requests: string): string[] {
  const commands = requests
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { command: string }).command);
  // Whether a request is cancelled depends on time.
  return [...new Set(commands)].filter((each) => each !== 'cancel').toSorted();
}

describe.runIf(canRunWorkbench)('in VS Code', () => {
  beforeAll(async () => {
    cpSync(join(import.meta.dirname, 'fixtures/shop'), folder, { recursive: true });
    record(recordings, [join(folder, 'orders.ts')]);
    const settings = { 'turntable.command': turntableCommand(log), 'turntable.recordings': recordings };
    code = await Workbench.open({ scratch, folder, settings });
  });
  afterAll(async () => {
    await code?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  test('debugs a recording from the view of recordings, forward and back', async () => {
    const { page } = code;
    await code.openFile('orders.ts');
    await code.goToLine(13);
    await page.keyboard.press('F9');
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await page.locator('.activitybar .action-label[aria-label="Turntable"]').click();
    await page.locator('.pane-body .monaco-list-row').filter({ hasText: 'orders.ts' }).click();
    await page.locator('.debug-toolbar').waitFor();
    await code.run('View: Show Run and Debug');
    await code.expectFrame('the program is evaluated', 3);

    // Continue to the breakpoint, over the await in both directions, and out to the caller, which awaits.
    await code.moveBy('F5', 'reserve', 13);
    await code.moveBy('Control+F10', 'reserve', 12);
    await code.moveBy('F10', 'reserve', 13);
    await code.expectText('.debug-variables .monaco-list-row', /item\s*=\s*"pen"/);
    await code.expectText('.statusbar-item', /^\s*0\.\d+:\d+\.\d+/);
    const condition = page
      .locator('.view-line')
      .filter({ hasText: 'if (left < 0)' })
      .locator('span', { hasText: 'left' });
    await condition.last().hover();
    await code.expectText('.debug-hover-widget', '1');

    // A data breakpoint stops at the write, from both sides.
    const left = page.locator('.debug-variables .monaco-list-row').filter({ hasText: /left\s*=/ });
    await code.chooseFromMenu(left, 'Break on Value Change');
    await code.expectText('.debug-breakpoints .monaco-list-row', 'left');
    await code.moveBy('Control+F5', 'reserve', 11);
    await code.moveBy('Control+F5', 'the program is evaluated', 3);
    await code.moveBy('F5', 'reserve', 11);
    await code.moveBy('F5', 'reserve', 13);
    await code.moveBy('Shift+F11', 'order', 21);

    // The filter for all exceptions stops at the error, and shows its type and message.
    const breakpoint = (text: string) =>
      page
        .locator('.debug-breakpoints .monaco-list-row')
        .filter({ hasText: text })
        .locator('[role="checkbox"], input')
        .first();
    await breakpoint('All Exceptions').click();
    await breakpoint('orders.ts').click();
    await breakpoint('left').click();
    await page.keyboard.press('F5');
    await code.expectText('.exception-widget', 'SoldOut: no book left');
    await code.expectFrame('reserve', 13);
    await breakpoint('All Exceptions').click();

    // The console evaluates where the program is, and a log point prints all executions.
    await code.run('Debug Console: Focus on Debug Console View');
    await code.enter('.repl', '6 * 7');
    await code.expectText('.repl .expression', '42');
    await code.goToLine(15);
    await code.run('Debug: Add Logpoint...');
    await code.enter('.breakpoint-widget', 'total was {total}');
    await code.expectText('.repl .output', 'total was 1');

    await code.moveBy('Control+Shift+F5', 'the program is evaluated', 3);
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    expect(await page.locator('.notification-toast').allInnerTexts()).toEqual([]);

    // The requests of another run of this test are replayed by test/dap/editors.test.ts.
    const requests = loggedRequests(
      log,
      new Map([
        [folder, 'FOLDER'],
        [recordings, 'RECORDINGS'],
      ]),
    );
    if (process.env['TURNTABLE_VSCODE_REQUESTS'] === 'update') writeFileSync(GOLDEN, requests);
    expect(commandsIn(requests)).toEqual(commandsIn(readFileSync(GOLDEN, 'utf8')));
  });
});
