// Limits of unpacking: a packed file that holds more than it should is refused before anything is written, and the error
// names the limit and the option that raises it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describePacked, unpackRecording, type UnpackOptions } from '@turntable/recording/packed';
import { encodeManifest } from '../src/manifest.ts';
import { encodeDirectory, type PackedFile } from '../src/packed/packed-format.ts';
import { MANIFEST, NAME, createPack } from './packed.ts';
import { temporaryDirectory } from './recording.ts';

const manifest = encodeManifest(MANIFEST);
const MANIFEST_FILE = { name: 'manifest.json', length: manifest.length, bytes: manifest };
const traceName = (phase: number): string => `traces/${String(phase).padStart(10, '0')}-0.0.ttt`;
const traces = (count: number, length: number): PackedFile[] =>
  Array.from({ length: count }, (_, phase) => ({ name: traceName(phase), length }));

interface UnpackAttempt {
  readonly directory: string;
  readonly file: string;
  unpack(options?: UnpackOptions): Promise<unknown>;
}

/** A packed file in an empty directory, to be unpacked into `there/below`. */
function attemptOf(bytes: Uint8Array): UnpackAttempt {
  const directory = temporaryDirectory();
  const file = join(directory, 'a.ttr');
  writeFileSync(file, bytes);
  return { directory, file, unpack: (options) => unpackRecording(file, join(directory, 'there', 'below'), options) };
}

test('files of more than 4 GB are refused, unless the caller allows them', async () => {
  const { directory, file, unpack } = attemptOf(createPack([MANIFEST_FILE, ...traces(1, 2 ** 33)]));
  const bytes = manifest.length + 2 ** 33;
  await expect(unpack()).rejects.toThrow(
    `${file} holds ${bytes} bytes, more than the limit of ${2 ** 32}; if you trust its source, raise the limit with turntable unpack --max-size ${bytes}`,
  );
  expect(readdirSync(directory)).toEqual(['a.ttr']);
  // Allowed, it is refused for its content, which is missing.
  await expect(unpack({ maxBytes: bytes })).rejects.toThrow(/is damaged|only \d+ free/);
  expect(readdirSync(directory)).toEqual(['a.ttr']);
});

test('files of more than 64 MB and a hundred times the packed size are refused, unless the caller allows them', async () => {
  const zeros = new Uint8Array(14 << 20);
  const large = traces(5, zeros.length).map((each) => ({ ...each, bytes: zeros }));
  const { directory, unpack } = attemptOf(createPack([MANIFEST_FILE, ...large]));
  await expect(unpack()).rejects.toThrow(
    /holds \d+ bytes in \d+, more than the limit of 100 times; .* raise the limit with turntable unpack --max-size \d+/,
  );
  expect(readdirSync(directory)).toEqual(['a.ttr']);
  await expect(unpack({ maxBytes: 80 << 20 })).resolves.toMatchObject({ files: 6 });
  const small = attemptOf(createPack([MANIFEST_FILE, ...large.slice(0, 4)]));
  await expect(small.unpack()).resolves.toMatchObject({ files: 5 });
});

test('more than 100,000 files are refused, or more than the caller allows', async () => {
  const many = attemptOf(createPack([MANIFEST_FILE, ...traces(100_000, 0)]));
  await expect(many.unpack()).rejects.toThrow(
    /holds 100001 files, more than the limit of 100000; .* raise the limit with turntable unpack --max-files 100001/,
  );
  expect(readdirSync(many.directory)).toEqual(['a.ttr']);
  const few = attemptOf(createPack([MANIFEST_FILE, ...traces(2, 0)]));
  await expect(few.unpack({ maxFiles: 2 })).rejects.toThrow('holds 3 files, more than the limit of 2');
  await expect(few.unpack({ maxFiles: 3 })).resolves.toMatchObject({ files: 3 });
});

test('content beyond the listed lengths is not written', async () => {
  const [trace] = traces(1, 10) as [PackedFile];
  const bytes = new Uint8Array(1 << 20);
  const attempts = [
    attemptOf(createPack([MANIFEST_FILE, { ...trace, bytes }])),
    attemptOf(createPack([MANIFEST_FILE, { ...trace, length: 0, bytes }])),
    attemptOf(createPack([MANIFEST_FILE, { ...trace, bytes: bytes.subarray(0, 9) }])),
  ];
  for (const { directory, unpack } of attempts) {
    await expect(unpack()).rejects.toThrow('is damaged at byte');
    expect(readdirSync(directory)).toEqual(['a.ttr']);
  }
});

test('a name that is listed twice is refused', async () => {
  const { directory, unpack } = attemptOf(createPack([MANIFEST_FILE, ...traces(1, 0), ...traces(1, 0)]));
  await expect(unpack()).rejects.toThrow('expected the name of a file of a recording');
  expect(readdirSync(directory)).toEqual(['a.ttr']);
});

test('a refused file leaves directories of others in place', async () => {
  const { directory, file } = attemptOf(createPack([{ name: 'manifest.json', length: 2, bytes: Buffer.from('{}') }]));
  await expect(unpackRecording(file, directory)).rejects.toThrow('is not the manifest');
  expect(existsSync(directory)).toBe(true);
});

test('a manifest without end is not read into memory', () => {
  const listed = encodeDirectory([{ name: 'manifest.json', length: 2 ** 40 }]);
  const block = Buffer.alloc(16 << 20, ' ');
  const files = Array.from({ length: 20 }, () => ({ name: '', length: 0, bytes: block }));
  const { file } = attemptOf(createPack(files, Buffer.from(listed)));
  expect(() => describePacked(file)).toThrow(/expected a manifest of at most \d+ bytes/);
});

test('a recording that is unpacked twice is refused the second time', async () => {
  const { directory, unpack } = attemptOf(createPack([MANIFEST_FILE, ...traces(1, 0)]));
  await unpack();
  await expect(unpack()).rejects.toThrow('already exists; unpack the file elsewhere');
  expect(readdirSync(join(directory, 'there', 'below'))).toEqual([NAME]);
});
