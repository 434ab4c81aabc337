// After any fault, existing snapshots are complete and the service got at most one warning.
//
//   TURNTABLE_KILLS=1000 … vitest run packages/recording/test/faults      for a longer run
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRecording, startWriter, type RecordingError } from '@turntable/recording';
import { FLAGS } from '../../../scripts/tested-form.ts';
import { contentOf } from './fixtures/content.mts';
import { canMount, filesIn, manifestOf, openSnapshot, temporaryDirectory, UNSHARE } from './recording.ts';

const SERVICE = join(import.meta.dirname, 'fixtures/service.mts');
/** More than the number of moments between two snapshots. */
const KILL_ROUNDS = Number(process.env['TURNTABLE_KILLS'] ?? 7);

interface ServiceLine {
  readonly directory?: string;
  readonly phase?: number;
  readonly written?: boolean;
  readonly trouble?: string;
  readonly message?: string;
  readonly open?: boolean;
  readonly closed?: boolean;
  readonly pending?: number;
}

/** Lines of output of a service as they arrive. */
async function* readLines(child: ChildProcess): AsyncGenerator<ServiceLine> {
  for await (const line of createInterface({ input: child.stdout! })) yield JSON.parse(line) as ServiceLine;
}

function startService(...args: readonly (string | number)[]): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, SERVICE, ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Checks that each existing snapshot has the service's content, and that those reported as written exist. */
function expectWhole(directory: string, bytes: number, minSnapshots: number): number {
  const recording = openRecording(directory);
  const phases = recording.snapshots().map(({ phase }) => phase);
  expect(recording.damagedSnapshots).toEqual([]);
  expect(phases).toEqual(phases.map((_, index) => index + 1));
  expect(phases.length).toBeGreaterThanOrEqual(minSnapshots);
  for (const phase of phases) {
    const snapshot = recording.readSnapshot(phase);
    for (const worker of [0, 1])
      expect(Buffer.from(snapshot.part(worker, 'heap').read()).equals(contentOf(phase, worker, bytes))).toBe(true);
    snapshot.close();
  }
  // A snapshot needs its sources.
  const named = new Set(recording.manifest.modules.map(({ url }) => url));
  for (const phase of phases) expect(named).toContain(`file:///module-${phase}.ts`);
  for (const { sha256 } of recording.manifest.modules) expect(recording.source(sha256)).toMatch(/^export const phase/);
  return phases.length;
}

const temporaryFiles = (directory: string): string[] => filesIn(directory).filter((name) => name.endsWith('.tmp'));

test(
  'a kill at any moment leaves only complete snapshots, and the next opening removes the rest',
  { timeout: 60_000 + KILL_ROUNDS * 20_000 },
  async () => {
    const recordings = temporaryDirectory();
    const BYTES = 400_000;
    for (let round = 0; round < KILL_ROUNDS; round++) {
      // The delay after the last line is random; the number of lines depends on the round. The first kill is in the
      // middle of a snapshot.
      const isOpen = round === 0;
      const child = startService(recordings, BYTES, ...(isOpen ? [2, 'open'] : [1000]));
      let directory = '';
      let written = 0;
      for await (const { directory: at, phase, open } of readLines(child)) {
        directory = at ?? directory;
        written = phase ?? written;
        if (isOpen ? open === true : written > round % 5) child.kill('SIGKILL');
      }
      expectWhole(directory, BYTES, written);
      if (isOpen) expect(temporaryFiles(directory)).toEqual(['snapshots/.0000000003.tts.tmp']);
    }
    const writer = startWriter({ recordings });
    const recording = writer.create(manifestOf());
    await openSnapshot(recording, 1).commit();
    expect(temporaryFiles(recordings)).toEqual([]);
    await writer.close();
  },
);

async function runService(recordings: string, wrap: (command: string) => string[]): Promise<ServiceLine[]> {
  const command = [process.execPath, ...FLAGS, SERVICE, recordings, '400000', '6'].map((word) => `'${word}'`).join(' ');
  const [program = '', ...args] = wrap(command);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: ServiceLine[] = [];
  for await (const line of readLines(child)) lines.push(line);
  return lines;
}

function expectOneWarning(lines: readonly ServiceLine[], code: string): void {
  const troubles = lines.flatMap(({ message }) => message ?? []);
  expect(troubles).toHaveLength(1);
  expect(troubles[0]).toMatch(/^recording to .*; existing snapshots stay usable, and each trigger tries again; /);
  expect(troubles[0]).toContain(code);
  // The service ran to its end without a backlog.
  expect(lines.at(-1)).toEqual({ closed: false, pending: 0 });
  expect(lines.filter(({ phase }) => phase !== undefined)).toHaveLength(6);
}

test.skipIf(process.platform === 'win32')('a file that becomes too large is removed, and said once', async () => {
  const recordings = temporaryDirectory();
  // The shell counts in blocks of 512 or 1024 bytes: between a third of a snapshot and a whole one.
  const lines = await runService(recordings, (command) => ['sh', '-c', `ulimit -f 600; exec ${command}`]);
  expectOneWarning(lines, 'EFBIG');
  expect(temporaryFiles(recordings)).toEqual([]);
  expectWhole(lines[0]!.directory!, 400_000, 0);
});

