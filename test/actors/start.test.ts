// `start()` in a program that runs natively, and `--import turntable/register`: actors behave the same either way.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram, type ProgramMode } from '../programs/run-program.ts';

const fixtures = fileURLToPath(new URL('fixtures/late/', import.meta.url));

async function lines(file: string, mode: ProgramMode): Promise<string[]> {
  const { stdout, code, died } = await runProgram(join(fixtures, file), mode);
  expect({ code, died }).toEqual({ code: 0, died: '' });
  return stdout.trimEnd().split('\n');
}

describe('a program that calls start() without --import turntable/register', () => {
  it('behaves from then on as if it had been imported', async () => {
    const expected = ['[ 24, 24, 24 ]', '[ 1, 0, 2 ]', '2 AsyncFunction', 'done 0', 'threads 3', 'closed true'];
    expect(await lines('main.ts', 'native')).toEqual(expected);
    expect(await lines('main.ts', 'transformed')).toEqual(expected);
  });

  it('can be a CommonJS program', async () => {
    const expected = ['[ 6, 6, 6 ]', '[ 1, 0, 2 ]', '2 AsyncFunction', 'done 1'];
    expect(await lines('main.cjs', 'native')).toEqual(expected);
    expect(await lines('main.cjs', 'transformed')).toEqual(expected);
  });

  it('gets an error with a remedy for classes that were loaded before start()', async () => {
    expect(await lines('refused.ts', 'native')).toEqual([
      'TT_NOT_INSTALLED no loader is installed; start the program with --import turntable/register, or call start() before the first spawn()',
      'TT_UNKNOWN_CLASS Early was loaded before start(), so no worker can find it; define it in a module that is imported after start() with await import(…), or start the program with --import turntable/register',
      'TT_UNKNOWN_CLASS Map is not a class of the program; extend it in a module of the program and export the subclass',
      'here',
    ]);
  });

  it('gets an error that names the worker if a module of its actors calls start()', async () => {
    expect(await lines('started-again.ts', 'transformed')).toEqual([
      'TT_ACTOR_FAILED Starting#1 could not be created on worker 1: start() was called on worker 1, which has loaded the module that calls it; call it in the entry file, or move the actors to modules that do not import this one',
    ]);
  });
});
