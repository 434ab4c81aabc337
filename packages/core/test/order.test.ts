// The order of ticks, jobs, timers and emitters over a realm is Node's own: each program runs in two processes, one with
// native promises, one with the realm's, and must print the same.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/order.cjs', import.meta.url));

async function logs(world: string, ...main: string[]): Promise<Record<string, string[]>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '-C',
    'turntable-source',
    '--no-warnings',
    fixture,
    world,
    ...main,
  ]);
  return JSON.parse(stdout) as Record<string, string[]>;
}

const [native, own] = await Promise.all([logs('native'), logs('realm')]);

test.each(Object.keys(native).filter((name) => name !== 'programs'))("keeps Node's order: %s", (name) => {
  expect(native[name]!.length).toBeGreaterThan(0);
  expect(own[name]).toEqual(native[name]);
});

test.each(native['programs']!)("keeps Node's order from the main script: %s", async (name) => {
  const [nativeMain, ownMain] = await Promise.all([logs('native', name), logs('realm', name)]);
  expect(Object.values(nativeMain).flat().length).toBeGreaterThan(2);
  expect(ownMain).toEqual(nativeMain);
});
