// The sandbox of replays as a user sees it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { record, replay, runTurntable } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-sandbox-'));
const recordings = join(directory, 'recordings');
beforeAll(() => {
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(directory, 'program.ts'),
    `console.log(Date.now() > 0, process.cwd() === ${JSON.stringify(directory)});`,
  );
  record(recordings, ['program.ts'], {}, directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A search path on which bubblewrap is not found. */
const WITHOUT_BUBBLEWRAP = { PATH: '/nowhere' };

test('without namespaces, a replay is restricted by Node, and --require-isolation refuses it', () => {
  expect(replay(recordings, [], WITHOUT_BUBBLEWRAP).report.verdict).toBe('same');
  for (const command of ['replay', 'tasks'])
    expect(runTurntable([command, recordings, '--require-isolation'], { env: WITHOUT_BUBBLEWRAP })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /: a replay is only restricted(?:, network open)? here: bubblewrap \(bwrap\) is not installed; install bubblewrap and allow user namespaces, or leave out --require-isolation\n$/,
      ),
    });
});

test('doctor names the level of the machine and what prevents a higher one', () => {
  const { stdout } = runTurntable(['doctor', join(directory, 'program.ts')], { env: WITHOUT_BUBBLEWRAP });
  expect(stdout).toMatch(
    /\nReplays on this machine: restricted(?:, network open)? \(bubblewrap \(bwrap\) is not installed\)\n$/,
  );
  const { stdout: json } = runTurntable(['doctor', '--json', join(directory, 'program.ts')], {
    env: WITHOUT_BUBBLEWRAP,
  });
  expect(JSON.parse(json)).toMatchObject({ replays: { problem: 'bubblewrap (bwrap) is not installed' } });
});

test('a replay loads no settings file of the recorded directory', () => {
  writeFileSync(join(directory, 'turntable.config.ts'), `throw new Error('loaded');`);
  for (const env of [{}, WITHOUT_BUBBLEWRAP]) expect(replay(recordings, [], env).report.verdict).toBe('same');
  expect(replay(recordings, ['--trusted']).report.verdict).toBe('same');
});
