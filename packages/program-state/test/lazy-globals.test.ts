// Node's classes that are loaded at their first use.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { HOST_GLOBALS } from '@turntable/core';
import { transform } from '@turntable/transform';
import { LAZY_NAMES } from '../../boundary/src/realm/lazy-globals.ts';

function runInThread(...args: string[]): unknown {
  return JSON.parse(
    execFileSync(process.execPath, ['-C', 'turntable-source', '--no-warnings', ...args], { encoding: 'utf8' }),
  );
}

it('all that load the network code when they are read are known', () => {
  const script = `JSON.stringify(Reflect.ownKeys(globalThis).filter((key) => {
    if (${JSON.stringify([...LAZY_NAMES])}.includes(key) || process.moduleLoadList.some((id) => id.includes('undici'))) return false;
    Reflect.getOwnPropertyDescriptor(globalThis, key);
    return process.moduleLoadList.some((id) => id.includes('undici'));
  }).map(String))`;
  expect(runInThread('-p', script)).toEqual([]);
});

it('what they lead to has the same names, whenever they are loaded', () => {
  const file = fileURLToPath(new URL('lazy-globals-in-thread.ts', import.meta.url));
  const early = runInThread(file, 'early') as { hosts: string[] };
  expect(early).toMatchObject({ wasLoaded: true, changed: [], hosts: expect.arrayContaining(['Headers', 'Response']) });
  expect(runInThread(file, 'late')).toEqual({ ...early, wasLoaded: false });
});

it('code that reads one or puts something in its place goes through the table', () => {
  for (const name of [...LAZY_NAMES, ...HOST_GLOBALS]) {
    const { code } = transform(`${String(name)} = 1; [${String(name)}] = [2]; exports.x = ${String(name)}`, {
      path: 'a.cjs',
      kind: 'commonjs',
      prefix: '$$',
    });
    expect(code.match(new RegExp(`\\w\\.${String(name)}\\b`, 'g'))).toHaveLength(3);
  }
});
