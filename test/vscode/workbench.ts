// The workbench of VS Code in Chromium, with the packaged extension: its server, and what a user does with keys and mouse.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { launchChromium, type Browser, type Locator, type Page } from '../../apps/debugger/test/chromium.ts';
import { chromiumPath } from '../../examples/acmeair/test/chromium-path.ts';
import { root } from '../../scripts/node-release.mjs';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

/** Main program of the VS Code server (scripts/vscode-for-tests.ts). */
const SERVER_MAIN = process.env['TURNTABLE_VSCODE'];
export const canRunWorkbench: boolean = SERVER_MAIN !== undefined && chromiumPath !== undefined;
/** Milliseconds. Generous: an expected element may be late on a busy machine. */
const TIMEOUT_MS = 60_000;
const LOGGING_ADAPTER = join(import.meta.dirname, 'logging-adapter.ts');

export interface WorkbenchOptions {
  /** Directory for the server's data. */
  readonly scratch: string;
  /** Folder to open. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export class Workbench {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #stopServer: () => void;

  private constructor(page: Page, browser: Browser, stopServer: () => void) {
    this.page = page;
    this.#browser = browser;
    this.#stopServer = stopServer;
  }

  static async open({ scratch, folder, settings }: WorkbenchOptions): Promise<Workbench> {
    const quiet = {
      'workbench.startupEditor': 'none',
      'chat.disableAIFeatures': true,
      'telemetry.telemetryLevel': 'off',
      'typescript.tsserver.enabled': false,
      'git.enabled': false,
      'files.autoSave': 'off',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
    };
    writeSettings(join(scratch, 'data/User'), quiet);
    // Commands are settings of the machine: VS Code takes them from here only.
    writeSettings(join(scratch, 'data/Machine'), settings);
    const vsix = join(scratch, 'turntable.vsix');
    spawnSync(process.execPath, [join(root, 'scripts/vsix.ts'), vsix], { stdio: ['ignore', 'ignore', 'inherit'] });
    const { url, stop } = await startServer(scratch, vsix);
    const browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(`${url}/?folder=${folder}`);
    await page.locator('.activitybar .action-label[aria-label="Turntable"]').waitFor();
    return new Workbench(page, browser, stop);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#stopServer();
  }

  /** Runs a command of the palette. */
  run(title: string): Promise<void> {
    return this.#pick('F1', `>${title}`, title);
  }

  async openFile(name: string): Promise<void> {
    await this.#pick('Control+p', name, name);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** Moves the cursor of the editor to a line. */
  async goToLine(line: number): Promise<void> {
    await this.#pick('Control+g', `:${line}`, `go to line ${line}`);
    await this.expectText('.statusbar-item', `Ln ${line},`);
    // The focus comes back from the quick input later.
    await this.page.locator('.editor-group-container .monaco-editor.focused').waitFor();
  }

  /** Types into the quick input that a key opens, and accepts the first item once it is the expected one. */
  async #pick(key: string, text: string, item: string): Promise<void> {
    const { page } = this;
    await page.keyboard.press(key);
    const input = page.locator('.quick-input-widget input').first();
    await input.fill(text);
    await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: item }).waitFor();
    await input.press('Enter');
    await input.waitFor({ state: 'hidden' });
  }

  /** Types a line into the input of a part of the workbench, once it has the focus. */
  async enter(part: string, text: string): Promise<void> {
    await this.page.locator(`${part} .monaco-editor.focused`).waitFor();
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses an item of an element's context menu. */
  async chooseFromMenu(element: Locator, item: string): Promise<void> {
    const action = this.page.locator('.monaco-menu .action-label').filter({ hasText: item });
    // A view that is rendered again closes the menu, and its items depend on answers that may still be missing.
    const opens = async (): Promise<boolean> => {
      await this.page.keyboard.press('Escape');
      await element.click({ button: 'right' });
      return action.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(opens, { timeout: TIMEOUT_MS }).toBe(true);
    // A menu ignores clicks for a moment after it has opened.
    const isOpen = async (): Promise<boolean> => {
      await action.click({ timeout: 1000 }).catch(() => undefined);
      return action.isVisible();
    };
    await expect.poll(isOpen, { timeout: TIMEOUT_MS }).toBe(false);
  }

  /** Moves the program by a key, once it has stopped, to a function and line. */
  async moveBy(key: string, name: string, line: number): Promise<void> {
    await this.page.locator('.debug-toolbar .action-item:not(.disabled) .codicon-debug-continue').waitFor();
    await this.page.keyboard.press(key);
    await this.expectFrame(name, line);
  }

  /** Waits until the first frame is a function at this line. */
  async expectFrame(name: string, line: number): Promise<void> {
    const frame = this.page.locator('.debug-call-stack .monaco-list-row .stack-frame').first();
    const place = async (): Promise<string> => {
      const texts = await frame.locator('.expression, .line-number').allInnerTexts();
      return texts.join(' ').replaceAll('\u00a0', ' ');
    };
    await expect.poll(place, { timeout: TIMEOUT_MS }).toMatch(new RegExp(`^${name}.* ${line}(?::|$)`));
  }

  /** Waits until an element shows a text. */
  async expectText(selector: string, text: string | RegExp): Promise<void> {
    await this.page.locator(selector).filter({ hasText: text }).first().waitFor();
  }
}

/** Returns the requests in a log of `turntableCommand`, one a line, in the form of the golden file. */
export function loggedRequests(log: string, replacements: ReadonlyMap<string, string>): string {
  const messages = readFileSync(log, 'utf8').split(/Content-Length: \d+\r\n\r\n/);
  const requests = messages.filter((text) => text !== '').map((text) => JSON.parse(text) as DapMessage);
  const lines = requests.map(({ command, arguments: args }) => JSON.stringify({ command, arguments: args }));
  return lines
    .map((line) => [...replacements].reduce((text, [from, to]) => text.replaceAll(from, to), `${line}\n`))
    .join('');
}

interface DapMessage {
  readonly command: string;
  readonly arguments?: object;
}

/** The setting `turntable.command` for the tested Turntable. @param log receives what VS Code sends to the adapter */
export function turntableCommand(log: string): string[] {
  return [process.execPath, LOGGING_ADAPTER, log, process.execPath, ...FLAGS, CLI];
}

function writeSettings(directory: string, settings: Readonly<Record<string, unknown>>): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'settings.json'), JSON.stringify(settings));
}

/** Starts VS Code's server. Resolves when it listens. */
function startServer(scratch: string, vsix: string): Promise<{ readonly url: string; readonly stop: () => void }> {
  const args = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'];
  const directories = ['--server-data-dir', scratch, '--extensions-dir', join(scratch, 'extensions')];
  const extension = ['--install-extension', vsix, '--start-server', '--disable-workspace-trust'];
  const child = spawn(process.execPath, [SERVER_MAIN ?? '', ...args, ...directories, ...extension], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return new Promise((settle, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = /listening on (\d+)/.exec(line)?.[1];
      if (port !== undefined) settle({ url: `http://127.0.0.1:${port}`, stop: () => child.kill() });
    });
    child.once('exit', (code) => reject(new Error(`the server of VS Code ended with ${code}`)));
  });
}
