// Transformed programs print the same as natively, stopped at each statement: debug code has all of the recorded code.
import { expect, test } from 'vitest';
import { programs, runPrograms } from '../../core/test/programs.ts';

const [native, debug] = await Promise.all([runPrograms('native'), runPrograms('debug')]);

test.each(programs)('prints the same transformed as natively: %s', (program) => {
  expect(native[program]?.length).toBeGreaterThan(0);
  expect(debug[program]).toEqual(native[program]);
});
