// Nothing that is missing from a recording, or damaged in it, goes unnoticed: its replay is not `same`, and the exit
// code is not 0.
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '@turntable/recording';
import { VERDICT_EXIT_CODES } from '@turntable/replayer/replay';
import { recordingIn, record, replay, runTurntable } from './record-and-replay.ts';
import { unendRecording } from '../recordings/edit-manifest.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-incomplete-'));
const into = join(directory, 'recordings');
beforeAll(() => void record(into, ['counting.ts']));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let copies = 0;
function copyOfRecording(): string {
  const copy = join(directory, `copy-${++copies}`);
  cpSync(recordingIn(into), copy, { recursive: true });
  return copy;
}

/** Files of the recording, without the manifest. */
function files(): string[] {
  return ['traces', 'snapshots', 'sources'].flatMap((folder) =>
    readdirSync(join(recordingIn(into), folder)).map((name) => `${folder}/${name}`),
  );
}

test('a whole recording is complete', () => {
  expect(files().filter((name) => name.startsWith('snapshots/')).length).toBeGreaterThan(1);
  expect(replay(into, ['--strict'])).toMatchObject({ status: 0, report: { verdict: 'same', damage: [] } });
  expect(runTurntable(['ls', recordingIn(into)])).toMatchObject({ status: 0 });
});

describe.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is cut off', (file: string) => truncateSync(file, statSync(file).size - 1)],
  ['has extra bytes', (file: string) => appendFileSync(file, 'extra')],
])('a recording with a file that %s', (_, damage) => {
  test('is never the same', () => {
    for (const name of files()) {
      const copy = copyOfRecording();
      damage(join(copy, name));
      const { status, stdout } = runTurntable(['replay', copy, '--json', '--console', 'mute']);
      expect([name, status]).not.toEqual([name, 0]);
      if (status !== 1) expect(JSON.parse(stdout), name).toMatchObject({ verdict: 'incomplete' });
    }
  });
});

test('each missing file is named by replay, tasks and ls', () => {
  const copy = copyOfRecording();
  const removed = ['traces/0000000000-0.0.ttt', 'snapshots/0000000001.tts'];
  rmSync(join(copy, removed[1] as string));
  const { status, report } = replay(copy);
  expect({ status, damage: report.damage }).toEqual({ status: 4, damage: [`${removed[1]} is missing`] });
  expect(runTurntable(['tasks', copy])).toMatchObject({
    status: 4,
    stdout: expect.stringContaining('the recording is incomplete') as string,
  });
  expect(runTurntable(['ls', copy])).toMatchObject({
    status: 4,
    stdout: expect.stringContaining(`ended, incomplete: ${removed[1]} is missing`) as string,
  });
  rmSync(join(copy, removed[0] as string));
  expect(replay(copy, ['--from', '2']).report.damage).toEqual(removed.map((name) => `${name} is missing`));
});

test('the start of a killed recording is missed, too', () => {
  const copy = copyOfRecording();
  unendRecording(copy);
  expect(replay(copy)).toMatchObject({ status: 0, report: { verdict: 'same' } });
  rmSync(join(copy, 'traces/0000000000-0.0.ttt'));
  expect(replay(copy)).toMatchObject({
    status: 4,
    report: { verdict: 'incomplete', from: 1, damage: ['traces/0000000000-0.0.ttt is missing'] },
  });
});

test('a recording that was shortened by retention is complete', () => {
  const recordings = join(directory, 'short');
  record(recordings, ['--keep', 'count=1', 'counting.ts']);
  expect(readdirSync(join(recordingIn(recordings), 'traces'))).not.toContain('0000000000-0.0.ttt');
  expect(replay(recordings, ['--strict'])).toMatchObject({ status: 0, report: { verdict: 'same', damage: [] } });
  const copy = recordingIn(recordings);
  unendRecording(copy);
  expect(replay(copy).report).toMatchObject({ verdict: 'same', damage: [] });
});

test('a worker without a trace of the phase at which the replay starts does not read another phase', () => {
  const recordings = join(directory, 'workers');
  record(recordings, ['../../recordings/fixtures/ledger.ts']);
  const copy = recordingIn(recordings);
  const last = openRecording(copy).phases().at(-1) as number;
  expect(last).toBeGreaterThan(1);
  expect(replay(copy, ['--from', String(last)]).report.verdict).toBe('same');
  rmSync(join(copy, `traces/000000000${last}-1.0.ttt`));
  unendRecording(copy);
  expect(replay(copy, ['--from', String(last)]).report).toMatchObject({
    verdict: 'incomplete',
    damage: [expect.stringContaining(`worker 1 has no trace of epoch 0 from phase ${last} on`)],
  });
});

test('--strict fails where the process was killed', () => {
  const copy = copyOfRecording();
  unendRecording(copy);
  const last = readdirSync(join(copy, 'traces')).toSorted().at(-1) as string;
  const file = join(copy, 'traces', last);
  truncateSync(file, statSync(file).size - 20);
  expect(replay(copy)).toMatchObject({ status: 0, report: { verdict: 'truncated' } });
  expect(replay(copy, ['--strict']).status).toBe(3);
});

test('the guide has all verdicts and exit codes', () => {
  const page = readFileSync(new URL('../../docs/guide/replay.md', import.meta.url), 'utf8');
  for (const [verdict, exitCode] of Object.entries(VERDICT_EXIT_CODES))
    expect(page).toContain(`| \`${verdict}\` | ${exitCode} |`);
});
