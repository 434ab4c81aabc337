// Long forms of tests: `npm run soak:tests` runs every test file that calls `inSoak` with TURNTABLE_SOAK=1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node-release.mjs';
import { testFiles } from './split.ts';

export const SOAK_VARIABLE = 'TURNTABLE_SOAK';

/** The first number in `npm test`, the second one in the long form. */
export function inSoak(usual: number, long: number): number {
  return process.env[SOAK_VARIABLE] === '1' ? long : usual;
}

/** Prints the problems of one step of a long form, and how far it has come. Must be called after each step. */
export function showSoakProgress(step: number, steps: number, problems: readonly string[]): void {
  if (process.env[SOAK_VARIABLE] !== '1') return;
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (step % STEPS_PER_LINE === 0 || step === steps) process.stderr.write(`${step} of ${steps}\n`);
}

const STEPS_PER_LINE = 20;

export function filesWithSoak(): string[] {
  return testFiles().filter((file) => readFileSync(join(root, file), 'utf8').includes('inSoak('));
}
