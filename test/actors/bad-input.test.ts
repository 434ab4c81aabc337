// What programs are told that ask for what cannot be, whichever worker the actor lives on. The golden file is what they see.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkForLeaks } from '../../scripts/test-run/leak-check.ts';
import { runProgram } from '../programs/run-program.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

async function output(file: string): Promise<string> {
  const { stdout, code, died } = await runProgram(join(fixtures, file), 'transformed');
  expect({ code, died }).toEqual({ code: 0, died: '' });
  return stdout.replaceAll(/\S*\/test\/actors\/fixtures\/[\w-]+\//g, '');
}

describe('what cannot be', () => {
  it('is named with its place and a remedy, in the same words on every worker', async () => {
    await expect(await output('bad-input/main.ts')).toMatchFileSnapshot('golden/bad-input.txt');
  });
});

async function lines(file: string): Promise<string[]> {
  return (await output(file)).trimEnd().split('\n');
}

describe('too much', () => {
  it('from one turn waits in memory, which is reported, and is not lost', async () => {
    expect(await lines('extremes/spilled.ts')).toEqual([
      'spilled more than 20 MB: true',
      '{ count: 1000000, bytes: 20000000, disorder: 0 }',
      'spilled: [ 0, 0 ]',
    ]);
  });

  it('from many actors is held back, so that workers with small heaps live on', async () => {
    expect(await lines('extremes/pressed.ts')).toEqual(['all of 440000', 'workers [ 0, 1, 2 ]']);
  });

  it('of actors that nobody refers to is collected on all workers', async () => {
    const collected = await lines('extremes/collected.ts');
    checkForLeaks(() => expect(collected).toEqual(['made 10000', 'none is left: true nor held: true']));
  });
});

describe('a worker that dies', () => {
  it('has sent what its turns had sent that were over, large messages whole, and nothing of the last', async () => {
    expect(await lines('extremes/killed.ts')).toEqual([
      'source 1 is lost: worker 1 has ended: process.exit(3)',
      '{ count: 12, bytes: 36000000, disorder: 0 }',
      '0: ActorLostError: source 2 is lost: worker 2 has ended: process.exit(3)',
      '1: ActorLostError: source 3 is lost: worker 3 has ended: it was out of memory',
      '{ count: 12, bytes: 36000000, disorder: 0 }',
      'told: undefined',
      'closed true',
    ]);
  });
});

describe('a wait that never ends', () => {
  it('among eventuals that wait for each other ends with a deadline, or with the process, which says so', async () => {
    const { stdout, code } = await runProgram(join(fixtures, 'extremes/waits.ts'), 'transformed');
    expect({ stdout: stdout.trimEnd().split('\n'), code }).toEqual({
      stdout: [
        'TT_DEADLINE echo was not answered within 20 ms; what it waits for:',
        '  the main program → one.echo',
        'TT_DEADLINE join was not answered within 20 ms; what it waits for:',
        '  the main program → one.join',
        'exit 13',
      ],
      code: 13,
    });
  });
});
