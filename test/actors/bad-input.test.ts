// Errors for requests that cannot be fulfilled, on whichever worker the actor lives. The golden file has the texts.
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

describe('an impossible request', () => {
  it('is an error that names the place and a remedy, with the same text on every worker', async () => {
    await expect(await output('bad-input/main.ts')).toMatchFileSnapshot('golden/bad-input.txt');
  });
});

async function lines(file: string): Promise<string[]> {
  return (await output(file)).trimEnd().split('\n');
}

describe('an excess of messages or actors', () => {
  it('from one turn spills to memory, is reported, and is not lost', async () => {
    expect(await lines('extremes/spilled.ts')).toEqual([
      'spilled more than 20 MB: true',
      '{ count: 1000000, bytes: 20000000, disorder: 0 }',
      'spilled: [ 0, 0 ]',
    ]);
  });

  it('from many actors is held back, so that workers with small heaps survive', async () => {
    expect(await lines('extremes/pressed.ts')).toEqual(['all of 440000', 'workers [ 0, 1, 2 ]']);
  });

  it('is collected on all workers when actors are unreferenced', async () => {
    const collected = await lines('extremes/collected.ts');
    checkForLeaks(() => expect(collected).toEqual(['made 10000', 'none is left: true nor held: true']));
  });
});

describe('a worker that dies', () => {
  it('has sent all messages of its completed turns, large ones in full, and none of its last turn', async () => {
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
  it('among eventuals that wait for each other ends at a deadline, or with the process and an exit code', async () => {
    const { stdout, code } = await runProgram(join(fixtures, 'extremes/waits.ts'), 'transformed');
    expect({ stdout: stdout.trimEnd().split('\n'), code }).toEqual({
      stdout: [
        'TT_DEADLINE echo was not answered within 20 ms; it waits for:',
        '  the main program → one.echo',
        'TT_DEADLINE join was not answered within 20 ms; it waits for:',
        '  the main program → one.join',
        'exit 13',
      ],
      code: 13,
    });
  });
});
