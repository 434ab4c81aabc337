// Unpacking restores the packed recording or gives an error, and overwrites nothing.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPackedFile, packRecording, unpackRecording } from '@turntable/recording/packed';
import { memorySource } from './memory-source.ts';
import { encodeManifest } from '../src/manifest.ts';
import { PACKED_BLOCK_BYTES } from '../src/packed/packed-format.ts';
import { PackedReader } from '../src/packed/packed-reader.ts';
import { contents, makeRecording, MANIFEST, NAME, createPack } from './packed.ts';
import { RecordingError, temporaryDirectory } from './recording.ts';

/** Files by name, or the error. */
function read(bytes: Uint8Array): Record<string, string> | string {
  const files: Record<string, string> = {};
  try {
    for (const { file, bytes: piece } of new PackedReader(memorySource(bytes, 'a.ttr')).pieces())
      files[file.name] = (files[file.name] ?? '') + Buffer.from(piece).toString('hex');
    return files;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

const manifest = encodeManifest(MANIFEST);
const MANIFEST_FILE = { name: 'manifest.json', length: manifest.length, bytes: manifest };

describe('a recording', () => {
  test('is unpacked unchanged, with progress reports', async () => {
    const directory = temporaryDirectory();
    const recording = makeRecording(directory);
    const file = join(directory, 'a.ttr');
    const progress: (readonly number[])[] = [];
    const packed = await packRecording(recording, file, { onProgress: (...args) => progress.push(args) });
    const { length: bytes } = readFileSync(file);
    expect(packed).toEqual({ file, files: 6, length: progress.at(-1)?.[1], bytes });
    expect(progress.at(-1)?.[0]).toBe(progress.at(-1)?.[1]);
    expect([isPackedFile(file), isPackedFile(join(recording, 'manifest.json')), isPackedFile(directory)]).toEqual([
      true,
      false,
      false,
    ]);
    const into = join(directory, 'there');
    expect(await unpackRecording(file, into)).toEqual({ directory: join(into, NAME), files: 6, bytes: packed.length });
    expect(contents(join(into, NAME))).toEqual(contents(recording));
  });

  test('larger than a block is unpacked unchanged, with files of any length', async () => {
    const directory = temporaryDirectory();
    const recording = makeRecording(directory);
    const random = createHash('shake256', { outputLength: PACKED_BLOCK_BYTES + 1 })
      .update('x')
      .digest();
    for (const [phase, length] of [0, 1, PACKED_BLOCK_BYTES - 1, PACKED_BLOCK_BYTES, PACKED_BLOCK_BYTES + 1].entries())
      writeFileSync(join(recording, `traces/000000010${phase}-0.0.ttt`), random.subarray(0, length));
    writeFileSync(join(recording, 'traces/0000000200-0.0.ttt'), new Uint8Array(3 * PACKED_BLOCK_BYTES));
    writeFileSync(join(recording, 'notes.txt'), 'of another program');
    const file = join(directory, 'a.ttr');
    const { bytes } = await packRecording(recording, file);
    expect(bytes).toBeLessThan(4 * PACKED_BLOCK_BYTES);
    await unpackRecording(file, join(directory, 'there'));
    rmSync(join(recording, 'notes.txt'));
    expect(contents(join(directory, 'there', NAME))).toEqual(contents(recording));
  });

  test('that is active is packed in its current state', async () => {
    const directory = temporaryDirectory();
    const recording = makeRecording(directory);
    const file = join(directory, 'a.ttr');
    const before = contents(recording);
    await packRecording(recording, file, {
      onProgress: () => appendFileSync(join(recording, 'traces/0000000000-0.0.ttt'), 'more'),
    });
    await unpackRecording(file, join(directory, 'there'));
    expect(contents(join(directory, 'there', NAME))).toEqual(before);
  });

  test('that loses files meanwhile is not packed, and leaves no file', async () => {
    const directory = temporaryDirectory();
    const recording = makeRecording(directory);
    const file = join(directory, 'a.ttr');
    const packing = packRecording(recording, file, {
      onProgress: () => rmSync(join(recording, 'snapshots'), { recursive: true, force: true }),
    });
    await expect(packing).rejects.toThrow(/0000000007\.tts: retention has just deleted it; pack the recording again/);
    expect(readdirSync(directory)).toEqual([NAME]);
  });

  test('does not overwrite existing files when it is packed or unpacked', async () => {
    const directory = temporaryDirectory();
    const recording = makeRecording(directory);
    const file = join(directory, 'a.ttr');
    writeFileSync(file, 'mine');
    await expect(packRecording(recording, file)).rejects.toThrow('a.ttr already exists');
    const below = join(file, 'below.ttr');
    await expect(packRecording(recording, below)).rejects.toThrow(`${below} cannot be written: ENOTDIR`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    rmSync(file);
    await packRecording(recording, file);
    const before = contents(directory);
    await expect(unpackRecording(file, directory)).rejects.toThrow(`${NAME} already exists; unpack the file elsewhere`);
    expect(contents(directory)).toEqual(before);
  });
});

describe('a packed file with any bytes', () => {
  const whole = createPack([
    MANIFEST_FILE,
    { name: 'snapshots/0000000007.tts', length: 4, bytes: Buffer.from('1234') },
    { name: 'traces/0000000007-1.2.ttt', length: 0 },
    { name: 'traces/0000000008-1.2.ttt', length: 300, bytes: Buffer.alloc(300, 'abc') },
  ]);

  test('can be read if it is complete', () => {
    expect(Object.keys(read(whole))).toEqual([
      'manifest.json',
      'snapshots/0000000007.tts',
      'traces/0000000007-1.2.ttt',
      'traces/0000000008-1.2.ttt',
    ]);
  });

  test('cut off at any byte gives an error', () => {
    for (let length = 0; length < whole.length; length++)
      expect(read(whole.subarray(0, length)), `${length} bytes`).toMatch(
        /^TT_RECORDING.* a\.ttr is damaged at byte \d+/,
      );
    expect(read(Buffer.concat([whole, Buffer.of(0)]))).toMatch(/expected the end of the file/);
  });

  test('with any flipped bit gives an error', () => {
    for (let at = 0; at < whole.length; at++)
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 1 << bit;
        expect(read(flipped), `bit ${bit} of byte ${at}`).toMatch(/^TT_RECORDING/);
      }
  });

  test('with rearranged pieces gives an error or the original', () => {
    const good = JSON.stringify(read(whole));
    const cut = fc.nat(whole.length);
    fc.assert(
      fc.property(cut, cut, cut, fc.uint8Array({ maxLength: 20 }), (a, b, c, more) => {
        const spliced = Buffer.concat([whole.subarray(0, a), more, whole.subarray(b, c), whole.subarray(a)]);
        const got = read(spliced);
        expect(typeof got === 'string' ? '' : JSON.stringify(got)).toMatch(typeof got === 'string' ? '' : good);
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test.each([
    '../outside',
    '/etc/passwd',
    'sources/../../outside',
    'traces/..',
    'traces/0000000007-1.2.ttt/../../../outside',
    'snapshots\\..\\0000000007.tts',
    'snapshots/0000000007.tts\0',
    'manifest.json',
    './manifest.json',
    'notes.txt',
    '.0000000007.tts.tmp',
    'traces/0000000007-1.2.ttt\n',
    'traces/\n0000000007-1.2.ttt',
    'traces/0000000007-1.2.ttt\r',
    'traces/\u001b[2J0000000007-1.2.ttt',
    'traces/0000000007-1.2.ttt ',
    'traces/0000000007-1.2.ttt.',
    'traces/0000000007-1.2.ttt:stream',
    '//host/traces/0000000007-1.2.ttt',
    'C:\\traces\\0000000007-1.2.ttt',
    'C:traces/0000000007-1.2.ttt',
    'CON',
    'traces/NUL',
    'sources/con.zst',
    'Traces/0000000007-1.2.ttt',
    `sources/${'A'.repeat(64)}.zst`,
    `sources/${'a'.repeat(65)}.zst`,
    `traces/${'0'.repeat(5000)}7-1.2.ttt`,
    'traces/٠٠٠٠٠٠٠٠٠٧-1.2.ttt',
    'sources/0000000007.tts',
    '',
  ])('with the file name %j writes nothing there', async (name) => {
    const directory = temporaryDirectory();
    const file = join(directory, 'a.ttr');
    writeFileSync(file, createPack([MANIFEST_FILE, { name, length: 1, bytes: Buffer.of(1) }]));
    await expect(unpackRecording(file, join(directory, 'there'))).rejects.toThrow(
      /expected the name of a file of a recording, not /,
    );
    expect(readdirSync(directory)).toEqual(['a.ttr']);
  });

  test('with an invalid list of files is refused', () => {
    const refused = (list: unknown): string => String(read(createPack([], Buffer.from(JSON.stringify(list)))));
    expect(refused([])).toContain('expected a manifest');
    expect(refused({})).toContain('expected a list of files');
    expect(refused([['manifest.json', -1]])).toContain('expected a name and a length as number 0');
    expect(refused([['manifest.json', 1, 2]])).toContain('expected a name and a length as number 0');
    expect(refused([['snapshots/0000000007.tts', 1]])).toContain('expected the name of a file of a recording');
    expect(
      refused([
        ['manifest.json', 2 ** 52],
        ['traces/0000000007-1.2.ttt', 2 ** 53 - 1],
      ]),
    ).toContain('less than 2^53');
    expect(String(read(createPack([], Buffer.from('['))))).toContain('expected JSON in UTF-8');
  });

  test('that declares more than the disk can hold is refused before any write', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'a.ttr');
    writeFileSync(file, createPack([MANIFEST_FILE, { name: 'traces/0000000007-1.2.ttt', length: 2 ** 52 }]));
    const maxBytes = Number.MAX_SAFE_INTEGER;
    await expect(unpackRecording(file, join(directory, 'there'), { maxBytes })).rejects.toThrow(
      /has only \d+ free; free some space/,
    );
    expect(readdirSync(directory)).toEqual(['a.ttr']);
  });

  test('that turns out to be damaged leaves nothing', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'a.ttr');
    for (const at of [whole.length - 1, whole.length - 40, whole.length - 60]) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1;
      writeFileSync(file, flipped);
      await expect(unpackRecording(file, join(directory, 'there'))).rejects.toThrow(RecordingError);
      expect(readdirSync(directory)).toEqual(['a.ttr']);
    }
    writeFileSync(file, createPack([{ name: 'manifest.json', length: 2, bytes: Buffer.from('{}') }]));
    await expect(unpackRecording(file, join(directory, 'there'))).rejects.toThrow('is not the manifest of a recording');
    expect(readdirSync(directory)).toEqual(['a.ttr']);
    expect(existsSync(file)).toBe(true);
  });

  test('of another format or a later version is refused', () => {
    const later = Buffer.from(whole);
    later.writeUInt16LE(3, 4);
    expect(read(later)).toContain(
      'a.ttr is packed in format 3, this Turntable reads format 2; unpack it with the version that packed it',
    );
    expect(read(Buffer.alloc(100))).toContain(
      'a.ttr is not a packed recording: it does not start with TTRP; name a file that turntable pack wrote',
    );
  });
});
