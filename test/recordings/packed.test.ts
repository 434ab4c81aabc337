// Commands treat a packed recording like its directory and leave no temporary files.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, recordingIn, createScratchDirectory, runTurntable, type CliResult } from './processes.ts';

const directory = createScratchDirectory();
const recordings = join(directory, 'recordings');
/** The directory for temporary files. */
const temporaryRoot = join(directory, 'room');
const SECRET = 'correct-horse-battery';

const run = (args: readonly string[]): CliResult => runTurntable(directory, args, { TMPDIR: temporaryRoot });

beforeAll(() => {
  mkdirSync(temporaryRoot);
  const program = join(REPOSITORY, 'test/replay/fixtures/alone.ts');
  const { status, stderr } = runTurntable(
    directory,
    ['record', '--recordings', recordings, program, `--colour=${SECRET}`],
    {
      COLOUR: SECRET,
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

describe('a packed recording', () => {
  it('is replayed, inspected and exported like its directory', () => {
    const packed = run(['pack', 'recordings', '-o', 'a.ttr', '--json']);
    expect(JSON.parse(packed.stdout)).toMatchObject({ recording: recordingIn(recordings), redacted: null });
    expect(run(['pack', 'recordings', '-o', 'a.ttr'])).toMatchObject({
      status: 1,
      stderr: `turntable pack: recordings: ${join(directory, 'a.ttr')} already exists; name another file, or remove it\n`,
    });
    const replayed = run(['replay', 'a.ttr', '--json']);
    expect(replayed.status).toBe(0);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ verdict: 'same', recording: join(directory, 'a.ttr') });
    for (const command of [['inspect'], ['export', '--as', 'chrome']]) {
      const [name = '', ...flags] = command;
      const [ofDirectory, ofPacked] = [recordings, 'a.ttr'].map((path) => run([name, path, ...flags]));
      expect(ofPacked?.stdout.replace(/^.*?:/, ''), name).toBe(ofDirectory?.stdout.replace(/^.*?:/, ''));
      expect([ofDirectory?.status, ofPacked?.status]).toEqual([0, 0]);
    }
    expect(readdirSync(temporaryRoot)).toEqual([]);
  });

  it('unpacks only where nothing is in the way', () => {
    expect(run(['pack', 'recordings', '-o', 'b.ttr']).stdout).toMatch(
      /b\.ttr: \S+, \d+ files, [\d.]+ KB in [\d.]+ KB\n$/,
    );
    const { stdout, status } = run(['unpack', 'b.ttr', 'there', '--json']);
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 0,
      directory: recordingIn(join(directory, 'there')),
    });
    expect(run(['unpack', 'b.ttr', 'there'])).toMatchObject({ status: 1, stdout: '' });
    expect(run(['restore', 'b.ttr'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('b.ttr is a packed recording') as string,
    });
    truncateSync(join(directory, 'b.ttr'), 1000);
    expect(run(['unpack', 'b.ttr', 'elsewhere'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^turntable unpack: b\.ttr: .* is damaged at byte 1000: expected \d+ more bytes: the file is cut off; copy it again/,
      ) as string,
    });
    expect(run(['replay', 'b.ttr'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('is damaged') as string,
    });
    expect(readdirSync(temporaryRoot)).toEqual([]);
  });

  it('is redacted as requested and replayed only with --force', () => {
    const { stdout, status } = run(['pack', 'recordings', '--redact', 'colour,none', '-o', 'c.ttr']);
    expect({ stdout, status }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/; redacted: colour, none\n$/) as string,
    });
    const exported = run(['export', 'c.ttr']).stdout;
    expect(exported).toContain('"COLOUR":"[redacted]"');
    expect(exported).not.toContain(SECRET);
    expect(run(['export', 'recordings', '--redact', 'colour', '-o', 'd.json']).stdout).toMatch(
      /^\d+ events of 1 thread in d\.json\n$/,
    );
    expect(readFileSync(join(directory, 'd.json'), 'utf8')).not.toContain(SECRET);
    expect(run(['export', 'recordings']).stdout).toContain(SECRET);
    expect(run(['inspect', 'c.ttr']).stdout).toContain('redacted: without colour, none, and without snapshots\n');
    expect(run(['replay', 'c.ttr'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `turntable replay: ${join(directory, 'c.ttr')} cannot be replayed here:\n  it is redacted (colour, none) and lacks inputs; replay the original recording\ntry it anyway with --force\n`,
    });
    expect(run(['replay', 'c.ttr', '--force']).stdout).toContain("[ '--colour=[redacted]' ]");
    expect(readdirSync(temporaryRoot)).toEqual([]);
  });
});

describe('a sealed recording', () => {
  const key = join(directory, 'key');
  const sealed = join(directory, 'sealed');

  it('is written and replayed with its key and unreadable without it', () => {
    writeFileSync(key, randomBytes(32).toString('hex'));
    const program = join(REPOSITORY, 'test/replay/fixtures/alone.ts');
    expect(run(['record', '--key', 'nothing', '--recordings', sealed, program])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^turntable: --key or TURNTABLE_KEY names .*nothing, which cannot be read: ENOENT.*\n$/,
      ) as string,
    });
    const recorded = run(['record', '--key', 'key', '--recordings', sealed, program, SECRET]);
    expect(recorded).toMatchObject({ status: 0, stderr: '' });
    const recording = recordingIn(sealed);
    for (const name of readdirSync(join(recording, 'traces')))
      expect(readFileSync(join(recording, 'traces', name)).includes(SECRET)).toBe(false);
    const replayed = run(['replay', sealed, '--key=key']);
    expect(replayed).toMatchObject({ status: 0, stdout: recorded.stdout });
    expect(run(['replay', sealed])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /cannot be replayed here:\n.*0000000000-0\.0\.ttt is sealed; name the file with its key/,
      ) as string,
    });
    expect(run(['export', sealed])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is sealed; name the file') as string,
    });
  });

  it('is shown without its key, packed too, as not verified', () => {
    expect(run(['pack', sealed, '-o', 'sealed.ttr']).status).toBe(0);
    for (const path of ['sealed', 'sealed.ttr']) {
      expect(run(['ls', path]).stdout).toMatch(/, sealed, unverified without --key\n$/);
      expect(run(['ls', path, '--key', 'key']).stdout).toMatch(/, sealed\n$/);
      expect(run(['inspect', path]).stdout).toContain('\nsealed; nothing here is verified: name the file with its key');
      expect(run(['inspect', path, '--key', 'key']).stdout).toContain('\nsealed, verified with the key\n');
    }
  });

  it('is refused with its key, and shown without, if its manifest was edited', () => {
    const file = join(recordingIn(sealed), 'manifest.json');
    const { checksum: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const edited = { ...manifest, execArgv: ['--import', 'data:text/javascript,console.log("edited")'] };
    const checksum = crc32(JSON.stringify(edited)).toString(16).padStart(8, '0');
    writeFileSync(file, JSON.stringify({ ...edited, checksum }));
    for (const command of ['replay', 'inspect', 'restore', 'export', 'pack', 'tasks', 'debug']) {
      const { stdout, stderr, status } = run([command, sealed, '--key', 'key']);
      expect({ stdout, status }, command).toEqual({ stdout: '', status: 1 });
      expect(stderr, command).toContain('manifest.json was changed after it was sealed; it is damaged or was edited');
    }
    expect(run(['ls', sealed, '--key', 'key']).stdout).toContain('manifest.json was changed after it was sealed');
    expect(run(['inspect', sealed]).stdout).toContain('sealed; nothing here is verified');
  });
});
