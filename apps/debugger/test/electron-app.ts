// Starts the desktop application with fresh data, in the Electron that ELECTRON_OVERRIDE_DIST_PATH names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { _electron, type ElectronApplication } from 'playwright-core';
import { root } from '../../../scripts/node-release.mjs';

export const ELECTRON_DIRECTORY: string | undefined = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
const APP_DIRECTORY = join(root, 'apps/debugger');
const ELECTRON_PATH = join(ELECTRON_DIRECTORY ?? '', 'electron');
// Chromium cannot run its sandbox as root.
const ELECTRON_FLAGS = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'];

function appEnvironment(data: string): Record<string, string> {
  return {
    ...process.env,
    TURNTABLE_NODE: process.execPath,
    TURNTABLE_CLI: join(root, 'packages/turntable/dist/cli.js'),
    TURNTABLE_WINDOW_DATA: data,
    // Hides other running programs of this machine.
    TURNTABLE_SERVICES: process.env['TURNTABLE_SERVICES'] ?? 'off',
  } as Record<string, string>;
}

/** Starts the application as users do, who name no Turntable. @param data directory of its settings */
export function launchAppWithoutCli(data: string): Promise<ElectronApplication> {
  const { TURNTABLE_CLI: _, ...env } = appEnvironment(data);
  return _electron.launch({ executablePath: ELECTRON_PATH, args: [...ELECTRON_FLAGS, APP_DIRECTORY], env });
}

/** @param data directory of its settings; a second process with the same one becomes a second instance */
export function launchApp(data: string, ...args: readonly string[]): Promise<ElectronApplication> {
  return _electron.launch({
    executablePath: ELECTRON_PATH,
    args: [...ELECTRON_FLAGS, APP_DIRECTORY, ...args],
    env: appEnvironment(data),
  });
}

/** Starts a second instance, which passes its arguments to the first one and exits. */
export async function startSecondInstance(data: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(ELECTRON_PATH, [...ELECTRON_FLAGS, APP_DIRECTORY, ...args], {
    stdio: 'ignore',
    env: appEnvironment(data),
  });
  await once(child, 'exit');
}
