// The names in a directory of recordings and in a recording, in both directions. Whoever lists a directory takes only names that these
// functions make; everything else in it belongs to somebody else or is temporary.
// `data/` will stand beside the others.

import { join } from 'node:path';
import type { SegmentName } from './trace/trace-format.ts';

export const MANIFEST = 'manifest.json';
export const SOURCES = 'sources';
export const SNAPSHOTS = 'snapshots';
export const TRACES = 'traces';

/** ISO 8601 in its basic form, which file systems everywhere take: `20261121T230207.123Z-4711`. Names sort by time. */
export function recordingName(time: Date, pid: number): string {
  return `${time.toISOString().replaceAll(/[-:]/g, '')}-${pid}`;
}

export function parseRecordingName(name: string): { time: number; pid: number } | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)-(\d{1,10})$/.exec(name);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, pid] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return Number.isNaN(time) ? undefined : { time, pid: Number(pid) };
}

/** A recording that is being deleted. */
export function removedName(name: string): string {
  return `.${name}.removed`;
}

export function isRemoved(name: string): boolean {
  return name.endsWith('.removed') && parseRecordingName(name.slice(1, -'.removed'.length)) !== undefined;
}

export function snapshotName(phase: number): string {
  return `${String(phase).padStart(10, '0')}.tts`;
}

export function parseSnapshotName(name: string): number | undefined {
  const match = /^(\d{10,16})\.tts$/.exec(name);
  if (match === null) return undefined;
  const phase = Number(match[1]);
  return Number.isSafeInteger(phase) && snapshotName(phase) === name ? phase : undefined;
}

export function snapshotPath(recording: string, phase: number): string {
  return join(recording, SNAPSHOTS, snapshotName(phase));
}

/** A segment of the trace of one life of a worker: `0000000007-1.2.ttt`. */
export function traceName({ phase, worker, life }: SegmentName): string {
  return `${String(phase).padStart(10, '0')}-${worker}.${life}.ttt`;
}

export function parseTraceName(name: string): SegmentName | undefined {
  const match = /^(\d{10,16})-(\d{1,10})\.(\d{1,10})\.ttt$/.exec(name);
  if (match === null) return undefined;
  const [phase = -1, worker = -1, life = -1] = match.slice(1).map(Number);
  const segment = { phase, worker, life };
  return Number.isSafeInteger(phase) && traceName(segment) === name ? segment : undefined;
}

export function tracePath(recording: string, segment: SegmentName): string {
  return join(recording, TRACES, traceName(segment));
}

export function sourceName(sha256: string): string {
  return `${sha256}.zst`;
}

export function parseSourceName(name: string): string | undefined {
  return /^([0-9a-f]{64})\.zst$/.exec(name)?.[1];
}
