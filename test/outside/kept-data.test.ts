// Data that a package on the host side keeps and passes to the program: what the program writes to it, the package sees.
// A recorded program prints what it prints without Turntable, and a replay prints the same without the package.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { replayAndCompare, ProgramProcess, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function subjectOf(name: string, exclude: string): Subject {
  return {
    file: `kept-data/${name}.ts`,
    workingDirectory: join(directory, name),
    recordings: join(directory, `${name}-recordings`),
    env: { TURNTABLE_EXCLUDE: exclude },
  };
}

describe('a package gets what the program writes', () => {
  it.for([
    ['to data that the package passes to a callback', 'hooks', '/kept-data/package'],
    ['to a configuration in hooks of vite', 'vite', 'vite,rolldown'],
  ] as const)('%s', async ([, name, exclude], { expect }) => {
    const subject = subjectOf(name, exclude);
    const plain = await new ProgramProcess('plain', subject).exited;
    const recorded = await new ProgramProcess('recorded', subject).exited;
    expect(recorded).toEqual(plain);
    const { differences, replay } = replayAndCompare(subject, recorded);
    expect(differences).toEqual([]);
    expect(replay.report.verdict).toBe('same');
  });
});

it('a program that changes a copy of data that a package keeps is refused, in a replay as well', async ({ expect }) => {
  const subject = subjectOf('returned', '/kept-data/package');
  const recorded = await new ProgramProcess('recorded', subject).exited;
  expect(recorded.stdout).toMatchInlineSnapshot(`
    "accepted 1
    false package
    accepted set by the package
    TT_COPY_CHANGED the program has changed "title" of an object that getState() of package/returned.cjs returned and keeps
    TT_COPY_CHANGED the program has changed "title" of an object that getState() of package/returned.cjs returned and keeps
    TT_COPY_CHANGED the program has changed "title" of an object that getState() of package/returned.cjs returned and keeps
    accepted set by the program
    TT_COPY_CHANGED the program has changed "list" of an object that getNested() of package/returned.cjs returned and keeps
    TT_COPY_CHANGED the program has changed "count" of an object that all() of package/returned.cjs returned and keeps
    "
  `);
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  expect(replayAndCompare(subject, recorded).differences).toEqual([]);
});
