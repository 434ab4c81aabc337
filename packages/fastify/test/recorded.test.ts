// The plugin in recorded programs: on the host side, and with Fastify as part of the program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  FIXTURES,
  ProgramProcess,
  replayAndCompare,
  type RunMode,
  type Subject,
} from '../../../test/outside/recorded.ts';
import { runTurntable } from '../../../test/replay/record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string): string =>
  relative(FIXTURES, fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)));
const TIMEOUT_MS = 240_000;

const subjectOf = (name: string, env: NodeJS.ProcessEnv = {}): Subject => ({
  file: file(name),
  workingDirectory: join(directory, name),
  recordings: join(directory, `${name}-recordings`),
  env,
});

async function outputOf(mode: RunMode, subject: Subject): Promise<string> {
  const { code, stdout, stderr } = await new ProgramProcess(mode, subject).exited;
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

describe('a recorded service', { timeout: TIMEOUT_MS }, () => {
  it('sees and answers requests as on Node alone, with the durability of its routes, and can be replayed', async () => {
    const plain = await outputOf('plain', subjectOf('service'));
    const subject = subjectOf('service');
    const recorded = await outputOf('recorded', subject);
    // Durability has no effect without a recording.
    expect(plain.match(/^level .*$/gm)).toEqual(['level undefined', 'level undefined']);
    expect(recorded.match(/^level .*$/gm)).toEqual(['level reply', 'level none']);
    const withoutLevels = (text: string): string => text.replaceAll(/^level .*$/gm, '');
    expect(withoutLevels(recorded)).toBe(withoutLevels(plain));
    expect(replayAndCompare(subject, { code: 0, signal: null, stdout: recorded, stderr: '' }).differences).toEqual([]);

    // The plugin is registered twice, so each answer of the host is reported twice.
    const { stdout: trace } = runTurntable([
      'inspect',
      subject.recordings,
      '--trace',
      '--worker',
      '0',
      '--from',
      '1',
      '--count',
      '100000',
    ]);
    const reports = [...trace.matchAll(/calls object \d+\(hand-made 0#\d+, (\d+)\)/g)].map(([, status]) => status);
    expect(reports).toEqual(['400', '400', '400', '400', '404', '404', '404', '404', '200', '200']);
  });

  it('has the durability of the plugin or the route if Fastify is part of the program', async () => {
    const output = await outputOf('recorded', subjectOf('included', { TURNTABLE_INCLUDE: 'fastify' }));
    expect(output.split('\n')).toEqual([
      '/default undefined',
      '/own reply+fsync',
      '/default reply',
      '/own reply+fsync',
      '',
    ]);
    expect(await outputOf('plain', subjectOf('included'))).not.toContain('reply');
  });

  it.each(['', 'fastify'])(
    'takes snapshots before replies of the routes that wait for them, included: %s',
    async (included) => {
      const subject = subjectOf('flushing', { TURNTABLE_SNAPSHOTS: '', TURNTABLE_INCLUDE: included });
      expect((await outputOf('recorded', subject)).split('\n')).toEqual([
        'default waits: 1 snapshots',
        'default opts out: 0 snapshots',
        'optional waits: 1 snapshots',
        'optional opts out: 0 snapshots',
        '/scope: 1 snapshots',
        '/nowhere: 0 snapshots',
        '/none/here: 0 snapshots',
        // The first reply waits for a snapshot of its own, the others share the next.
        'together: 2 snapshots',
        'together: 2 snapshots',
        '',
      ]);
    },
  );
});
