// Programs with actors that use the scheduler of a thread, which no package exports.
import '../../scripts/from-sources.ts';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../programs/run-program.ts';

async function lines(file: string): Promise<string[]> {
  const { stdout, code, died } = await runProgram(join(import.meta.dirname, 'fixtures', file), 'transformed');
  expect({ code, died }).toEqual({ code: 0, died: '' });
  return stdout.trimEnd().split('\n');
}

it('a program enters phases on each of its threads', async () => {
  expect(await lines('phases.ts')).toEqual(['[ 1, 1, 1 ]', '3', '[ 3, 3, 3 ]']);
});

it('each entry from the host is reported to observers beforehand, with its position and actor', async () => {
  expect(await lines('entries.ts')).toEqual(['[[],[]]', 'true true', '0']);
});
