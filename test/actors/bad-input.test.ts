// What programs are told that ask for what cannot be, whichever worker the actor lives on. The golden file is what they see.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../programs/run-program.ts';

const fixtures = fileURLToPath(new URL('fixtures/bad-input/', import.meta.url));

async function output(file: string): Promise<string> {
  const { stdout, code, died } = await runProgram(join(fixtures, file), 'transformed');
  expect({ code, died }).toEqual({ code: 0, died: '' });
  return stdout.replaceAll(fixtures, '');
}

describe('what cannot be', () => {
  it('is named with its place and a remedy, in the same words on every worker', async () => {
    await expect(await output('main.ts')).toMatchFileSnapshot('golden/bad-input.txt');
  });
});
