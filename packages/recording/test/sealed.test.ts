// A sealed recording works like any other with its key and is unreadable without. Changes are detected.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  openRecording,
  startWriter,
  TraceWriter,
  type RecordingErrorCode,
  type TraceEvent,
} from '@turntable/recording';
import { packRecording, unpackRecording } from '@turntable/recording/packed';
import { openFileSource, openRawSource } from '../src/file-source.ts';
import { KEY_VARIABLE, readKey } from '../src/sealed/key.ts';
import { RecordingSeal } from '../src/sealed/recording-seal.ts';
import { SEALED_HEADER_BYTES, SEALED_VERSION } from '../src/sealed/sealing.ts';
import { readManifest } from '../src/recordings.ts';
import { isLastSegment } from '../src/trace/segment-end.ts';
import { TraceReader } from '../src/trace/trace-reader.ts';
import { AtomicFile } from '../src/atomic-file.ts';
import { contents } from './packed.ts';
import { manifestOf, openSnapshot, RecordingError, temporaryDirectory } from './recording.ts';
import { takeAll } from './traces.ts';

const SECRET = 'a text that others must not read';
const KEY = randomBytes(32);
const SEAL = new RecordingSeal('5e'.repeat(16), KEY);
let directory: string;

function setKeyFile(file: string | undefined): void {
  if (file === undefined) delete process.env[KEY_VARIABLE];
  else process.env[KEY_VARIABLE] = file;
}

beforeEach(() => {
  directory = temporaryDirectory();
  writeFileSync(join(directory, 'key'), KEY.toString('base64'));
  writeFileSync(join(directory, 'other'), randomBytes(32));
  setKeyFile(join(directory, 'key'));
});
afterEach(() => setKeyFile(undefined));

async function recordSealed(): Promise<string> {
  const writer = startWriter({ recordings: join(directory, 'recordings') });
  const recording = writer.create(manifestOf());
  recording.addModule('file:///shop.ts', SECRET);
  const trace = new TraceWriter(recording.trace(0, 0));
  for (let i = 0; i < 3; i++) {
    trace.writeOutcome(6, `${SECRET} ${i}`);
    trace.commit();
    await writer.flushTraces();
  }
  const snapshot = openSnapshot(recording, 7);
  snapshot.add(0, 'state', Buffer.from(SECRET.repeat(10_000)));
  await snapshot.commit();
  trace.end();
  recording.end();
  await writer.close();
  return recording.directory;
}

const EVENTS = [0, 1, 2].map((i): TraceEvent => ({ type: 'outcome', source: 6, value: `${SECRET} ${i}` }));

function codeOf(action: () => unknown): RecordingErrorCode | 'none' {
  try {
    action();
    return 'none';
  } catch (error) {
    if (error instanceof RecordingError) return error.code;
    throw error;
  }
}

test('a sealed recording can be read only with its key', async () => {
  const recordingPath = await recordSealed();
  const recording = openRecording(recordingPath);
  expect([recording.isSealed, recording.isUnverified]).toEqual([true, false]);
  expect(recording.manifest.modules.map(({ sha256 }) => recording.source(sha256))).toEqual([SECRET]);
  const trace = recording.trace(0, 0);
  expect([takeAll(trace), trace.end.reason]).toEqual([EVENTS, 'ended']);
  using snapshot = recording.readSnapshot(7);
  snapshot.verify();
  expect(Buffer.from(snapshot.part(0, 'state').read()).toString()).toBe(SECRET.repeat(10_000));
  const sealed = Object.entries(contents(recordingPath)).filter(([file]) => file !== 'manifest.json');
  expect(sealed.length).toBe(3);
  for (const [, hex] of sealed) {
    expect(hex.slice(0, 8)).toBe(Buffer.from('TTSE').toString('hex'));
    expect(hex).not.toContain(Buffer.from(SECRET).toString('hex').slice(0, 16));
  }
  setKeyFile(join(directory, 'other'));
  expect(() => openRecording(recordingPath)).toThrow('manifest.json is sealed with another key; pass the key of');
  expect(codeOf(() => openRecording(recordingPath))).toBe('TT_RECORDING_KEY');
  setKeyFile(undefined);
  const unread = openRecording(recordingPath);
  expect([unread.manifest, unread.isSealed, unread.isUnverified]).toEqual([recording.manifest, true, true]);
  const { sha256 = '' } = recording.manifest.modules[0] ?? {};
  for (const action of [() => unread.trace(0, 0), () => unread.readSnapshot(7), () => unread.source(sha256)]) {
    expect(codeOf(action)).toBe('TT_RECORDING_KEY');
    expect(action).toThrow('is sealed; name the file with its key: --key FILE, or TURNTABLE_KEY=FILE');
  }
  expect(unread.latest()).toBeUndefined();
});

