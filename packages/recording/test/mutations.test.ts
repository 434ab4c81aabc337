// A recording with any change to its files is refused, or found to lack parts, or has the same contents as before.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../scripts/test-run/seeded-random.ts';
import { openRecording, RecordingError, type TraceEvent } from '@turntable/recording';
import { encodeManifest } from '../src/manifest.ts';
import { encodeSource, sha256Of, sourcePath } from '../src/module-sources.ts';
import { listDataFiles } from '../src/recordings.ts';
import { contents, makeRecording, MANIFEST, SEGMENTS } from './packed.ts';
import { temporaryDirectory } from './recording.ts';
import { encodeSnapshot } from './snapshots.ts';
import { outputOf, takeAll } from './traces.ts';

/** `TURNTABLE_TEST_MUTATIONS=2000` makes more of them. */
const MUTATIONS = Number(process.env['TURNTABLE_TEST_MUTATIONS'] ?? 400);
const OTHER_SOURCE = 'export const greeting = "good day";\n';

/** An ended recording with several files of each kind. */
function makeEndedRecording(directory: string): string {
  const events: TraceEvent[] = Array.from({ length: 40 }, (_, i) => ({
    type: 'entry',
    round: i,
    step: 3 * i,
    source: 7,
    id: i,
    value: { count: i },
    ...(i % 5 === 1 && { output: [outputOf(1, 'hello')] }),
  }));
  const recording = makeRecording(directory, {
    segments: [
      ...SEGMENTS,
      { worker: 2, events, next: 7 },
      { worker: 2, phase: 7, events: events.slice(3), next: 'ended' },
    ],
  });
  writeFileSync(sourcePath(recording, sha256Of(OTHER_SOURCE)), encodeSource(OTHER_SOURCE));
  for (const phase of [9, 12])
    writeFileSync(
      join(recording, `snapshots/${String(phase).padStart(10, '0')}.tts`),
      encodeSnapshot([{ worker: 0, name: 'state', bytes: Buffer.from(`state ${phase}`.repeat(phase)) }], {}, phase),
    );
  const modules = [...MANIFEST.modules, { url: 'file:///other.ts', sha256: sha256Of(OTHER_SOURCE) }];
  writeFileSync(
    join(recording, 'manifest.json'),
    encodeManifest({ ...MANIFEST, modules, ended: MANIFEST.created, files: listDataFiles(recording) }),
  );
  return recording;
}

/** All that a replay reads. @throws {RecordingError} if it would refuse a file @returns undefined if parts are missing */
function readAll(directory: string): unknown {
  const recording = openRecording(directory);
  const { manifest } = recording;
  if (recording.missingParts().length > 0 || recording.missingModules().length > 0) return undefined;
  const snapshots = recording.snapshots().map(({ phase }) => {
    using snapshot = recording.readSnapshot(phase);
    return [phase, snapshot.meta, snapshot.parts.map((part) => [part.worker, part.name, part.read()])];
  });
  if (recording.damagedSnapshots.length > 0) return undefined;
  const traces = recording.traces().map(({ worker, epoch }) => {
    const trace = recording.trace(worker, epoch);
    const events = takeAll(trace);
    return [worker, epoch, events, trace.end];
  });
  return { manifest, snapshots, traces, sources: manifest.modules.map(({ sha256 }) => recording.source(sha256)) };
}

const places = fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), length: fc.nat(40) });

/** Changes of a file. */
const changes: fc.Arbitrary<(bytes: Buffer, other: Buffer) => Buffer> = fc.oneof(
  fc.tuple(places, fc.nat(7)).map(([{ share }, bit]) => (bytes: Buffer) => {
    const at = Math.floor(share * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
    return bytes;
  }),
  places.map(
    ({ share }) =>
      (bytes: Buffer) =>
        bytes.subarray(0, Math.floor(share * bytes.length)),
  ),
  places.map(({ share, length }) => (bytes: Buffer) => {
    const at = Math.floor(share * bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length + 1)]);
  }),
  places.map(({ share, length }) => (bytes: Buffer) => {
    const at = Math.floor(share * bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at)]);
  }),
  places.map(
    ({ share, length }) =>
      (bytes: Buffer) =>
        bytes.fill(0, Math.floor(share * bytes.length)).subarray(0, bytes.length + length),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((added) => (bytes: Buffer) => Buffer.concat([bytes, added])),
  fc.constant((_: Buffer, other: Buffer) => other),
  fc.constant((bytes: Buffer, other: Buffer) => Buffer.concat([bytes, other])),
);

test('no change of a file gives other contents without an error', () => {
  const directory = temporaryDirectory();
  const recording = makeEndedRecording(directory);
  const names = Object.keys(contents(recording));
  const original = readAll(recording);
  expect(original).toBeDefined();
  let accepted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(...names), changes, (name, otherName, change) => {
      const bytes = readFileSync(join(recording, name));
      writeFileSync(join(recording, name), change(Buffer.from(bytes), readFileSync(join(recording, otherName))));
      try {
        const found = readAll(recording);
        if (found === undefined) return;
        accepted++;
        expect(found).toEqual(original);
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
      } finally {
        writeFileSync(join(recording, name), bytes);
      }
    }),
    { numRuns: MUTATIONS, seed: 38 },
  );
  // Only changes without a meaning, such as a file that replaces itself.
  expect(accepted).toBeLessThan(MUTATIONS / 4);
});

function sampleBits(bytes: Buffer, count: number): number[] {
  const random = seededRandom(47);
  return Array.from({ length: count }, () => Math.floor(random() * 8 * bytes.length));
}

/** Checks that what can be read with a bit flipped is what could be read before. */
function expectReported(file: string, bits: readonly number[], read: () => unknown): void {
  const original = read();
  const bytes = readFileSync(file);
  for (const bit of bits) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    writeFileSync(file, flipped);
    let found: unknown = original;
    try {
      found = read() ?? original;
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
    }
    expect(found, `bit ${bit} of ${file}`).toEqual(original);
  }
  writeFileSync(file, bytes);
}

test('a flipped bit of the manifest is reported, unless its meaning is the same', () => {
  const recording = makeEndedRecording(temporaryDirectory());
  const file = join(recording, 'manifest.json');
  const bits = Array.from({ length: 8 * readFileSync(file).length }, (_, bit) => bit);
  expectReported(file, bits, () => openRecording(recording).manifest);
});

test('a flipped bit of any other file is reported', () => {
  const recording = makeEndedRecording(temporaryDirectory());
  for (const name of Object.keys(contents(recording)).filter((each) => each !== 'manifest.json')) {
    const file = join(recording, name);
    expectReported(file, sampleBits(readFileSync(file), 100), () => readAll(recording));
  }
});

function isRefused(directory: string): boolean {
  try {
    return readAll(directory) === undefined;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return true;
  }
}

test('no file can be removed or take the name of another', () => {
  const recording = makeEndedRecording(temporaryDirectory());
  for (const folder of ['traces', 'snapshots', 'sources'])
    for (const name of readdirSync(join(recording, folder))) {
      const file = join(recording, folder, name);
      const bytes = readFileSync(file);
      rmSync(file);
      expect(isRefused(recording), `without ${name}`).toBe(true);
      for (const other of readdirSync(join(recording, folder))) {
        cpSync(join(recording, folder, other), file);
        expect(isRefused(recording), `${other} as ${name}`).toBe(true);
      }
      writeFileSync(file, bytes);
    }
  expect(isRefused(recording)).toBe(false);
});