test.skipIf(!canMount)('a full disk leaves the older snapshots intact and nothing half written', async () => {
  const recordings = temporaryDirectory();
  const copied = temporaryDirectory();
  // Room for three and a half snapshots. The disk vanishes with its name space, so its content is copied first.
  const lines = await runService(recordings, (command) => [
    UNSHARE,
    '-rm',
    'sh',
    '-c',
    `mount -t tmpfs -o size=3000k none '${recordings}' && ${command}; cp -a '${recordings}/.' '${copied}'`,
  ]);
  expectOneWarning(lines, 'ENOSPC');
  expect(temporaryFiles(copied)).toEqual([]);
  const written = lines.filter((line) => line.written === true).length;
  expect(written).toBe(3);
  const directory = lines[0]!.directory!.replace(recordings, copied);
  expect(expectWhole(directory, 400_000, written)).toBe(written);
});

test.skipIf(!canMount)(
  'a disk that is full for a while costs the snapshots of that while, and nothing else',
  async () => {
    const [recordings, copied] = [temporaryDirectory(), temporaryDirectory()];
    const ballast = join(recordings, 'ballast');
    const command = [process.execPath, ...FLAGS, SERVICE, recordings, 400_000, 6, ballast]
      .map((word) => `'${word}'`)
      .join(' ');
    const script = [
      `mount -t tmpfs -o size=6000k none '${recordings}'`,
      // Room for two and a half snapshots.
      `head -c 3800000 /dev/zero > '${ballast}'`,
      command,
      `cp -a '${recordings}/.' '${copied}'`,
    ];
    const child = spawn(UNSHARE, ['-rm', 'sh', '-c', script.join(' && ')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: ServiceLine[] = [];
    for await (const line of readLines(child)) lines.push(line);
    expect(lines.flatMap(({ phase, written }) => (written === true ? [phase] : []))).toEqual([1, 2, 4, 5, 6]);
    expect(lines.filter(({ trouble }) => trouble !== undefined)).toHaveLength(1);
    expect(lines.at(-1)).toEqual({ closed: false, pending: 0 });
    const recording = openRecording(lines[0]!.directory!.replace(recordings, copied));
    expect(recording.damagedSnapshots).toEqual([]);
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1, 2, 4, 5, 6]);
    // Also the sources of the lost snapshot.
    for (const phase of [1, 2, 3, 4, 5, 6]) {
      const entry = recording.manifest.modules.find(({ url }) => url === `file:///module-${phase}.ts`);
      expect(recording.source(entry!.sha256)).toBe(`export const phase = ${phase};`);
    }
    expect(recording.manifest.ended).not.toBeNull();
  },
);

interface BrokenWriter {
  readonly troubles: RecordingError[];
  readonly outcomes: unknown[];
  readonly pending: number;
  readonly isOff: boolean;
}

/** A writer with a fault after its first snapshot. */
async function breakWriter(
  breakIt: (recordings: string, directory: string) => void,
): Promise<BrokenWriter & { directory: string }> {
  const recordings = join(temporaryDirectory(), 'recordings');
  const troubles: RecordingError[] = [];
  const writer = startWriter({ recordings, onError: (error) => troubles.push(error) });
  const recording = writer.create(manifestOf());
  const outcomes: unknown[] = [];
  for (const phase of [1, 2, 3]) {
    // The writer has nothing to do meanwhile, so it sees the fault as a whole.
    if (phase === 2) breakIt(recordings, recording.directory);
    const snapshot = openSnapshot(recording, phase);
    snapshot.add(0, 'heap', contentOf(phase, 0, 300_000));
    outcomes.push((await snapshot.commit())?.phase);
  }
  const { pending, isOff } = writer;
  expect(await writer.close()).toBe(false);
  return { troubles, outcomes, pending, isOff, directory: recording.directory };
}

describe('a recording directory', () => {
  test('that is removed is reported once, and made again by the next snapshot', async () => {
    const { troubles, outcomes, pending, isOff, directory } = await breakWriter((recordings) =>
      rmSync(recordings, { recursive: true }),
    );
    expect(troubles.map(({ code }) => code)).toEqual(['TT_RECORDING_WRITE']);
    expect(troubles[0]!.message).toMatch(
      /^a part of the recording was deleted: ENOENT.*; the next snapshot makes the recording again; do not delete a recording while it is being written$/,
    );
    expect(outcomes).toEqual([1, undefined, 3]);
    expect({ pending, isOff }).toEqual({ pending: 0, isOff: false });
    const recording = openRecording(directory);
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([3]);
    expect(recording.manifest).toMatchObject({ firstPhase: 3, ended: expect.any(String) });
  });

  test('that is replaced by a file is reported once, and earlier recordings stay', async () => {
    const { troubles, outcomes, isOff, directory } = await breakWriter((_, directory) => {
      renameSync(join(directory, 'snapshots'), join(directory, 'away'));
      writeFileSync(join(directory, 'snapshots'), '');
    });
    expect(troubles).toHaveLength(1);
    expect(isOff).toBe(true);
    expect(outcomes).toEqual([1, undefined, undefined]);
    expect(filesIn(join(directory, 'away'))).toContain('0000000001.tts');
  });

  test('that cannot be created is reported once', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const troubles: RecordingError[] = [];
    const writer = startWriter({ recordings: file, onError: (error) => troubles.push(error) });
    const recording = writer.create(manifestOf());
    recording.addModule('file:///a.ts', 'a');
    expect(await openSnapshot(recording, 1).commit()).toBeUndefined();
    expect(troubles).toHaveLength(1);
    expect(writer.closeSync()).toBe(false);
    expect(await writer.close()).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)('that must not be written to is said once, with the remedy', async () => {
    const recordings = temporaryDirectory();
    chmodSync(recordings, 0o500);
    const troubles: RecordingError[] = [];
    const writer = startWriter({ recordings, onError: (error) => troubles.push(error) });
    expect(await openSnapshot(writer.create(manifestOf()), 1).commit()).toBeUndefined();
    expect(troubles[0]!.message).toContain('give this user the right to write there');
    await writer.close();
  });
});

