// `npm run soak:mutants` changes code so that it still parses, in a sample that depends only on the seed.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { applyMutation, findMutations } from '../../scripts/mutants/mutations.ts';

const root = join(import.meta.dirname, '../..');

function runMutants(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['scripts/mutants.ts', ...args], { cwd: root, encoding: 'utf8' });
}

test('a seed determines the mutants, and another seed gives others', () => {
  const list = (seed: string): string =>
    runMutants('--list', '--package', 'recording', '--seed', seed, '--count', '30').stdout;
  const first = list('1');
  expect(first.trim().split('\n')).toHaveLength(30);
  expect(list('1')).toBe(first);
  expect(list('2')).not.toBe(first);
});

test('arguments that mean nothing are refused', () => {
  expect(runMutants('--count', '0')).toMatchObject({ status: 2, stderr: expect.stringContaining('--count must be') });
  expect(runMutants('--package', 'none')).toMatchObject({ status: 2, stderr: expect.stringContaining('no package') });
});

test('mutated files still parse', () => {
  const kinds = new Set<string>();
  for (const file of globSync('packages/recording/src/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const mutation of findMutations(file, source)) {
      kinds.add(mutation.kind);
      const mutated = applyMutation(source, mutation);
      expect(mutated).not.toBe(source);
      expect(parseSync(file, mutated).errors, `${file} ${JSON.stringify(mutation)}`).toEqual([]);
    }
  }
  expect([...kinds].toSorted()).toEqual(['arguments', 'await', 'boundary', 'condition', 'operator', 'statement']);
});
