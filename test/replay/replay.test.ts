// What `turntable record` keeps and `turntable replay` does with it, for programs without actors: the same run, or the
// first divergence and its cause.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  differences,
  differencesFrom,
  FIXTURES,
  snapshotPhases,
  record,
  recordingIn,
  replay,
  runTurntable,
  type TurntableResult,
} from './record-and-replay.ts';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { editManifest, unendRecording } from '../recordings/edit-manifest.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(directory, `${++count}`);

/** A copy of the fixtures in a new directory, where tests may change them. */
function copyFixtures(...files: readonly string[]): string {
  const programDirectory = fresh();
  mkdirSync(programDirectory);
  for (const file of files) copyFileSync(join(FIXTURES, file), join(programDirectory, file));
  return programDirectory;
}

describe('a program', () => {
  const programDirectory = copyFixtures('alone.ts', 'words.ts');
  const into = fresh();
  let recorded: TurntableResult;
  beforeAll(() => {
    recorded = record(into, ['alone.ts', 'red', 'green'], { COLOUR: 'blue' }, programDirectory);
  });

  it('replays with the same times, random numbers, timers, arguments and environment', () => {
    expect(recorded.stdout).toMatch(/\[ 'red', 'green' \] blue\n[^]*over 0/);
    const replayResult = replay(into);
    expect(differences(recorded, replayResult)).toEqual([]);
    expect(replayResult.report.events).toBeGreaterThan(20);
  });

  it('shows, mutes or captures its output as requested', () => {
    const { stdout } = runTurntable(['replay', into, '--console', 'capture', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'same', stdout: recorded.stdout, stderr: recorded.stderr });
    const muted = runTurntable(['replay', into, '--console', 'mute']);
    expect(muted).toMatchObject({ stdout: '', status: 0 });
    expect(runTurntable(['replay', into]).stdout).toBe(recorded.stdout);
    expect(runTurntable(['replay', into, '--console', 'capture'])).toMatchObject({ status: 2, stdout: '' });
    expect(runTurntable(['replay', into, '--console', 'loud']).stderr).toContain('"show", "mute" or "capture"');
  });

  it('replays from its recorded sources, and from the current ones until they behave differently', () => {
    const file = join(programDirectory, 'alone.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace("'between', ", "'between', Date.now(), "));
    expect(differences(recorded, replay(into))).toEqual([]);
    const { report, status } = replay(into, ['--code', 'current']);
    expect({ status, verdict: report.verdict }).toEqual({ status: 3, verdict: 'diverged' });
    const line = text.split('\n').findIndex((each) => each.includes('between')) + 1;
    expect(report.divergence).toMatchObject({
      worker: 0,
      actual: 'the program reads date',
      cause: `the code has changed: ${file}`,
    });
    expect(report.divergence?.location).toMatch(new RegExp(`alone\\.ts:${line}:\\d+$`));
    const changedReport = runTurntable(['replay', into, '--code', 'current', '--console', 'mute']).stderr;
    expect(changedReport).toMatch(
      /^diverged: .*\nfirst at event \d+ of the main thread, .*alone\.ts.*\n {2}recorded: .*\n {2}now: {6}the program reads date\n {2}likely: {3}the code has changed: .*alone\.ts\n$/,
    );
    rmSync(file);
    rmSync(join(programDirectory, 'words.ts'));
    expect(differences(recorded, replay(into))).toEqual([]);
    expect(runTurntable(['replay', into, '--code', 'current']).stderr).toMatch(
      /alone\.ts does not exist; replay the recorded sources/,
    );
  });

  it('is listed and inspected', () => {
    expect(runTurntable(['ls', into]).stdout).toMatch(
      /^1 recording in \S+, [\d.]+ KB\n\S+ +[\d.]+ KB {2}\S*alone\.ts +0 snapshots +traces +ended\n$/,
    );
    expect(runTurntable(['inspect', into]).stdout).toContain('traces of 1 thread from the start\nno snapshots\n');
  });

  it('is truncated where its trace is cut, and damaged where a byte of the trace was changed', () => {
    const trace = (recording: string): string => join(recording, 'traces', '0000000000-0.0.ttt');
    const size = statSync(trace(recordingIn(into))).size;
    for (const at of [0, 17, size >> 1, size - 5]) {
      const copy = join(fresh(), 'copy');
      cpSync(recordingIn(into), copy, { recursive: true });
      truncateSync(trace(copy), at);
      const { report, status, output } = replay(copy);
      expect({ status, verdict: report.verdict }, `at ${at}`).toEqual({ status: 4, verdict: 'incomplete' });
      expect(recorded.stdout.startsWith(output), `at ${at}`).toBe(true);
      // At the start, in the header of the trace, and in its events.
      if (at !== 0 && at !== 17 && at !== size >> 1) continue;
      unendRecording(copy);
      const killed = replay(copy);
      expect({ status: killed.status, verdict: killed.report.verdict }).toEqual({ status: 0, verdict: 'truncated' });
      expect(killed.output).toBe(output);
    }
    const copy = join(fresh(), 'copy');
    cpSync(recordingIn(into), copy, { recursive: true });
    flip(trace(copy), size >> 1);
    const { report, status } = replay(copy);
    expect({ status, verdict: report.verdict }).toEqual({ status: 4, verdict: 'incomplete' });
    expect(report.damage).toEqual([expect.stringMatching(/0000000000-0\.0\.ttt is damaged at byte \d+: expected /)]);
    flip(trace(copy), 9);
    expect(runTurntable(['replay', copy])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/ cannot be replayed here:\n {2}.*\.ttt is damaged at byte \d+/) as string,
    });
  });
});