describe('a reader', () => {
  async function recorded(phases: number): Promise<string> {
    const writer = startWriter({ recordings: join(temporaryDirectory(), 'recordings') });
    const recording = writer.create(manifestOf());
    for (let phase = 1; phase <= phases; phase++) {
      const snapshot = openSnapshot(recording, phase);
      snapshot.add(0, 'heap', contentOf(phase, 0, 300_000));
      await snapshot.commit();
    }
    await writer.close();
    return recording.directory;
  }

  const file = (directory: string, phase: number): string => join(directory, `snapshots/000000000${phase}.tts`);

  test('skips an incomplete last snapshot and reports its phase and the reason', async () => {
    const directory = await recorded(3);
    truncateSync(file(directory, 3), 200_000);
    const recording = openRecording(directory);
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1, 2]);
    expect(recording.damagedSnapshots).toMatchObject([{ phase: 3, file: file(directory, 3) }]);
    expect(recording.damagedSnapshots[0]!.error.message).toContain('expected the end mark: the file is cut off');
    const latest = recording.latest()!;
    expect(latest.phase).toBe(2);
    latest.close();
  });

  test('falls back to an intact snapshot if any byte of the last one has changed', async () => {
    const directory = await recorded(2);
    const bytes = readFileSync(file(directory, 2));
    for (const at of [0, 30, 1000, 200_000, bytes.length - 60, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      writeFileSync(file(directory, 2), changed);
      const recording = openRecording(directory);
      const latest = recording.latest()!;
      expect(latest.phase).toBe(1);
      expect(recording.damagedSnapshots.map(({ phase }) => phase)).toEqual([2]);
      latest.close();
    }
  });

  test('finds no snapshot if none is intact', async () => {
    const directory = await recorded(1);
    truncateSync(file(directory, 1), 100);
    expect(openRecording(directory).latest()).toBeUndefined();
  });

  test('ignores foreign files', async () => {
    const directory = await recorded(2);
    const snapshots = join(directory, 'snapshots');
    renameSync(file(directory, 2), file(directory, 5));
    symlinkSync('/etc/passwd', file(directory, 6));
    mkdirSync(file(directory, 7));
    if (process.platform !== 'win32') execFileSync('sh', ['-c', `mkfifo '${file(directory, 8)}'`]);
    writeFileSync(join(snapshots, 'readme.txt'), 'mine');
    const recording = openRecording(directory);
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1]);
    expect(recording.damagedSnapshots.map(({ error }) => error.message.replace(snapshots, ''))).toEqual([
      '/0000000005.tts contains snapshot 2; give the file its original name',
      expect.stringContaining('ELOOP'),
      expect.stringContaining('is not a file'),
      expect.stringContaining('is not a file'),
    ]);
  });

  test('reports what is missing', async () => {
    const directory = await recorded(1);
    expect(() => openRecording(directory).readSnapshot(9)).toThrow(
      '0000000009.tts: there is no such file; it was never written, or retention has deleted it',
    );
    expect(() => openRecording(join(directory, 'nothing'))).toThrow('manifest.json: there is no such file');
  });

  test('can read while another process writes and deletes', async () => {
    const recordings = temporaryDirectory();
    const BYTES = 200_000;
    const child = startService(recordings, BYTES, 30);
    let directory = '';
    let last = 0;
    let reads = 0;
    const lines = readLines(child);
    const end = (async () => {
      for await (const line of lines) {
        directory = line.directory ?? directory;
        last = line.phase ?? last;
        if (last === 0) continue;
        const known = last;
        const recording = openRecording(directory);
        const latest = recording.latest()!;
        expect(latest.phase).toBeGreaterThanOrEqual(known);
        const heap = latest.part(1, 'heap').read();
        expect(Buffer.from(heap).equals(contentOf(latest.phase, 1, BYTES))).toBe(true);
        expect(recording.damagedSnapshots).toEqual([]);
        latest.close();
        reads++;
      }
    })();
    await Promise.all([end, once(child, 'exit')]);
    expect(reads).toBeGreaterThanOrEqual(30);
  });
});
