// `turntable debug --window` starts the desktop application.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWindow } from '../src/debug/window.ts';

const LIMIT = { timeout: 50_000, interval: 20 };

test.skipIf(process.platform === 'win32')('the named application gets the path and runs on by itself', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const application = join(directory, 'application');
  writeFileSync(application, '#!/bin/sh\necho "$# $@ $TURNTABLE_NODE" > "$SAID.part"\nmv "$SAID.part" "$SAID"\n', {
    mode: 0o755,
  });
  const runWindow = async (name: string, path: string | undefined, more: NodeJS.ProcessEnv): Promise<string> => {
    const file = join(directory, name);
    const environment = { PATH: process.env['PATH'], TURNTABLE_WINDOW: application, SAID: file, ...more };
    expect(await startWindow(path, environment)).toBe(undefined);
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), LIMIT);
    return readFileSync(file, 'utf8').trim();
  };
  // A TURNTABLE_NODE of the user is kept.
  expect(await runWindow('with', '/a recording', { TURNTABLE_NODE: 'other' })).toBe('1 /a recording other');
  expect(await runWindow('without', undefined, { TURNTABLE_NODE: 'other' })).toBe('0  other');
});

test('a missing application is reported with the alternatives', async () => {
  const message = await startWindow('/a', { TURNTABLE_WINDOW: '/nowhere/at-all' });
  expect(message).toContain('turntable debug --browser');
  expect(message).toContain('TURNTABLE_WINDOW');
});
