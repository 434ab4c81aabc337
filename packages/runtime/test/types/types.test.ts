// The compiler tests the types: it accepts the files beside this one, which assert types and mark expected errors. Its
// messages about mistakes and exports are golden files.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const here = import.meta.dirname;
const tsc = join(fileURLToPath(import.meta.resolve('typescript/package.json')), '../bin/tsc');

function compile(...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--pretty', 'false', ...args], {
    cwd: join(here, 'fixtures'),
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

/** Messages for each function of a file, by its name. */
function byFunction(file: string, said: string): string {
  const lines = readFileSync(join(here, 'fixtures', file), 'utf8').split('\n');
  const nameAt = (line: number): string => {
    for (let at = line; at > 0; at--) {
      const name = /^export function (\w+)/.exec(lines[at - 1] ?? '')?.[1];
      if (name !== undefined) return name;
    }
    return '(top)';
  };
  const messages = new Map(Array.from(lines.join('\n').matchAll(/^export function (\w+)/gm), ([, name]) => [name, '']));
  let current = '(top)';
  for (const line of said.trimEnd().split('\n')) {
    const [, place, message] = /^\S+\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
    if (place !== undefined) current = nameAt(Number(place));
    messages.set(current, `${messages.get(current) ?? ''}    ${message ?? line}\n`);
  }
  return Array.from(messages, ([name, message]) => `${name}\n${message}`).join('\n');
}

describe('the types of the API', () => {
  it('pass their tests under strict', () => {
    expect(compile('-p', '../tsconfig.json')).toEqual({ status: 0, said: '' });
  });

  it('pass in a project that is strict and no stricter', () => {
    const lenient = ['exactOptionalPropertyTypes', 'noUncheckedIndexedAccess', 'noImplicitOverride'];
    const flags = lenient.flatMap((flag) => [`--${flag}`, 'false']);
    expect(compile('-p', '../tsconfig.json', ...flags)).toEqual({ status: 0, said: '' });
  });

  it('name the cause of each common mistake', async () => {
    const { said } = compile('-p', 'tsconfig.json');
    const report = byFunction('mistakes.ts', said);
    expect(report).not.toMatch(/^\w+\n\n/m);
    await expect(report).toMatchFileSnapshot('golden/mistakes.txt');
  });

  it('have names in the declarations of user exports', async () => {
    const out = mkdtempSync(join(tmpdir(), 'turntable-types-'));
    try {
      expect(compile('-p', 'tsconfig.exports.json', '--outDir', out)).toEqual({ status: 0, said: '' });
      const declared = readFileSync(join(out, 'test/types/fixtures/exports.d.ts'), 'utf8');
      await expect(declared).toMatchFileSnapshot('golden/exports.d.ts.txt');
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});
