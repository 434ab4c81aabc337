// Snapshots in memory for tests: writing, complete reading, and repair of checksums after a change.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { RecordingError } from '@turntable/recording';
import { SnapshotReader } from '../src/snapshot-reader.ts';
import { memorySource } from './memory-source.ts';
import { SnapshotEncoder } from '../src/snapshot-encoder.ts';

export interface Addition {
  readonly worker: number;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const PHASE = 7;
export const TIME = 1_700_000_000_000;

export function encodeSnapshot(
  additions: readonly Addition[],
  meta: object = {},
  phase = PHASE,
  level?: number,
): Uint8Array {
  const chunks: Uint8Array[] = [];
  const encoder = new SnapshotEncoder(phase, (bytes) => chunks.push(Uint8Array.from(bytes)), level);
  for (const { worker, name, bytes } of additions) encoder.add(worker, name, bytes);
  const length = encoder.finish(TIME, JSON.stringify(meta));
  const whole = new Uint8Array(Buffer.concat(chunks));
  if (whole.length !== length) throw new Error(`wrote ${whole.length} bytes and answered ${length}`);
  return whole;
}

/** Length and digest of each part, by worker and name. */
export function expectedParts(additions: readonly Addition[]): Record<string, string> {
  const parts: Record<string, Uint8Array> = {};
  for (const { worker, name, bytes } of additions) {
    const key = `${worker} ${name.toWellFormed()}`;
    parts[key] = Buffer.concat([parts[key] ?? new Uint8Array(), bytes]);
  }
  return Object.fromEntries(Object.entries(parts).map(([key, bytes]) => [key, digest(bytes)]));
}

function digest(bytes: Uint8Array): string {
  return `${bytes.length} ${hash('sha1', bytes)}`;
}

export function openSnapshotBytes(bytes: Uint8Array): SnapshotReader {
  return new SnapshotReader(memorySource(bytes, 'test.tts'));
}

export function readParts(snapshot: SnapshotReader, limit?: number): Record<string, string> {
  return Object.fromEntries(snapshot.parts.map((part) => [`${part.worker} ${part.name}`, digest(part.read(limit))]));
}

/** Everything readable, or the code of the error. Any other error fails the test. */
export function readAll(bytes: Uint8Array, limit?: number): unknown {
  try {
    const snapshot = openSnapshotBytes(bytes);
    return { phase: snapshot.phase, time: snapshot.time, meta: snapshot.meta, parts: readParts(snapshot, limit) };
  } catch (error) {
    if (error instanceof RecordingError) return error.code;
    throw error;
  }
}

export interface BlockLayout {
  /** Offsets of all blocks, with the index last. */
  readonly blocks: readonly number[];
}

export function layoutOf(bytes: Uint8Array): BlockLayout {
  const view = Buffer.from(bytes);
  const blocks: number[] = [];
  for (let offset = 24; offset < bytes.length - 24; offset += 24 + view.readUInt32LE(offset + 12)) blocks.push(offset);
  return { blocks };
}

/** Repairs checksums, as an attacker would. */
export function repairChecksums(bytes: Uint8Array, { blocks }: BlockLayout): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.writeUInt32LE(crc32(view.subarray(0, 20)), 20);
  blocks.forEach((offset, index) => {
    const end = blocks[index + 1] ?? bytes.length - 24;
    view.writeUInt32LE(crc32(view.subarray(offset + 24, end), crc32(view.subarray(offset, offset + 20))), offset + 20);
  });
  const end = bytes.length - 24;
  view.writeUInt32LE(crc32(view.subarray(end, end + 16)), end + 16);
  return bytes;
}