test('packing keeps a recording sealed and leaves its key out', async () => {
  const recordingPath = await recordSealed();
  setKeyFile(undefined);
  await packRecording(recordingPath, join(directory, 'a.ttr'));
  await unpackRecording(join(directory, 'a.ttr'), join(directory, 'there'));
  const [there = ''] = readdirSync(join(directory, 'there'));
  expect(contents(join(directory, 'there', there))).toEqual(contents(recordingPath));
});

test('two chunks with the same content differ everywhere, and cannot be exchanged', () => {
  const sealer = SEAL.createSealer('traces/a');
  const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = [0, 1].map(() =>
    Buffer.from(sealer.seal(Buffer.alloc(64))).subarray(8),
  );
  expect(one.equals(other)).toBe(false);
  const opener = SEAL.openSealed(sealer.header, 'traces/a');
  expect([opener.unseal(0, one, 44), opener.unseal(1, other, 132)].map(({ length }) => length)).toEqual([64, 64]);
  expect(() => opener.unseal(1, one, 44)).toThrow('traces/a was changed after it was sealed, at byte 44 (chunk 1)');
});

test('a file can be opened only with its key, under its name and in its recording', () => {
  const { header } = SEAL.createSealer('/a/traces/a');
  expect(() => SEAL.openSealed(header, '/b/traces/a')).not.toThrow();
  expect(() => new RecordingSeal('5e'.repeat(16), randomBytes(32)).openSealed(header, '/a/traces/a')).toThrow(
    '/a/traces/a is sealed with another key',
  );
  for (const [seal, file] of [
    [SEAL, '/a/traces/b'],
    [SEAL, '/a/snapshots/a'],
    [new RecordingSeal('5f'.repeat(16), KEY), '/a/traces/a'],
  ] as const)
    expect(() => seal.openSealed(header, file)).toThrow(
      `${file} belongs to another recording, or to another place in this one; give the file its original name, or copy`,
    );
});

test('two files with the same content differ everywhere', () => {
  const [one, other] = [0, 1].map(() => Buffer.from(SEAL.createSealer('traces/a').seal(Buffer.alloc(64))));
  expect(one?.subarray(8).equals(other?.subarray(8) ?? Buffer.alloc(0))).toBe(false);
  expect(one?.subarray(8, 72).equals(Buffer.alloc(64))).toBe(false);
});

describe('a sealed file', () => {
  const pieces = ['one', '', 'the second', 'x'.repeat(70_000), 'the last'];
  const whole = (): string => {
    const file = new AtomicFile(join(directory, 'whole'), SEAL);
    for (const each of pieces) file.write(Buffer.from(each));
    file.commit();
    return file.path;
  };

  test('can be read at any offset', () => {
    const content = Buffer.from(pieces.join(''));
    const source = openFileSource(whole(), SEAL);
    expect(source.size).toBe(content.length);
    fc.assert(
      fc.property(fc.nat(content.length), fc.nat(content.length), (from, to) => {
        const [start, end] = [Math.min(from, to), Math.max(from, to)];
        expect(content.subarray(start, end).equals(source.read(start, end - start))).toBe(true);
      }),
      { numRuns: 200, seed: 3 },
    );
    expect(codeOf(() => source.read(content.length - 1, 2))).toBe('TT_RECORDING');
    source.close();
    const raw = openRawSource(whole());
    expect(raw.size).toBeGreaterThan(content.length + SEALED_HEADER_BYTES);
    raw.close();
  });

  test('with a changed chunk head is readable up to there and reports the place', () => {
    const bytes = readFileSync(whole());
    const second = SEALED_HEADER_BYTES + 8 + bytes.readUInt32LE(SEALED_HEADER_BYTES) + 16;
    bytes[second]! ^= 1;
    writeFileSync(join(directory, 'whole'), bytes);
    const source = openFileSource(join(directory, 'whole'), SEAL);
    expect(Buffer.from(source.read(0, 3)).toString()).toBe('one');
    expect(() => source.read(source.size - 1, 1)).toThrow(
      `is damaged at byte ${second}: expected the head of a sealed chunk`,
    );
    source.close();
  });

  test('of a later version is refused', () => {
    const bytes = readFileSync(whole());
    bytes.writeUInt16LE(SEALED_VERSION + 1, 4);
    writeFileSync(join(directory, 'whole'), bytes);
    expect(codeOf(() => openFileSource(join(directory, 'whole'), SEAL))).toBe('TT_RECORDING_VERSION');
  });
});

