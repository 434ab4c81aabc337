// Objects that exist before the program have names and count as unchanged, whatever Node does to them. Changes made by
// the program are detected.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

function run(...args: string[]): { changed: unknown; named: unknown } {
  const at = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
  const options = ['-C', 'turntable-source', '--import', 'turntable/register', '--no-warnings'];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...options, '--import', at('note-known-objects.mjs'), at('uses-everything.cjs'), ...args],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout) as ReturnType<typeof run>;
}

it('reports no changes when a program only uses known objects, and names all of them', () => {
  const names = ['util', 'events', 'stream', 'fs', 'path', 'url', 'crypto', 'http', 'timers', 'async_hooks', 'buffer'];
  const { changed, named } = run();
  expect(changed).toEqual([]);
  expect(named).toEqual(['Map.prototype.get', 'core:Promise', 'core:Promise', ...names.map((name) => `node:${name}`)]);
});

it('finds what a program has changed, in the order of names', () => {
  const { changed } = run('patch');
  expect(changed).toEqual([
    ['JSON'],
    ['Reflect', ...Reflect.ownKeys(Reflect).map(String)],
    ['Array.prototype', 'last'],
    ['String.prototype', 'blink'],
    ['Math.max', 'note'],
    ['Map.prototype.get', 'name'],
  ]);
});
