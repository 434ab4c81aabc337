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

export function filesWithSoak(): string[] {
  return testFiles().filter((file) => readFileSync(join(root, file), 'utf8').includes('inSoak('));
}
