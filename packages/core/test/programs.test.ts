// Transformed programs print the same over a realm as natively. All programs run one after the other in one process.
import { expect, test } from 'vitest';
import { programs, runPrograms } from './programs.ts';

const [native, realm] = await Promise.all([runPrograms('native'), runPrograms('realm')]);

test.each(programs)('prints the same over a realm as natively: %s', (program) => {
  expect(native[program]?.length).toBeGreaterThan(0);
  expect(realm[program]).toEqual(native[program]);
});
