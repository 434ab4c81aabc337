// Written snapshots are read back; any other bytes give valid data or a RecordingError.
import { buffer } from 'node:stream/consumers';
import { constants, crc32, createZstdCompress, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkForLeaks } from '../../../scripts/test-run/leak-check.ts';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_BYTES,
  MAX_BLOCK_BYTES,
  encodeBlock,
  encodeEnd,
  encodeHeader,
} from '../src/snapshot-format.ts';
import { encodeIndex, type SnapshotIndex } from '../src/snapshot-index.ts';
import { RecordingError } from './recording.ts';
import {
  readAll,
  encodeSnapshot,
  expectedParts,
  layoutOf,
  openSnapshotBytes,
  PHASE,
  readParts,
  repairChecksums,
  TIME,
} from './snapshots.ts';

const PATTERN = Uint8Array.from({ length: 2 * BLOCK_BYTES + 1000 }, (_, i) => i % 251);

const additions = fc.array(
  fc.record({
    worker: fc.oneof(fc.nat(3), fc.nat(0xffff_ffff)),
    name: fc.oneof(fc.constantFrom('heap', 'queue', ''), fc.string({ unit: 'binary' })),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      // Sizes around the block size, and compressible content.
      fc
        .record({ length: fc.integer({ min: BLOCK_BYTES - 2, max: 2 * BLOCK_BYTES + 2 }), seed: fc.nat(255) })
        .map(({ length, seed }) => PATTERN.slice(seed, seed + length)),
    ),
  }),
  { maxLength: 8 },
);

const SMALL = [
  {
    worker: 0,
    name: 'heap',
    bytes: Buffer.from('a state of worker 0, a state of worker 0, a state of worker 0, a state'),
  },
  { worker: 1, name: 'heap', bytes: Buffer.from('another one') },
  { worker: 1, name: 'queue', bytes: new Uint8Array() },
  { worker: 0, name: 'heap', bytes: Buffer.from(' and its rest') },
];
const META = { trigger: 'api', workers: 2 };

test('parts added in any order and in any chunks are read back unchanged', () => {
  fc.assert(
    fc.property(additions, fc.jsonValue(), fc.nat(Number.MAX_SAFE_INTEGER), (added, value, phase) => {
      const snapshot = openSnapshotBytes(encodeSnapshot(added, { value }, phase));
      expect(snapshot.phase).toBe(phase);
      expect(snapshot.time).toBe(TIME);
      expect(snapshot.meta).toEqual(JSON.parse(JSON.stringify({ value })));
      expect(readParts(snapshot)).toEqual(expectedParts(added));
      expect(snapshot.workers).toEqual([...new Set(added.map(({ worker }) => worker))].toSorted((a, b) => a - b));
      snapshot.verify();
    }),
    { numRuns: 40, seed: 5 },
  );
});

test('a part with more chunks than fit into memory is read back in order', () => {
  const chunk = (i: number): Uint8Array => new Uint8Array(100_000).fill(i);
  const added = Array.from({ length: 200 }, (_, i) => ({ worker: i % 100, name: 'heap', bytes: chunk(i) }));
  expect(readParts(openSnapshotBytes(encodeSnapshot(added)))).toEqual(expectedParts(added));
});

test('a part can be read block by block and tells its length first', () => {
  const bytes = Uint8Array.from({ length: 3 * BLOCK_BYTES + 5 }, (_, i) => i);
  const part = openSnapshotBytes(encodeSnapshot([{ worker: 3, name: 'heap', bytes }])).part(3, 'heap');
  expect(part.length).toBe(bytes.length);
  const blocks = [...part.blocks()];
  expect(blocks.map(({ length }) => length)).toEqual([BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, 5]);
  expect(Buffer.concat(blocks).equals(bytes)).toBe(true);
});

test('reading a missing part lists the existing ones', () => {
  const snapshot = openSnapshotBytes(encodeSnapshot(SMALL));
  expect(() => snapshot.part(1, 'timers')).toThrow(
    'test.tts: worker 1 has no part "timers"; its parts are heap, queue',
  );
  expect(() => snapshot.part(9, 'heap')).toThrow('it has no parts');
});

