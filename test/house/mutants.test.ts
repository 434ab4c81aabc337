// `npm run soak:mutants` changes code so that it still parses, in a sample that depends only on the seed.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, onTestFinished, test } from 'vitest';
import { applyMutation, findMutations, type Mutation } from '../../scripts/mutants/mutations.ts';
import { PROBES_VARIABLE } from '../../scripts/mutants/probe-files.ts';
import { withProbes } from '../../scripts/mutants/probes.ts';

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

test('arguments are swapped where their order matters', () => {
  const mutated = findMutations('a.ts', 'min(1, 2); Math.min(1, 2); same(1, 1);').filter(
    ({ kind }) => kind === 'arguments',
  );
  expect(mutated.map(({ replacement }) => replacement)).toEqual(['2, 1']);
});

const probesOf = (mutations: readonly Mutation[]): { id: number; mutation: Mutation }[] =>
  mutations.map((mutation, id) => ({ id, mutation }));

test('files with a probe for each mutant still parse', () => {
  for (const file of globSync('packages/recording/src/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8');
    const probed = withProbes(source, probesOf(findMutations(file, source)), '/none');
    expect(parseSync(file, probed).errors, file).toEqual([]);
  }
});

test('probes tell which mutants a program executes, and change nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const source = `#!/usr/bin/env node
const sum = (a: number, b: number) => a + b;
let total = sum(1, 2) > 3 ? sum(4, 5) : sum(6, 7);
if (total === 0) total -= sum(8, 9);
console.info(await total);
`;
  const program = join(directory, 'program.mts');
  const mutations = findMutations(program, source);
  const [probes, fallback] = [join(directory, 'probes'), join(directory, 'unknown')];
  writeFileSync(program, withProbes(source, probesOf(mutations), fallback));
  const starter = join(directory, 'starter.mts');
  writeFileSync(
    starter,
    `const { Worker } = process.getBuiltinModule('node:worker_threads'); new Worker('${program}', { env: {} });`,
  );
  const executed = (path: string, env: NodeJS.ProcessEnv, entry = program): string[] => {
    rmSync(path, { force: true });
    const { stdout, stderr } = spawnSync(process.execPath, [entry], { env, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '13\n', stderr: '' });
    const ids = readFileSync(path, 'utf8').trim().split('\n');
    const texts = ids
      .map((id) => mutations[Number(id)])
      .map((mutation) => source.slice(mutation?.start, mutation?.end));
    return [...new Set(texts)];
  };
  const expected = [
    'sum(1, 2) > 3',
    '1, 2',
    'a + b',
    '6, 7',
    'total === 0',
    'console.info(await total);',
    'await total',
  ];
  expect(executed(probes, { [PROBES_VARIABLE]: probes })).toEqual(expected);
  expect(executed(fallback, {})).toEqual(expected);
  // A thread without an environment belongs to the test of its process.
  expect(executed(probes, { [PROBES_VARIABLE]: probes }, starter)).toEqual(expected);
  expect(executed(fallback, {}, starter)).toEqual(expected);
});
