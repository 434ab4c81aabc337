// The application of the desktop, started for a test in the Electron that ELECTRON_OVERRIDE_DIST_PATH names, with nothing remembered of other tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { _electron, type ElectronApplication } from 'playwright-core';
import { root } from '../../../scripts/node-release.mjs';

export const ELECTRON_DIRECTORY: string | undefined = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
const APP_DIRECTORY = join(root, 'apps/debugger');
const ELECTRON_PATH = join(ELECTRON_DIRECTORY ?? '', 'electron');
// Of root's processes Chromium's sandbox is none.
const ELECTRON_FLAGS = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'];

function appEnvironment(data: string): Record<string, string> {
  return {
    ...process.env,
    TURNTABLE_NODE: process.execPath,
    TURNTABLE_CLI: join(root, 'packages/turntable/dist/cli.js'),
    TURNTABLE_WINDOW_DATA: data,
    // Others that happen to run are nothing of a test's.
    TURNTABLE_SERVICES: process.env['TURNTABLE_SERVICES'] ?? 'off',
  } as Record<string, string>;
}

/** @param data where it keeps what it remembers: who has the same is the same application */
export function launchApp(data: string, ...args: readonly string[]): Promise<ElectronApplication> {
  return _electron.launch({
    executablePath: ELECTRON_PATH,
    args: [...ELECTRON_FLAGS, APP_DIRECTORY, ...args],
    env: appEnvironment(data),
  });
}

/** Somebody starts it once more: that process ends, and the one that is there already opens what is asked for. */
export async function startSecondInstance(data: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(ELECTRON_PATH, [...ELECTRON_FLAGS, APP_DIRECTORY, ...args], {
    stdio: 'ignore',
    env: appEnvironment(data),
  });
  await once(child, 'exit');
}