test('a file cut off at any byte is refused', () => {
  const bytes = encodeSnapshot(SMALL, META);
  for (let length = 0; length < bytes.length; length++)
    expect(readAll(bytes.slice(0, length)), `${length} bytes`).toMatch(/^TT_RECORDING(_VERSION)?$/);
});

test('a file with extra bytes at its end is refused', () => {
  expect(readAll(Buffer.concat([encodeSnapshot(SMALL, META), new Uint8Array(1)]))).toBe('TT_RECORDING');
});

test('reading and verifying detect every flipped bit', () => {
  const bytes = encodeSnapshot(SMALL, META);
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << bit;
      expect(readAll(flipped), `bit ${bit} of byte ${at}`).toMatch(/^TT_RECORDING(_VERSION)?$/);
      expect(() => openSnapshotBytes(flipped).verify()).toThrow(RecordingError);
    }
  }
});

test('a flipped bit with repaired checksums gives an error or valid data', () => {
  const bytes = encodeSnapshot(SMALL, META);
  const layout = layoutOf(bytes);
  const outcomes = new Set<unknown>();
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << bit;
      const found = readAll(repairChecksums(flipped, layout), 1 << 20);
      outcomes.add(typeof found === 'string' ? found : 'read');
    }
  }
  // Some of them must be readable: the others then do not fail too early.
  expect([...outcomes].toSorted()).toEqual(['TT_RECORDING', 'TT_RECORDING_VERSION', 'read']);
});

test('several overwritten bytes with repaired checksums give an error or valid data', () => {
  const bytes = encodeSnapshot(SMALL, META);
  const layout = layoutOf(bytes);
  const edit = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const changed = bytes.slice();
      for (const [at, value] of edits) changed[at] = value;
      readAll(repairChecksums(changed, layout), 1 << 20);
    }),
    { numRuns: 5000, seed: 17 },
  );
});

test('random bytes as the index give an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
      const header = encodeHeader(PHASE);
      const { head, payload } = encodeBlock({ kind: 2, worker: 0, name: 0 }, content, 1);
      const length = header.length + head.length + payload.length + 24;
      const end = encodeEnd(header.length, length);
      expect(readAll(Buffer.concat([header, head, payload, end]))).toBe('TT_RECORDING');
    }),
    { numRuns: 2000, seed: 19 },
  );
});

test('replaced content with a repaired block checksum is refused', () => {
  const bytes = encodeSnapshot([{ worker: 0, name: 'heap', bytes: Buffer.from('0123456789') }]);
  const layout = layoutOf(bytes);
  Buffer.from(bytes.buffer).write('9', 48);
  expect(readAll(repairChecksums(bytes, layout))).toBe('TT_RECORDING');
  expect(() => openSnapshotBytes(bytes).part(0, 'heap').read()).toThrow(
    'expected the checksum of a part, over all its blocks',
  );
});

describe('foreign bytes give this exact message', () => {
  const edited = (edit: (view: Buffer) => void): Uint8Array => {
    const bytes = encodeSnapshot(SMALL, META);
    const view = Buffer.from(bytes.buffer);
    edit(view);
    view.writeUInt32LE(crc32(view.subarray(0, 20)), 20);
    return bytes;
  };
  test.each([
    [
      'nothing',
      new Uint8Array(),
      'test.tts is damaged at byte 0: expected 24 more bytes: the file is cut off; restore an older snapshot, this one cannot be read',
    ],
    [
      'a text',
      Buffer.from('{"a": "text that is longer than a header"}'),
      'test.tts is not a snapshot, because it does not start with TTSN',
    ],
    [
      'another version',
      edited((view) => view.writeUInt16LE(9, 4)),
      'test.tts has snapshot format 9, this Turntable reads format 2; restore it with the version that wrote it',
    ],
    [
      'unknown features',
      edited((view) => view.writeUInt16LE(1, 6)),
      'test.tts uses features that this version does not know; restore it with the version that wrote it',
    ],
    [
      'half of it',
      encodeSnapshot(SMALL, META).slice(0, 150),
      'test.tts is damaged at byte 146: expected the end mark: the file is cut off; restore an older snapshot, this one cannot be read',
    ],
  ])('%s', (_, bytes, message) => {
    expect(() => openSnapshotBytes(bytes)).toThrow(message);
  });
});

