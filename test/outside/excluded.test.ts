// Programs whose packages are excluded (`TURNTABLE_EXCLUDE`), and so run on the host side. A recorded program must print
// what it prints without Turntable. A replay prints the same without the package.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { replayAndCompare, stableLines, ProgramProcess, type ProgramExit, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function recordAndReplay(file: string): Promise<ProgramExit> {
  const subject: Subject = {
    file: `excluded/${file}`,
    workingDirectory: join(directory, file),
    recordings: join(directory, `${file}-recordings`),
    env: { TURNTABLE_EXCLUDE: '/excluded/package' },
  };
  const plain = await new ProgramProcess('plain', subject).exited;
  const recorded = await new ProgramProcess('recorded', subject).exited;
  expect(stableLines(recorded.stdout)).toEqual(stableLines(plain.stdout));
  expect(recorded).toMatchObject({ code: plain.code, signal: plain.signal, stderr: plain.stderr });
  const { differences, replay } = replayAndCompare(subject, recorded);
  expect(differences).toEqual([]);
  expect(replay.report.verdict).toBe('same');
  return recorded;
}

it('instances of subclasses of Promise keep their class, and can be awaited', async () => {
  const { stdout } = await recordAndReplay('promises.ts');
  expect(stdout).toContain("await { path: '/a' }\ntrue true true\n");
});

it('errors are instances of the classes of their package', async () => {
  const { stdout } = await recordAndReplay('errors.ts');
  expect(stdout).toContain('nothing there 404 [ true, true, true, false, false ]');
});

it('replaced functions of node:fs, called by Node, run and print at the same points in a replay', async () => {
  const { stdout } = await recordAndReplay('patched.cjs');
  expect(stdout).toContain("required.cjs [ 'realpathSync required.cjs' ]\n");
  // Turntable reads and writes its cache without the replacements.
  expect(stdout).not.toContain('.ttc');
});