/** Flips one bit. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}

describe('a snapshot', () => {
  const programDirectory = copyFixtures('alone.ts', 'words.ts');
  const into = fresh();
  beforeAll(() => void record(into, ['--snapshots', 'end', 'alone.ts'], {}, programDirectory));

  it('that cannot be restored is reported as such and not as a divergence', () => {
    const [phase] = snapshotPhases(into);
    const file = join(programDirectory, 'words.ts');
    writeFileSync(file, `${readFileSync(file, 'utf8')}// changed\n`);
    for (const more of ['--json', '--console=mute']) {
      const args = ['replay', into, '--from', String(phase), '--code', 'current', more];
      expect(runTurntable(args)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^turntable replay: \S+: snapshot 1 cannot be restored here: the program differs from the captured program:\n\s*\S+words\.ts: it has changed\n/,
        ) as string,
      });
    }
  });

  it('that is damaged is named, whether it is compared or restored', () => {
    const copy = join(fresh(), 'copy');
    cpSync(recordingIn(into), copy, { recursive: true });
    const file = join(copy, 'snapshots', '0000000001.tts');
    flip(file, statSync(file).size >> 1);
    const { report, status } = replay(copy);
    expect({ status, verdict: report.verdict, compared: report.cuts.compared }).toEqual({
      status: 4,
      verdict: 'incomplete',
      compared: 0,
    });
    expect(report.damage).toEqual([expect.stringContaining('0000000001.tts is damaged at byte ')]);
    expect(runTurntable(['replay', copy, '--from', '1'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('0000000001.tts is damaged at byte ') as string,
    });
  });
});

it('ends the process where the program ended it', () => {
  const into = fresh();
  const recorded = runTurntable(['record', '--recordings', into, 'leaving.ts']);
  expect(recorded.status).toBe(4);
  expect(differences(recorded, replay(into))).toEqual([]);
});

it('replays the program and not the process that it started, which has its own recording', () => {
  const into = fresh();
  const recorded = runTurntable(['record', '--recordings', into, 'starting.ts']);
  expect(recorded.stdout).toBe('started\nended 0\n');
  const { output, report } = replay(into);
  expect({ output, verdict: report.verdict }).toEqual({ output: 'ended 0\n', verdict: 'same' });
  const [first, second] = JSON.parse(runTurntable(['ls', into, '--json']).stdout) as {
    name: string;
    parent?: string;
  }[];
  expect(second?.parent).toBe(first?.name);
  expect(replay(join(into, second?.name as string))).toMatchObject({ output: 'started\n', status: 0 });
});

it('ends where the program ended itself with a signal', () => {
  const into = fresh();
  const recorded = runTurntable(['record', '--recordings', into, 'killing-itself.ts']);
  // The parent process sees the signal instead of an exit code.
  expect(recorded.status).toBe(null);
  const { report, status, output } = replay(into);
  expect({ status, output, ...report }).toMatchObject({
    status: 0,
    output: recorded.stdout,
    verdict: 'same',
    exitSignal: 'SIGTERM',
  });
  expect(runTurntable(['replay', into]).stderr).toContain('the program killed itself here with SIGTERM\n');
});

it('replays a killed program to its last recorded event', async () => {
  const into = fresh();
  const child = spawn(process.execPath, [...FLAGS, '--import', REGISTER, 'endless.ts'], {
    cwd: FIXTURES,
    env: { ...process.env, TURNTABLE_RECORDINGS: into, TURNTABLE_TRACE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += String(text);
    if (printed.split('\n').length > 500) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { report, output, status } = replay(into);
  expect({ status, verdict: report.verdict }).toEqual({ status: 0, verdict: 'truncated' });
  const lines = output.split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(50);
  const commonLines = Math.min(lines.length, 500);
  expect(lines.slice(0, commonLines)).toEqual(printed.split('\n').slice(0, commonLines));
});

describe('refuses to replay', () => {
  it('a program that reached what cannot be replayed, and lists it', () => {
    const into = fresh();
    const { stderr: warnings } = record(into, ['reaching.ts']);
    expect(warnings).toMatch(/TT_PATCHED.*has replaced EventEmitter\.prototype\.emit/);
    expect(warnings).toMatch(/TT_NOT_RECORDED.* SharedArrayBuffer, at .*reaching\.ts:\d+:\d+: a replay needs --force/);
    const { status, stderr } = runTurntable(['replay', into]);
    expect(status).toBe(1);
    expect(stderr.replaceAll(/, at \S*reaching\.ts:\d+:\d+(?=[;,])/g, ', HERE')).toMatch(
      /cannot be replayed here:\n {2}its program used a context of node:vm, which has a clock of its own, HERE; SharedArrayBuffer, HERE; a store bound to diagnostics_channel http\.server\.request\.start, HERE; EventEmitter\.prototype\.emit, which the program has replaced, .*\ntry it anyway with --force\n$/,
    );
    expect(replay(into, ['--force']).report.verdict).toBe('same');
  });

  it('a recording without traces or of another version, or with invalid options', () => {
    const into = fresh();
    runTurntable(['run', '--recordings', into, join(FIXTURES, 'spawning.ts')]);
    expect(runTurntable(['replay', into]).stderr).toContain(
      'it has no traces: none were recorded (use turntable record',
    );
    editManifest(recordingIn(into), ({ versions }) => ({ versions: { ...versions, node: '22.1.0' } }));
    expect(runTurntable(['replay', into]).stderr).toMatch(
      /it was recorded by Node 22\.1.*; use the same minor version/,
    );
    const stderrOf = (...args: readonly string[]): string => runTurntable(['replay', ...args]).stderr;
    expect(stderrOf()).toContain('which recording?');
    expect(stderrOf(fresh())).toContain('there is no directory');
    expect(stderrOf(into, '--from', 'x')).toContain('--from must be the number of a snapshot');
    expect(stderrOf(into, '--code', 'x')).toContain('--code must be "recorded" or "current"');
    expect(stderrOf(into, '--what')).toContain('unknown option --what');
    expect(runTurntable(['replay', '--help']).stdout).toContain('turntable replay recordings');
  });
});

it('loses collected objects at the recorded moment, from any snapshot', () => {
  const into = fresh();
  const recorded = record(into, ['--', 'node', '--expose-gc', 'collected.ts']);
  expect(recorded.stdout).toContain("'late again',");
  expect(differences(recorded, replay(into))).toEqual([]);
  const phases = snapshotPhases(into);
  expect(phases.length).toBeGreaterThanOrEqual(4);
  expect(phases.flatMap((phase) => differencesFrom(phase, into, recorded))).toEqual([]);
});

it('reports the turns of selected actors with their values, senders and source lines', () => {
  const into = fresh();
  const recorded = record(into, ['turns.ts'], { TURNTABLE_SNAPSHOTS: 'end' });
  expect(recorded.stdout).toBe('5\n');
  const run = replay(into, ['--turns', 'account,clerk *']);
  expect(differences(recorded, run)).toEqual([]);
  const { turnNotes = [] } = run.report;
  const [line, ...rest] = runTurntable(['replay', into, '--turns', 'acc*t', '--console', 'mute'])
    .stderr.trimEnd()
    .split('\n')
    .slice(1);
  expect(line).toBe('6 turns of these actors:');
  expect(rest.map((each) => each.replace(/^ {2}worker 1, turn \d+: /, ''))).toEqual([
    'account, created',
    ...['clerk 1', 'clerk 2'].map((clerk) => `account.balance() for ${clerk}, clerks.ts:7`),
    ...['clerk 1', 'clerk 2'].map((clerk) => `account.set({ balance: 5 }) for ${clerk}, clerks.ts:11`),
    'account.balance() for the main thread, clerks.ts:7',
  ]);
  const clerkNotes = turnNotes.filter(({ actor }) => actor === 'clerk 2');
  expect(
    clerkNotes.map(({ kind, method, from, values, resumedFunction, location }) => [
      kind,
      method,
      from,
      values,
      resumedFunction,
      location,
    ]),
  ).toEqual([
    ['construct', undefined, 'clerk 2', [], undefined, undefined],
    ['call', 'add', 'the main thread', ['5'], undefined, 'clerks.ts:23'],
    ['fulfil', undefined, 'account', ['0'], 'Clerk.add', 'clerks.ts:24:32'],
    ['fulfil', undefined, 'account', ['undefined'], 'Clerk.add', 'clerks.ts:25:16'],
  ]);
  expect(turnNotes.map(({ turn }) => turn)).toEqual(turnNotes.map(({ turn }) => turn).toSorted((a, b) => a - b));
  const set = turnNotes.findLast(({ method }) => method === 'set');
  const until = replay(into, ['--until', `turn=${set?.turn},worker=1`, '--turns', 'account']).report;
  expect([until.reached?.turns, until.turnNotes?.at(-1)]).toEqual([set?.turn, set]);
});

it('records a command line of node', () => {
  const into = fresh();
  record(into, ['--', 'node', '--stack-trace-limit=7', 'alone.ts']);
  expect(replay(into).report.verdict).toBe('same');
});
