// Programs that return to a snapshot within their process: the state there, that nothing of the previous epoch is left,
// and refusals.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, type Recording } from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { checkForLeaks } from '../../scripts/test-run/leak-check.ts';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { freePort } from '../outside/free-port.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const SOURCES = [...FLAGS, '--import', REGISTER];
/** Number of restores in place in the longest of these tests. */
const RESTORES = Number(process.env['TURNTABLE_TEST_LIVES'] ?? 4);

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

/** A new directory. */
function newDirectory(): string {
  const made = join(directory, String(++count));
  mkdirSync(made);
  return made;
}

function settings(recordings: string | undefined): NodeJS.ProcessEnv {
  const more = recordings === undefined ? {} : { TURNTABLE_RECORDINGS: recordings };
  return { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...more };
}

interface Ended {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly status: number | null;
}

function run(recordings: string | undefined, fixture: string, ...args: readonly (string | number)[]): Ended {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...SOURCES, fixture, ...args.map(String)], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: settings(recordings),
    maxBuffer: 1 << 24,
  });
  const reported = stderr.replaceAll(/\(node:\d+\) /g, '').replaceAll(/^\(Use `node.*\n/gm, '');
  return { lines: stdout.split('\n').slice(0, -1), stderr: reported, status };
}

function start(recordings: string, fixture: string, args: readonly string[], ipc = false): ChildProcess {
  return spawn(process.execPath, [...SOURCES, fixture, ...args], {
    cwd: FIXTURES,
    env: settings(recordings),
    stdio: ['ignore', 'pipe', ipc ? 'pipe' : 'inherit', ...(ipc ? (['ipc'] as const) : [])],
  });
}

/** Output of a process, line by line. */
async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  let rest = '';
  for await (const text of stdout?.setEncoding('utf8') ?? []) {
    const lines = (rest + (text as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** All recordings of a directory, oldest first. */
function recordingsIn(recordings: string): Recording[] {
  return readdirSync(recordings)
    .toSorted()
    .map((name) => openRecording(join(recordings, name)));
}

interface Reported {
  readonly epoch: number;
  readonly pid: number;
  readonly phase: number;
  readonly read: readonly string[];
  readonly seen: readonly number[];
  readonly threads: number;
  readonly files: number;
  readonly rss: number;
}

describe('a process restored in place', () => {
  it(`has the state of the snapshot, ${RESTORES} times, and nothing of earlier epochs`, async () => {
    const recordings = newDirectory();
    const port = await freePort();
    const { lines, stderr, status } = run(recordings, 'lives.ts', RESTORES, port, newDirectory());
    expect(stderr).not.toContain('ghost');
    const reported = lines.map((line) => JSON.parse(line) as Reported);
    expect(reported.map(({ epoch }) => epoch)).toEqual(Array.from({ length: RESTORES + 1 }, (_, i) => i));
    const [first, second] = reported as [Reported, Reported];
    const { pid } = first;
    for (const { epoch, threads, files, rss, ...state } of reported) {
      expect(state).toEqual({ pid, phase: 1, read: ['1 of 1', '1 of 1'], seen: [] });
      if (epoch === 0) continue;
      checkForLeaks(() => {
        expect(threads).toBeLessThanOrEqual(Math.max(first.threads, second.threads));
        expect(files).toBeLessThanOrEqual(Math.max(first.files, second.files));
        expect(rss).toBeLessThan(1.5 * Math.max(first.rss, second.rss));
      });
    }
    expect(status).toBe(0);
    const manifests = recordingsIn(recordings).map(({ manifest }) => manifest);
    const origin = { recording: join(recordings, readdirSync(recordings).toSorted()[0] as string), phase: 1 };
    expect(manifests.map(({ epoch, restoredFrom, endReason }) => ({ epoch, restoredFrom, endReason }))).toEqual(
      manifests.map((_, i) => ({
        epoch: i,
        restoredFrom: i === 0 ? null : origin,
        endReason: i === RESTORES ? null : 'restored',
      })),
    );
    expect(manifests.map(({ entry, argv }) => [entry, argv])).toEqual(
      manifests.map(() => [manifests[0]?.entry, manifests[0]?.argv]),
    );
  });

  it('restores any requested snapshot, of this recording or of another one', () => {
    const { lines, status } = run(newDirectory(), 'choosing.ts');
    expect(lines).toEqual([
      'first, epoch 0: 1 of 1',
      'second, epoch 0: 3 of 2',
      'first, epoch 1: 1 of 1',
      'other second, epoch 1: 11 of 2',
      'other second, epoch 2: 11 of 2',
      'second, epoch 3: 3 of 2',
    ]);
    expect(status).toBe(0);
  });

  it('flushes all output before it is restored, on all threads and in order', () => {
    const { lines, stderr, status } = run(newDirectory(), 'talking.ts');
    const linesFrom = (name: string): string[] => Array.from({ length: 3000 }, (_, i) => `${name} ${i + 1}`);
    expect(lines.filter((line) => line.startsWith('worker'))).toEqual(linesFrom('worker'));
    expect(lines.filter((line) => line.startsWith('main'))).toEqual(linesFrom('main'));
    expect(lines.slice(6000)).toEqual(['again']);
    expect({ stderr, status }).toEqual({ stderr: 'all is said\n', status: 0 });
  });

  it('resets a pending request, and its server answers on the same port afterwards', async () => {
    const port = await freePort();
    const child = start(newDirectory(), 'serving.ts', [String(port)]);
    const lines = linesOf(child);
    const ask = (path: string): Promise<string> =>
      new Promise((resolve) =>
        get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (each: string) => (text += each));
          response.on('end', () => resolve(text));
        }).on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code))),
      );
    expect((await lines.next()).value).toBe('life 0');
    const cut = ask('/never');
    expect(await ask('/count')).toBe('1');
    expect(await ask('/back')).toBe('ECONNRESET');
    expect(await cut).toBe('ECONNRESET');
    expect((await lines.next()).value).toBe('life 1');
    expect(await ask('/count')).toBe('1');
    expect(await ask('/end')).toBe('ended');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('warns once that its IPC channel to the parent is closed', async () => {
    const child = start(newDirectory(), 'talking.ts', [], true);
    child.stdout?.resume();
    let reported = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (reported += text));
    await once(child, 'disconnect');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(reported.match(/TT_IN_PLACE/g)).toHaveLength(1);
  });

  it('leaves recordings that can be restored when it is killed meanwhile', async () => {
    const recordings = newDirectory();
    const child = start(recordings, 'lives.ts', ['1000', String(await freePort()), newDirectory()]);
    const lines = linesOf(child);
    for (let line = 0; line < 2; line++) await lines.next();
    // The restore was requested, or is about to be.
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const { directory: each } of recordingsIn(recordings)) openRecording(each).snapshots();
    const [first] = recordingsIn(recordings) as [Recording];
    expect(first.manifest.endReason).toBe('restored');
    expect(first.latest()?.phase).toBe(1);
  });
});

describe('a restore in place', () => {
  it('fails with a reason for a missing or damaged snapshot or other code, and the program continues', () => {
    const copy = join(newDirectory(), 'copy');
    cpSync(FIXTURES, copy, { recursive: true });
    symlinkSync(MODULES, join(copy, 'node_modules'));
    const [recordings, others] = [newDirectory(), newDirectory()];
    expect(run(others, 'talking.ts').status).toBe(0);
    const { lines, stderr, status } = run(recordings, join(copy, 'refused.ts'), others);
    const shown = lines.map((line) => line.replaceAll(recordings, 'RECORDINGS').replaceAll(others, 'OTHERS'));
    expect(shown.map((line) => line.replaceAll(/\w+\.\w+Z-\d+/g, 'NAME').replaceAll(copy, 'COPY'))).toEqual([
      'before the first snapshot: TT_NO_SNAPSHOT: RECORDINGS/NAME has no complete snapshot; record with --snapshots every=30s',
      'a phase that is none: TT_OPTIONS: phase must be the number of a snapshot, not -1',
      'a phase that is not there: TT_NO_SNAPSHOT: RECORDINGS/NAME has no snapshot 70; turntable inspect lists the snapshots',
      `a directory that is not there: TT_RECORDING_MISSING: there is no recording in ${FIXTURES}nowhere; make one with turntable record FILE, or list recordings with turntable ls`,
      `another program: TT_NO_SNAPSHOT: OTHERS/NAME is a recording of ${FIXTURES}talking.ts, and this program is COPY/refused.ts; restore it in another process with turntable restore`,
      'other code: TT_CODE_CHANGED: the program differs from the captured program:',
      '  COPY/keeper.ts: it has changed',
      'restore the files, or use the recorded sources with --code recorded',
      'a damaged one: TT_RECORDING: RECORDINGS/NAME/snapshots/0000000002.tts is damaged at byte 896: expected the end mark: the file is cut off; restore an older snapshot, this one cannot be read',
      'it continues 2 3',
    ]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

describe('actors supervised with "rollback"', () => {
  it('roll the whole program back when their worker is lost, so that no work is lost or repeated', () => {
    const recordings = newDirectory();
    const file = join(newDirectory(), 'deaths');
    const { lines, stderr, status } = run(recordings, 'rolling.ts', 2, file);
    expect(stderr.match(/TT_ROLLBACK/g)).toHaveLength(2);
    expect(lines).toEqual(['1065 989 981 978 987 in all 5000 epoch 2']);
    expect(status).toBe(0);
  });

  it('are created new when rollbacks do not help', () => {
    const { lines, stderr, status } = run(newDirectory(), 'mortal.ts');
    const epochs = [0, 1, 2, 3].flatMap((epoch) => ['TT_NO_SNAPSHOT', `life ${epoch}`]);
    expect(lines).toEqual([...epochs, 'TT_ACTOR_LOST 7 7 of 1']);
    expect(stderr.match(/TT_ROLLBACK/g)).toHaveLength(3);
    expect(stderr).toMatch(/TT_NO_ROLLBACK.*the program was rolled back 3 times/);
    expect(status).toBe(0);
  });

  it('are created new when nothing is recorded', () => {
    const { lines, stderr, status } = run(undefined, 'mortal.ts');
    expect(lines).toEqual(['TT_NO_SNAPSHOT', 'life 0', 'TT_ACTOR_LOST 7 7 of 1']);
    expect(stderr.match(/TT_NO_ROLLBACK/g)).toHaveLength(1);
    expect(status).toBe(0);
  });
});

describe('restore', () => {
  it('turns a new process into a program resumed from a recording, or says why it cannot', () => {
    const recordings = newDirectory();
    expect(run(recordings, 'talking.ts').status).toBe(0);
    const { lines: launched, status } = run(undefined, 'launch.ts', recordings);
    // In a new process the program is in its first epoch again, and then restores itself in place.
    const [ofWorker, ofMain] = [true, false].map((isOfWorker) =>
      launched.filter((line) => line.startsWith('worker ') === isOfWorker),
    );
    expect(ofWorker?.[0]).toBe('worker 1');
    expect([ofMain?.[0], ofMain?.[1], ofMain?.at(-1), status]).toEqual(['launched', 'main 1', 'again', 0]);
    const { lines } = run(undefined, 'launch.ts', recordings, 7);
    expect(lines[1]).toMatch(/ no snapshot 7; turntable inspect lists the snapshots$/);
    expect(lines[2]).toBe('it ends');
  });
});
