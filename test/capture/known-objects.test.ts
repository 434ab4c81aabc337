// What exists before a program has names and counts as unchanged, whatever Node itself does to it meanwhile; what the program changes
// of the language's objects is found.
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

it('a program that only uses them has changed nothing of them, and all have names', () => {
  const names = ['util', 'events', 'stream', 'fs', 'path', 'url', 'crypto', 'http', 'timers', 'async_hooks', 'buffer'];
  const { changed, named } = run();
  expect(changed).toEqual([]);
  expect(named).toEqual(['Map.prototype.get', 'core:Promise', 'core:Promise', ...names.map((name) => `node:${name}`)]);
});

it('what a program has changed is found, in the order in which the objects have their names', () => {
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
