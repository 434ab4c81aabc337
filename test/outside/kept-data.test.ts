// Data that a package on the host side keeps and passes to the program: what the program writes to it, the package sees.
// A recorded program must print what it prints on Node alone. Its replay, without the package, must print the same.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { replayAndCompare, ProgramProcess, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a package gets what the program writes', () => {
  it.for([
    ['to data that the package passes to a callback', 'hooks', '/kept-data/package'],
    ['to a configuration in hooks of vite', 'vite', 'vite,rolldown'],
  ] as const)('%s', async ([, name, exclude], { expect }) => {
    const subject: Subject = {
      file: `kept-data/${name}.ts`,
      workingDirectory: join(directory, name),
      recordings: join(directory, `${name}-recordings`),
      env: { TURNTABLE_EXCLUDE: exclude },
    };
    const plain = await new ProgramProcess('plain', subject).exited;
    const recorded = await new ProgramProcess('recorded', subject).exited;
    expect(recorded).toEqual(plain);
    const { differences, replay } = replayAndCompare(subject, recorded);
    expect(differences).toEqual([]);
    expect(replay.report.verdict).toBe('same');
  });
});