describe('a sealed trace', () => {
  const SEGMENT = { phase: 0, worker: 0, epoch: 0 };
  const sealOf = (recordingPath: string): RecordingSeal => new RecordingSeal(readManifest(recordingPath).id);

  async function segment(): Promise<{ readonly place: string; readonly path: string; readonly bytes: Buffer }> {
    const recordingPath = await recordSealed();
    const path = join(recordingPath, 'traces/0000000000-0.0.ttt');
    return { place: recordingPath, path, bytes: readFileSync(path) };
  }

  function read(recordingPath: string): { readonly count: number; readonly end: string } {
    const events: TraceEvent[] = [];
    let reader: TraceReader | undefined;
    try {
      reader = new TraceReader(recordingPath, SEGMENT, { seal: sealOf(recordingPath) });
      for (let { next } = reader; next !== undefined; { next } = reader) {
        events.push(next);
        reader.take();
      }
      return { count: events.length, end: reader.end.reason };
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      return { count: events.length, end: error.code };
    } finally {
      reader?.close();
      expect(events).toEqual(EVENTS.slice(0, events.length));
    }
  }

  test('cut off anywhere ends there without an error', async () => {
    const { place: recordingPath, path, bytes } = await segment();
    expect(isLastSegment(path, sealOf(recordingPath))).toBe(true);
    const counts = new Set<number>();
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const { count, end } = read(recordingPath);
      expect(end, `${length} bytes`).toBe('cut off');
      expect(isLastSegment(path, sealOf(recordingPath)), `${length} bytes`).toBe(false);
      counts.add(count);
    }
    expect([...counts]).toEqual([0, 1, 2, 3]);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, SEALED_HEADER_BYTES), Buffer.alloc(5000)]));
    expect(read(recordingPath).end).toBe('cut off');
  });

  test('with any bit changed gives an error after the events before it', async () => {
    const { place: recordingPath, path, bytes } = await segment();
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(path, flipped);
      expect(read(recordingPath).end, `byte ${at}`).toMatch(/^TT_RECORDING/);
    }
  });

  test('with chunks exchanged or from another file gives an error', async () => {
    const { place: recordingPath, path, bytes } = await segment();
    const ends: number[] = [];
    for (let at = SEALED_HEADER_BYTES; at < bytes.length; at += 8 + bytes.readUInt32LE(at) + 16) ends.push(at);
    const chunk = (i: number): Buffer => bytes.subarray(ends[i], ends[i + 1]);
    expect(ends.length).toBe(5);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, ends[1]), chunk(2), chunk(1), chunk(3), chunk(4)]));
    expect(read(recordingPath)).toEqual({ count: 0, end: 'TT_RECORDING_SEAL' });
    writeFileSync(path, Buffer.concat([bytes.subarray(0, ends[2]), chunk(3), chunk(4)]));
    expect(read(recordingPath)).toEqual({ count: 1, end: 'TT_RECORDING_SEAL' });
    const { header } = sealOf(recordingPath).createSealer(path);
    writeFileSync(path, Buffer.concat([header, bytes.subarray(SEALED_HEADER_BYTES)]));
    expect(read(recordingPath).end).toBe('TT_RECORDING_SEAL');
  });
});

test('a key must be 32 bytes, or these in hexadecimal digits or base64', () => {
  const file = join(directory, 'written');
  for (const text of [
    KEY,
    KEY.toString('hex'),
    `${KEY.toString('hex').toUpperCase()}\n`,
    `${KEY.toString('base64')}\r\n`,
    KEY.toString('base64url'),
  ]) {
    writeFileSync(file, text);
    expect(Buffer.from(readKey(file)).equals(KEY)).toBe(true);
  }
  for (const text of ['', 'secret', KEY.subarray(1), KEY.toString('hex').slice(1)]) {
    writeFileSync(file, text);
    expect(() => readKey(file)).toThrow(
      /^--key or TURNTABLE_KEY names .*written, which is not a key; a key file has 32 bytes/,
    );
  }
  expect(() => readKey(join(directory, 'nothing'))).toThrow(
    /^--key or TURNTABLE_KEY names .*nothing, which cannot be read: ENOENT/,
  );
});
