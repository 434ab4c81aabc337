// docs/formats.md is the contract: its example is what the writer writes, and its numbers are the code's.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MANIFEST_VERSION } from '../src/manifest.ts';
import {
  BLOCK_LENGTH,
  BLOCK_LIMIT,
  DEFAULT_LEVEL,
  INDEX_LIMIT,
  META_LIMIT,
  NAME_LIMIT,
  SNAPSHOT_VERSION,
} from '../src/snapshot-format.ts';
import { READ_LIMIT } from '../src/snapshot-reader.ts';
import { encoded, open } from './snapshots.ts';

const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
const MIB = 1 << 20;

test('the example of docs/formats.md is what is written, and reads back', () => {
  const block = /```hex-snapshot\n([^`]*)```/.exec(page)?.[1] ?? '';
  const hex = block
    .split('\n')
    .flatMap((line) => /^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:\s{2,}|$)/.exec(line)?.[1]?.split(' ') ?? []);
  const documented = Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16));
  const parts = ['state', 'more'].map((text, worker) => ({ worker, name: 'heap', bytes: Buffer.from(text) }));
  expect(Buffer.from(documented).toString('hex')).toBe(Buffer.from(encoded(parts, { trigger: 'api' })).toString('hex'));
  const snapshot = open(documented);
  expect(snapshot.parts.map((part) => Buffer.from(part.read()).toString())).toEqual(['state', 'more']);
  expect(snapshot.meta).toEqual({ trigger: 'api' });
});

test('docs/formats.md names the versions and the limits of the code', () => {
  expect(page).toContain(`### Snapshots, version ${SNAPSHOT_VERSION}`);
  expect(page).toContain(`\`"turntable-recording"\`, ${MANIFEST_VERSION} |`);
  expect(page).toContain(`at most ${BLOCK_LIMIT / MIB} MiB, of the index ${INDEX_LIMIT / MIB} MiB`);
  expect(page).toContain(`at most ${META_LIMIT / MIB} MiB |`);
  expect(page).toContain(`at most ${NAME_LIMIT} bytes`);
  expect(page).toContain(`allows, ${READ_LIMIT / MIB / 1024} GiB`);
  expect(page).toContain(`level ${DEFAULT_LEVEL} and blocks of ${BLOCK_LENGTH >> 10} KiB`);
});