describe('blocks with false declarations', () => {
  const ZSTD = 1;

  /** A file with one part of one block, made to exhaust a reader's memory. */
  function crafted(payload: Uint8Array, length: number, blocks = 1, gap = 0, checksum = 0): Uint8Array {
    const chunks: Uint8Array[] = [encodeHeader(PHASE)];
    const places: { offset: number; stored: number; length: number }[] = [];
    let offset = 24;
    for (let i = 0; i < blocks; i++) {
      const head = Buffer.alloc(BLOCK_HEAD_BYTES);
      head.writeUInt8(1, 0);
      head.writeUInt8(ZSTD, 1);
      head.writeUInt32LE(payload.length, 12);
      head.writeUInt32LE(length, 16);
      head.writeUInt32LE(crc32(payload, crc32(head.subarray(0, 20))), 20);
      chunks.push(head, payload, new Uint8Array(gap));
      places.push({ offset, stored: payload.length, length });
      offset += BLOCK_HEAD_BYTES + payload.length + gap;
    }
    const index: SnapshotIndex = {
      time: 0,
      meta: '{}',
      names: ['heap'],
      parts: [{ worker: 0, name: 0, checksum, blocks: places }],
    };
    const { head, payload: stored } = encodeBlock({ kind: 2, worker: 0, name: 0 }, encodeIndex(index), 1);
    return Buffer.concat([...chunks, head, stored, encodeEnd(offset, offset + BLOCK_HEAD_BYTES + stored.length + 24)]);
  }

  const zeros = (length: number): Uint8Array => zstdCompressSync(Buffer.alloc(length));

  test('a frame with more content than declared is refused without using more memory', () => {
    const bytes = crafted(zeros(256 << 20), 64 << 10);
    const before = process.memoryUsage().rss;
    expect(readAll(bytes)).toBe('TT_RECORDING');
    checkForLeaks(() => expect(process.memoryUsage().rss - before).toBeLessThan(32 << 20));
  });

  test('a frame with less content than declared is refused', () => {
    expect(readAll(crafted(zeros(1000), 1001))).toBe('TT_RECORDING');
  });

  test('a block that declares more than the maximum is refused', () => {
    expect(readAll(crafted(zeros(1000), MAX_BLOCK_BYTES + 1))).toBe('TT_RECORDING');
  });

  test('a frame that needs more memory than a block is refused', async () => {
    const framed = async (windowLog: number): Promise<Uint8Array> => {
      const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
      stream.write(Buffer.alloc(1000));
      // Without the end of the frame: one of known length requests no more than that.
      await new Promise<void>((flushed) => stream.flush(flushed));
      stream.end(Buffer.alloc(1000));
      return crafted(await buffer(stream), 2000, 1, 0, crc32(Buffer.alloc(2000)));
    };
    expect(readAll(await framed(24))).toMatchObject({ phase: PHASE });
    expect(readAll(await framed(25))).toBe('TT_RECORDING');
  });

  test('bytes outside of all blocks are refused', () => {
    const content = zeros(1000);
    const checksum = crc32(Buffer.alloc(1000));
    expect(readAll(crafted(content, 1000, 1, 0, checksum))).toMatchObject({ phase: PHASE });
    expect(readAll(crafted(content, 1000, 1, 8, checksum))).toBe('TT_RECORDING');
  });

  test('a part larger than the caller allows is refused before it is read', () => {
    const snapshot = openSnapshotBytes(crafted(zeros(MAX_BLOCK_BYTES), MAX_BLOCK_BYTES, 100));
    const part = snapshot.part(0, 'heap');
    expect(part.length).toBe(100 * MAX_BLOCK_BYTES);
    expect(() => part.read()).toThrow(
      'test.tts: the part "heap" of worker 0 has 1677721600 bytes, more than the 1073741824 allowed; raise the limit if you trust its source',
    );
    expect(() => part.read(1000)).toThrow('more than the 1000 allowed');
  });
});
