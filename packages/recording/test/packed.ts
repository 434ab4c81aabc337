// A small handmade recording with one file of each type, and its packed form.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, TraceEvent } from '@turntable/recording';
import { encodeManifest } from '../src/manifest.ts';
import {
  encodeDirectory,
  encodePackedBlock,
  encodePackedHeader,
  type PackedFile,
} from '../src/packed/packed-format.ts';
import { sha256Of, encodeSource } from '../src/module-sources.ts';
import { manifestOf } from './recording.ts';
import { encodeSnapshot as encodedSnapshot } from './snapshots.ts';
import { encodeTrace, segmentOf } from './traces.ts';

export const SOURCE = 'export const greeting = "hello";\n';
export const CREATED = '2026-11-22T02:45:18.003Z';
export const NAME = '20261122T024518.003Z-20811';

/** The same in every run. */
export const MANIFEST: Manifest = {
  ...manifestOf({ entry: 'file:///shop.ts', workers: 1 }),
  id: '5e'.repeat(16),
  created: CREATED,
  ended: null,
  pid: 20811,
  host: 'there',
  versions: { turntable: '0.1.0', node: '24.11.0', v8: '13.6', icu: null, tz: null },
  timeZone: 'UTC',
  locale: 'en',
  platform: 'linux-x64',
  argv: ['node', '/shop.ts'],
  execArgv: [],
  env: {},
  cwd: '/',
  modules: [{ url: 'file:///shop.ts', sha256: sha256Of(SOURCE) }],
};

export interface Segment {
  readonly worker: number;
  readonly epoch?: number;
  readonly phase?: number;
  readonly events: readonly TraceEvent[];
  readonly next?: number | 'ended';
}

export const SEGMENTS: readonly Segment[] = [
  { worker: 0, events: [{ type: 'outcome', source: 1, value: 1_700_000_000_000 }], next: 'ended' },
  { worker: 1, events: [{ type: 'messages', round: 1, turns: 3, worker: 0, count: 2 }], next: 7 },
  { worker: 1, phase: 7, events: [{ type: 'scheduler', round: 1, turns: 2, kind: 'end', key: '', value: undefined }] },
];

/** Creates it in `directory`, under its own name. */
export function makeRecording(
  directory: string,
  { manifest = MANIFEST, segments = SEGMENTS }: { manifest?: Manifest; segments?: readonly Segment[] } = {},
): string {
  const recording = join(directory, NAME);
  for (const contentOffset of ['sources', 'snapshots', 'traces'])
    mkdirSync(join(recording, contentOffset), { recursive: true });
  writeFileSync(join(recording, 'manifest.json'), encodeManifest(manifest));
  writeFileSync(join(recording, 'sources', `${sha256Of(SOURCE)}.zst`), encodeSource(SOURCE));
  const parts = [{ worker: 0, name: 'state', bytes: Buffer.from('a state') }];
  writeFileSync(join(recording, 'snapshots/0000000007.tts'), encodedSnapshot(parts));
  for (const { worker, epoch = 0, phase = 0, events, next } of segments)
    writeFileSync(
      join(recording, `traces/${String(phase).padStart(10, '0')}-${worker}.${epoch}.ttt`),
      segmentOf([encodeTrace(events).bytes], next, { phase, worker, epoch, earlierLosses: 0 }),
    );
  return recording;
}

/** All files in a directory by name. */
export function contents(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(directory, name)).isFile())
      .map((name) => [name, readFileSync(join(directory, name)).toString('hex')]),
  );
}

/** A packed file as our writer makes it, with any file names. */
export function createPack(
  files: readonly (PackedFile & { readonly bytes?: Uint8Array })[],
  directory = encodeDirectory(files),
): Buffer {
  const pieces: Uint8Array[] = [encodePackedHeader()];
  let contentOffset = 0;
  for (const content of [directory, ...files.flatMap(({ bytes }) => bytes ?? [])]) {
    pieces.push(...encodePackedBlock(content, contentOffset, 1));
    contentOffset += content.length;
  }
  const all = Buffer.concat(pieces);
  return Buffer.concat([all, createHash('sha256').update(all).digest()]);
}
