// docs/internals/formats.md is the contract: its examples are what the writers write, and its numbers those of the code.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TRACE_SOURCES, type TraceEvent } from '@turntable/recording';
import { memorySource } from './memory-source.ts';
import { MANIFEST_VERSION } from '../src/manifest.ts';
import {
  MAX_DIRECTORY_BYTES,
  PACKED_BLOCK_BYTES,
  MAX_PACKED_BLOCK_BYTES,
  PACKED_VERSION,
} from '../src/packed/packed-format.ts';
import { PackedReader } from '../src/packed/packed-reader.ts';
import {
  BLOCK_BYTES,
  MAX_BLOCK_BYTES,
  DEFAULT_COMPRESSION_LEVEL,
  MAX_INDEX_BYTES,
  MAX_META_BYTES,
  MAX_NAME_BYTES,
  SNAPSHOT_VERSION,
} from '../src/snapshot-format.ts';
import { MAX_SEALED_CHUNK_BYTES, SEALED_VERSION } from '../src/sealed/sealing.ts';
import { DEFAULT_READ_LIMIT } from '../src/snapshot-reader.ts';
import { progressOf } from '../src/trace/trace-progress.ts';
import { TraceReader } from '../src/trace/trace-reader.ts';
import { CHUNK_BYTES } from '../src/trace/trace-chunk.ts';
import {
  MAX_VALUE_DEPTH,
  MAX_EVENT_BYTES,
  MAX_VALUE_ITEMS,
  MAX_KNOWN_TEXT_LENGTH,
  MAX_KNOWN_TEXTS,
  encodeProgress,
  TRACE_VERSION,
} from '../src/trace/trace-format.ts';
import { DEFAULT_MAX_PENDING_TRACE_BYTES } from '../src/writer.ts';
import { DRAIN_INTERVAL_MS } from '../src/writer-thread.ts';
import { createPack } from './packed.ts';
import { temporaryDirectory } from './recording.ts';
import { encodeSnapshot as encodedSnapshot, openSnapshotBytes } from './snapshots.ts';
import { encodeTrace, outputOf, segmentOf, takeAll, writeSegment } from './traces.ts';

const page = readFileSync(new URL('../../../docs/internals/formats.md', import.meta.url), 'utf8');
const MIB = 1 << 20;

