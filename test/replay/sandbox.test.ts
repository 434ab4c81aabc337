// The sandbox of replays as a user sees it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNamespaces } from '../../packages/replayer/src/sandbox/find-namespaces.ts';
import { searchUnshare } from '../../packages/replayer/src/sandbox/unshare.ts';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { record, replay, runTurntable } from './record-and-replay.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

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

/** A search path on which no program is found that can create namespaces. */
const WITHOUT_NAMESPACES = { PATH: '/nowhere' };
/** A search path on which unshare is found, but not bubblewrap. */
const programs = join(directory, 'programs');
const UNSHARE_ONLY = { PATH: programs };
mkdirSync(programs);
for (const name of ['unshare', 'setpriv', 'setsid', 'mount', 'umount', 'pivot_root', 'sh'])
  for (const place of ['/usr/bin', '/usr/sbin', '/bin', '/sbin'])
    if (existsSync(join(place, name)) && !existsSync(join(programs, name)))
      symlinkSync(join(place, name), join(programs, name));
const hasUnshare = 'namespaces' in searchUnshare();
const hasNamespaces = 'namespaces' in findNamespaces();

test('without namespaces, a replay is restricted by Node, and --require-isolation refuses it', () => {
  expect(replay(recordings, [], WITHOUT_NAMESPACES).report.verdict).toBe('same');
  for (const command of ['replay', 'tasks'])
    expect(runTurntable([command, recordings, '--require-isolation'], { env: WITHOUT_NAMESPACES })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /: a replay is only restricted(?:, network open)? here: .*bubblewrap \(bwrap\) is not installed.*; install bubblewrap or util-linux and allow user namespaces, or leave out --require-isolation\n$/,
      ),
    });
});

test.runIf(hasUnshare)('without bubblewrap, a replay is isolated by unshare', () => {
  expect(replay(recordings, ['--require-isolation'], UNSHARE_ONLY).report.verdict).toBe('same');
  expect(runTurntable(['tasks', recordings, '--require-isolation'], { env: UNSHARE_ONLY })).toMatchObject({
    status: 0,
    stderr: '',
  });
});

test('doctor names the level of the machine and what prevents a higher one', () => {
  const { stdout } = runTurntable(['doctor', join(directory, 'program.ts')], { env: WITHOUT_NAMESPACES });
  expect(stdout).toMatch(
    /\nReplays on this machine: restricted(?:, network open)? \(.*bubblewrap \(bwrap\) is not installed.*\)\n$/,
  );
  const { stdout: json } = runTurntable(['doctor', '--json', join(directory, 'program.ts')], {
    env: WITHOUT_NAMESPACES,
  });
  expect(JSON.parse(json)).toMatchObject({
    replays: { problem: expect.stringMatching(/unshare, setpriv, setsid, mount, umount, .*sh of util-linux/) },
  });
});

test.runIf(hasUnshare)('doctor names the program that isolates replays', () => {
  const { stdout } = runTurntable(['doctor', join(directory, 'program.ts')], { env: UNSHARE_ONLY });
  expect(stdout).toMatch(/\nReplays on this machine: isolated \(unshare\)\n$/);
});

test.runIf(hasNamespaces).each([{}, ...(hasUnshare ? [UNSHARE_ONLY] : [])])(
  'an interrupted replay ends with all its processes and names the signal: %j',
  async (env) => {
    const endless = join(directory, 'endless.mjs');
    const into = mkdtempSync(join(directory, 'endless-'));
    writeFileSync(endless, `console.log('started');\n`);
    record(into, [endless], {}, directory);
    writeFileSync(endless, `console.log('started');\nfor (;;);\n`);
    const { stderr } = await interruptOnceStarted(['replay', '--code', 'current', into], env, 'SIGINT');
    expect(stderr).toContain('the process ended (SIGINT, 130) before the replay reported a result\n');
  },
);

test.runIf(hasNamespaces)('a replay that runs out of memory names the limits that it may have reached', () => {
  const growing = join(directory, 'growing.mjs');
  const into = mkdtempSync(join(directory, 'growing-'));
  writeFileSync(growing, `console.log('started');\n`);
  record(into, [growing], {}, directory);
  writeFileSync(growing, `console.log('started');\nconst all = [];\nfor (;;) all.push(new Array(3e7));\n`);
  expect(runTurntable(['replay', '--code', 'current', into]).stderr).toMatch(
    /the process ended \(exit code 134; perhaps it reached a limit of the sandbox, [\d.]+ GB of memory or 4096 processes and threads; --trusted replays without limits\) before/,
  );
});

/** Sends a signal once the program has printed. Returns when no process has standard output any more. */
async function interruptOnceStarted(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: NodeJS.Signals,
): Promise<{ stderr: string }> {
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], {
    cwd: directory,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await Promise.race([once(child.stdout, 'data'), closed]);
  child.kill(signal);
  child.stdout.resume();
  await closed;
  return { stderr };
}

test('a replay loads no settings file of the recorded directory', () => {
  writeFileSync(join(directory, 'turntable.config.ts'), `throw new Error('loaded');`);
  for (const env of [{}, WITHOUT_NAMESPACES]) expect(replay(recordings, [], env).report.verdict).toBe('same');
  expect(replay(recordings, ['--trusted']).report.verdict).toBe('same');
});
