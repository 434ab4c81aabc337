// docs/formats.md is the contract: its example is what the writer writes, and its numbers are the code's.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOURCES, type TraceEvent } from '@turntable/recording';
import { memorySource } from './memory-source.ts';
import { MANIFEST_VERSION } from '../src/manifest.ts';
import { DIRECTORY_LIMIT, PACKED_BLOCK, PACKED_BLOCK_LIMIT, PACKED_VERSION } from '../src/packed/packed-format.ts';
import { PackedReader } from '../src/packed/packed-reader.ts';
import {
  BLOCK_LENGTH,
  BLOCK_LIMIT,
  DEFAULT_LEVEL,
  INDEX_LIMIT,
  META_LIMIT,
  NAME_LIMIT,
  SNAPSHOT_VERSION,
} from '../src/snapshot-format.ts';
import { SEALED_LIMIT, SEALED_VERSION } from '../src/sealed/seal.ts';
import { READ_LIMIT } from '../src/snapshot-reader.ts';
import { TraceReader } from '../src/trace/reader.ts';
import { CHUNK_LENGTH } from '../src/trace/chunk.ts';
import {
  DEPTH_LIMIT,
  EVENT_LIMIT,
  ITEM_LIMIT,
  TEXT_LENGTH_LIMIT,
  TEXTS_LIMIT,
  TRACE_VERSION,
} from '../src/trace/trace-format.ts';
import { TRACE_LIMIT } from '../src/writer.ts';
import { DRAIN_EVERY } from '../src/writer-thread.ts';
import { packOf } from './packed.ts';
import { temporaryDirectory } from './recording.ts';
import { encoded as encodedSnapshot, open } from './snapshots.ts';
import { encoded, segmentOf, taken, writeSegment } from './traces.ts';

const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
const MIB = 1 << 20;

function example(name: string): Uint8Array {
  const block = new RegExp(`\`\`\`hex-${name}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  const hex = block
    .split('\n')
    .flatMap((line) => /^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:\s{2,}|$)/.exec(line)?.[1]?.split(' ') ?? []);
  return Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16));
}

test('the example of docs/formats.md is what is written, and reads back', () => {
  const documented = example('snapshot');
  const parts = ['state', 'more'].map((text, worker) => ({ worker, name: 'heap', bytes: Buffer.from(text) }));
  expect(Buffer.from(documented).toString('hex')).toBe(
    Buffer.from(encodedSnapshot(parts, { trigger: 'api' })).toString('hex'),
  );
  const snapshot = open(documented);
  expect(snapshot.parts.map((part) => Buffer.from(part.read()).toString())).toEqual(['state', 'more']);
  expect(snapshot.meta).toEqual({ trigger: 'api' });
});

test('so is that of a trace', () => {
  const events: TraceEvent[] = [
    { what: 'messages', round: 1, turns: 3, worker: 1, count: 2 },
    { what: 'outcome', source: SOURCES.date, value: 1_700_000_000_000 },
    { what: 'outcome', source: SOURCES.date, value: 1_700_000_000_050 },
    { what: 'entry', round: 1, step: 5, source: SOURCES.timer, id: 1, value: undefined },
    { what: 'happened', round: 3, turns: 9, kind: 'class', key: '4', value: undefined },
    { what: 'outcome', source: SOURCES.machine, value: ['platform', 'linux'] },
    { what: 'happened', round: 4, turns: 70, kind: 'class', key: '5', value: null },
  ];
  const segment = { phase: 3, worker: 2, life: 1 };
  const documented = example('trace');
  const written = segmentOf([encoded(events).bytes], 7, segment);
  expect(Buffer.from(documented).toString('hex')).toBe(Buffer.from(written).toString('hex'));
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'traces'));
  writeSegment(directory, '0000000003-2.1.ttt', documented);
  const reader = new TraceReader(directory, segment);
  expect(taken(reader)).toEqual(events);
  reader.close();
});

test('so is that of a packed recording', () => {
  const documented = example('packed');
  const files = [
    { name: 'manifest.json', length: 2, bytes: Buffer.from('{}') },
    { name: 'traces/0000000003-2.1.ttt', length: 3, bytes: Buffer.from('abc') },
  ];
  expect(Buffer.from(documented).toString('hex')).toBe(packOf(files).toString('hex'));
  const pieces = [...new PackedReader(memorySource(documented, 'a.ttr')).pieces()];
  expect(pieces.map(({ file, bytes }) => [file.name, Buffer.from(bytes).toString()])).toEqual([
    ['manifest.json', '{}'],
    ['traces/0000000003-2.1.ttt', 'abc'],
  ]);
});

test('docs/formats.md names the versions and the limits of the code', () => {
  expect(page).toContain(`### Snapshots, version ${SNAPSHOT_VERSION}`);
  expect(page).toContain(`\`"turntable-recording"\`, ${MANIFEST_VERSION} |`);
  expect(page).toContain(`at most ${BLOCK_LIMIT / MIB} MiB, of the index ${INDEX_LIMIT / MIB} MiB`);
  expect(page).toContain(`at most ${META_LIMIT / MIB} MiB |`);
  expect(page).toContain(`at most ${NAME_LIMIT} bytes`);
  expect(page).toContain(`allows, ${READ_LIMIT / MIB / 1024} GiB`);
  expect(page).toContain(`level ${DEFAULT_LEVEL} and blocks of ${BLOCK_LENGTH >> 10} KiB`);
  expect(page).toContain(`### A trace, version ${TRACE_VERSION}`);
  expect(page).toContain(`### Sealed files, version ${SEALED_VERSION}`);
  expect(page).toContain(`at least 1, at most ${SEALED_LIMIT / MIB} MiB. A block of a trace is a chunk`);
  expect(page).toContain(`### A packed recording, version ${PACKED_VERSION}`);
  expect(page).toContain(
    `at most ${PACKED_BLOCK_LIMIT / MIB} MiB, of the directory ${DIRECTORY_LIMIT / MIB} MiB; ours have ${PACKED_BLOCK / MIB} MiB`,
  );
  expect(page).toContain(
    `at most ${EVENT_LIMIT / MIB} MiB, a value at most ${ITEM_LIMIT} members of lists and objects, nested at most ${DEPTH_LIMIT} deep`,
  );
  expect(page).toContain(`at most ${TEXTS_LIMIT} texts of at most ${TEXT_LENGTH_LIMIT} units`);
  expect(page).toContain(
    `in chunks of ${CHUNK_LENGTH >> 10} KiB that the writer's thread empties every ${DRAIN_EVERY} ms`,
  );
  expect(page).toContain(`more than ${TRACE_LIMIT / MIB} MiB wait`);
});