function readExample(name: string): Uint8Array {
  const block = new RegExp(`\`\`\`hex-${name}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  const hex = block
    .split('\n')
    .flatMap((line) => /^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:\s{2,}|$)/.exec(line)?.[1]?.split(' ') ?? []);
  return Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16));
}

test('the snapshot example of docs/internals/formats.md is what the writer writes, and can be read', () => {
  const documented = readExample('snapshot');
  const parts = ['state', 'more'].map((text, worker) => ({ worker, name: 'heap', bytes: Buffer.from(text) }));
  expect(Buffer.from(documented).toString('hex')).toBe(
    Buffer.from(encodedSnapshot(parts, { trigger: 'api' })).toString('hex'),
  );
  const snapshot = openSnapshotBytes(documented);
  expect(snapshot.parts.map((part) => Buffer.from(part.read()).toString())).toEqual(['state', 'more']);
  expect(snapshot.meta).toEqual({ trigger: 'api' });
});

test('the trace example is what the writer writes', () => {
  const events: TraceEvent[] = [
    { type: 'messages', round: 1, turns: 3, worker: 1, count: 2 },
    { type: 'outcome', source: TRACE_SOURCES.date, value: 1_700_000_000_000 },
    { type: 'outcome', source: TRACE_SOURCES.date, value: 1_700_000_000_050 },
    { type: 'entry', round: 1, step: 5, source: TRACE_SOURCES.timer, id: 1, value: undefined },
    {
      type: 'scheduler',
      round: 3,
      turns: 9,
      kind: 'class',
      key: '4',
      value: undefined,
      output: [outputOf(1, 'hello')],
    },
    { type: 'outcome', source: TRACE_SOURCES.machine, value: ['platform', 'linux'] },
    { type: 'scheduler', round: 4, turns: 70, kind: 'class', key: '5', value: null },
  ];
  const segment = { phase: 3, worker: 2, epoch: 1, earlierLosses: 1 };
  const documented = readExample('trace');
  const written = segmentOf(
    [Buffer.concat([encodeTrace(events).bytes, encodeProgress(progressOf(4, true))])],
    7,
    segment,
  );
  expect(Buffer.from(documented).toString('hex')).toBe(Buffer.from(written).toString('hex'));
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'traces'));
  writeSegment(directory, '0000000003-2.1.ttt', documented);
  const reader = new TraceReader(directory, segment);
  expect(takeAll(reader)).toEqual(events);
  expect(reader.progress).toBe(progressOf(4, true));
  reader.close();
});

test('the packed example is what packing writes', () => {
  const documented = readExample('packed');
  const files = [
    { name: 'manifest.json', length: 2, bytes: Buffer.from('{}') },
    { name: 'traces/0000000003-2.1.ttt', length: 3, bytes: Buffer.from('abc') },
  ];
  expect(Buffer.from(documented).toString('hex')).toBe(createPack(files).toString('hex'));
  const pieces = [...new PackedReader(memorySource(documented, 'a.ttr')).pieces()];
  expect(pieces.map(({ file, bytes }) => [file.name, Buffer.from(bytes).toString()])).toEqual([
    ['manifest.json', '{}'],
    ['traces/0000000003-2.1.ttt', 'abc'],
  ]);
});

test('docs/internals/formats.md has the versions and limits of the code', () => {
  expect(page).toContain(`### Snapshots, version ${SNAPSHOT_VERSION}`);
  expect(page).toContain(`\`"turntable-recording"\`, ${MANIFEST_VERSION} |`);
  expect(page).toContain(`at most ${MAX_BLOCK_BYTES / MIB} MiB, of the index ${MAX_INDEX_BYTES / MIB} MiB`);
  expect(page).toContain(`at most ${MAX_META_BYTES / MIB} MiB |`);
  expect(page).toContain(`at most ${MAX_NAME_BYTES} bytes`);
  expect(page).toContain(`allows, ${DEFAULT_READ_LIMIT / MIB / 1024} GiB`);
  expect(page).toContain(`level ${DEFAULT_COMPRESSION_LEVEL} and blocks of ${BLOCK_BYTES >> 10} KiB`);
  expect(page).toContain(`### A trace, version ${TRACE_VERSION}`);
  expect(page).toContain(`### Sealed files, version ${SEALED_VERSION}`);
  expect(page).toContain(`at least 1, at most ${MAX_SEALED_CHUNK_BYTES / MIB} MiB. A block of a trace is a chunk`);
  expect(page).toContain(`### A packed recording, version ${PACKED_VERSION}`);
  expect(page).toContain(
    `at most ${MAX_PACKED_BLOCK_BYTES / MIB} MiB, of the directory ${MAX_DIRECTORY_BYTES / MIB} MiB; ours have ${PACKED_BLOCK_BYTES / MIB} MiB`,
  );
  expect(page).toContain(
    `at most ${MAX_EVENT_BYTES / MIB} MiB, a value at most ${MAX_VALUE_ITEMS} members of lists and objects, nested at most ${MAX_VALUE_DEPTH} deep`,
  );
  expect(page).toContain(`at most ${MAX_KNOWN_TEXTS} texts of at most ${MAX_KNOWN_TEXT_LENGTH} units`);
  expect(page).toContain(
    `in chunks of ${CHUNK_BYTES >> 10} KiB that the writer's thread empties every ${DRAIN_INTERVAL_MS} ms`,
  );
  expect(page).toContain(`more than ${DEFAULT_MAX_PENDING_TRACE_BYTES / MIB} MiB wait`);
});
