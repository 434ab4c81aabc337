// Programs that are recorded in one process and resume from their snapshots in others.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

/** A new directory for recordings. */
function recordings(): string {
  return join(directory, `recordings ${++count}`);
}

interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

const settings = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

function turntable(...args: readonly string[]): CliResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: settings,
    timeout: 60_000,
  });
  return { stdout, stderr: stderr.replaceAll(/\(node:\d+\) /g, '').replace(/^\(Use `node.*\n/m, ''), status };
}

function record(
  into: string,
  flags: readonly string[],
  fixture: string,
  ...args: readonly (string | number)[]
): CliResult {
  return turntable('run', '--recordings', into, ...flags, fixture, ...args.map(String));
}

function recordingIn(into: string): string {
  const names = readdirSync(into);
  expect(names).toHaveLength(1);
  return join(into, names[0] as string);
}

function snapshotsIn(into: string): string[] {
  return readdirSync(join(recordingIn(into), 'snapshots')).toSorted();
}

interface InspectOutput {
  readonly manifest: { readonly ended: string | null; readonly modules: readonly { readonly url: string }[] };
  readonly snapshots: readonly {
    readonly phase: number;
    readonly workers: readonly number[];
    readonly longestPause: number;
  }[];
  readonly damaged: readonly { readonly phase: number; readonly reason: string }[];
}

function inspect(into: string): InspectOutput {
  const { stdout, status } = turntable('inspect', '--json', into);
  expect(status).toBe(0);
  return JSON.parse(stdout) as InspectOutput;
}

const LEFT = `${JSON.stringify(Array.from({ length: 3 }, () => ({ balance: 100, lines: 300 })))}\ntrue\n`;

/** Nothing, or the warning about a long pause, which depends on the machine. */
const LONG_PAUSE_ONLY = /^(?:\[TT_LONG_PAUSE\] .*\n)?$/;

describe('a recorded program', () => {
  it.each([0, 1, 2])('resumes in another process as if nothing had happened, with %i workers', (workers) => {
    const into = recordings();
    const whole = { stdout: `snapshot 1\n${LEFT}`, stderr: '', status: 0 };
    expect(record(into, [], 'bank.ts', workers, 300, 120)).toEqual(whole);
    expect(turntable('restore', '--trusted', into)).toEqual(whole);
    // Restoring does not consume the snapshot.
    if (workers === 1) expect(turntable('restore', '--trusted', into)).toEqual(whole);
  });

  it('can be recorded again when it resumes', () => {
    const [into, otherRecordings] = [recordings(), recordings()];
    record(into, [], 'bank.ts', 1, 300, 20);
    const ended = turntable('restore', '--trusted', '--recordings', otherRecordings, '--snapshots', 'end', into);
    expect(ended).toEqual({ stdout: `snapshot 1\n${LEFT}`, stderr: '', status: 0 });
    expect(inspect(otherRecordings).snapshots).toMatchObject([{ phase: 2, workers: [0, 1] }]);
  });

  it('takes snapshots by turns and at its end, keeps the requested number, and resumes from each', () => {
    const into = recordings();
    const ended = record(into, ['--snapshots', 'turns=400,end', '--keep', 'count=3'], 'bank.ts', 1);
    expect(ended).toEqual({ stdout: LEFT, stderr: '', status: 0 });
    const { snapshots, manifest } = inspect(into);
    expect(snapshots).toHaveLength(3);
    expect(manifest.ended).not.toBeNull();
    expect(manifest.modules.map(({ url }) => url.split('/').at(-1))).toEqual(
      expect.arrayContaining(['bank.ts', 'account.ts']),
    );
    for (const { phase } of snapshots.slice(0, 2))
      expect(turntable('restore', '--trusted', into, '--phase', String(phase)).status).toBe(0);
    // Everything was printed before the last snapshot.
    expect(turntable('restore', '--trusted', into)).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  it('takes snapshots by CPU time', () => {
    const into = recordings();
    const ended = record(into, ['--snapshots', 'work=20ms'], 'computing.ts');
    expect(ended).toEqual({ stdout: 'computed true\n', stderr: '', status: 0 });
    expect(inspect(into).snapshots.length).toBeGreaterThan(0);
  });

  it('deletes old recordings beyond the requested number once it has a snapshot', () => {
    const into = recordings();
    for (let i = 0; i < 3; i++) record(into, ['--snapshots', 'end', '--keep', 'recordings=2'], 'bank.ts', 0, 10, 5);
    expect(readdirSync(into)).toHaveLength(2);
    expect(turntable('restore', '--trusted', into).status).toBe(0);
  });

  it.each([0, 1])('takes snapshots by requests to its servers, on thread %i too', (thread) => {
    const into = recordings();
    const ended = record(into, ['--snapshots', 'requests=10'], 'serving.ts', thread, 35);
    expect(ended).toEqual({ stdout: '35\n', stderr: '', status: 0 });
    const { snapshots } = inspect(into);
    expect(snapshots.length).toBeGreaterThanOrEqual(1);
    expect(snapshots.length).toBeLessThanOrEqual(3);
    expect(inspect(into).damaged).toEqual([]);
  });

  it('takes a snapshot on a signal and resumes from the last intact one after a kill', async () => {
    const into = recordings();
    const args = [...FLAGS, '--import', REGISTER, 'ticking.ts', '2000'];
    const child = spawn(process.execPath, args, {
      cwd: FIXTURES,
      env: { ...settings, TURNTABLE_RECORDINGS: into, TURNTABLE_SNAPSHOTS: 'signal=SIGUSR2' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const wait = async (until: () => boolean): Promise<void> => {
      while (!until()) await once(child.stdout, 'data');
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await wait(() => output.includes('40\n'));
    child.kill('SIGUSR2');
    await wait(() => snapshotsIn(into).includes('0000000001.tts'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { stdout, ...outcome } = turntable('restore', '--trusted', into);
    expect(outcome).toMatchObject({ status: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines.at(-1)).toBe(`end ${(2000 * 2001) / 2}`);
    expect(Number(lines[0])).toBeGreaterThanOrEqual(40);
    expect(Number(lines[0])).toBeLessThanOrEqual(Number(output.trim().split('\n').at(-1)) + 20);
  });

  it('ends even if snapshots take long and one is always due', () => {
    const ended = record(recordings(), ['--snapshots', 'every=1ms'], 'large.ts');
    expect(ended).toEqual({ stdout: '100000\n', stderr: expect.stringMatching(LONG_PAUSE_ONLY), status: 0 });
  });

  it('skips a snapshot when a worker ends meanwhile, and takes the next one', () => {
    const into = recordings();
    const { stdout, status } = record(into, [], 'dying.ts');
    expect(stdout).toBe('TT_ACTOR_LOST\ntrue\ntrue\n{"balance":100,"lines":0}\ntrue,true\n');
    expect(status).toBe(0);
    expect(turntable('restore', '--trusted', into)).toMatchObject({ status: 0 });
  });

  it('skips a snapshot while an intrinsic is changed, and reports the change when it persists', () => {
    const into = recordings();
    const reason = 'Reflect.changed has changed since the earlier snapshots';
    const expectedOutput = `1\n3 2\nsnapshot 7 could not be taken: the main thread: ${reason}\n`;
    expect(record(into, [], 'changing.ts')).toEqual({ stdout: expectedOutput, stderr: '', status: 0 });
    expect(snapshotsIn(into)).toEqual(['0000000001.tts', '0000000003.tts']);
    expect(turntable('restore', '--trusted', into)).toEqual({ stdout: '3 2\nundefined\n', stderr: '', status: 0 });
  });

  it('warns once when its recording cannot be written, and continues', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const ended = record(join(file, 'recordings'), ['--snapshots', 'turns=300,end'], 'bank.ts', 1);
    expect(ended).toMatchObject({ stdout: LEFT, status: 0 });
    expect(ended.stderr.match(/recording to \S+ has stopped/g)).toHaveLength(1);
    expect(ended.stderr).toContain(file);
  });
});

describe('a recording', () => {
  const into = recordings();

  it('shows its program, its snapshots and their pauses', () => {
    record(into, ['--snapshots', 'end'], 'bank.ts', 1, 300, 100);
    const { stdout, status } = turntable('inspect', into);
    expect(status).toBe(0);
    expect(stdout).toContain('bank.ts 1 300 100');
    expect(stdout).toMatch(/^ +phase +taken +bytes +threads +longest pause$/m);
    expect(stdout).toMatch(/^ +1 +\d{4}-\d\d-\d\dT[\d:.]+Z +\d+ +2 +[\d.]+ ms$/m);
    expect(inspect(into).snapshots.map(({ phase }) => phase)).toEqual([1, 2]);
  });

  it('resumes from the previous snapshot when the last one is damaged', () => {
    const damaged = recordings();
    cpSync(into, damaged, { recursive: true });
    truncateSync(join(recordingIn(damaged), 'snapshots', snapshotsIn(damaged)[1] as string), 1000);
    expect(inspect(damaged).damaged).toMatchObject([{ phase: 2 }]);
    expect(turntable('restore', '--trusted', damaged)).toEqual({
      stdout: `snapshot 1\n${LEFT}`,
      stderr: '',
      status: 0,
    });
  });

  it('is not restored from a snapshot that does not exist', () => {
    expect(turntable('restore', into, '--phase', '7')).toMatchObject({ stdout: '', status: 1 });
    expect(turntable('restore', into, '--phase', 'seven').stderr).toBe(
      'turntable restore: --phase must be the number of a snapshot, not "seven"\nRun turntable restore --help\n',
    );
    const empty = recordings();
    mkdirSync(empty);
    expect(turntable('restore', empty).stderr).toMatch(/^turntable restore: .*there is no recording in /);
    const none = recordings();
    record(none, [], 'bank.ts', 1, 3);
    expect(turntable('restore', none).stderr).toMatch(/has no complete snapshot; record with --snapshots every=30s\n$/);
  });

  it('refuses to resume when the code has changed, before running anything', () => {
    const copy = join(directory, 'copy');
    cpSync(FIXTURES, copy, { recursive: true });
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(copy, 'node_modules'));
    const changed = recordings();
    const bank = join(copy, 'bank.ts');
    record(changed, [], bank, 1, 300, 100);
    appendFileSync(join(copy, 'account.ts'), '\nexport class Other {}\n');
    const { stdout, stderr, status } = turntable('restore', changed);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toContain('account.ts');
    expect(stderr).toMatch(/account\.ts: it has changed$/m);
  });
});
