// The names in a directory of recordings and in a recording, in both directions. Whoever lists a directory takes only names that these
// functions make; everything else in it belongs to somebody else or is temporary.
// `traces/` and `data/` will stand beside `sources/` and `snapshots/`.

import { join } from 'node:path';

export const MANIFEST = 'manifest.json';
export const SOURCES = 'sources';
export const SNAPSHOTS = 'snapshots';

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

export function sourceName(sha256: string): string {
  return `${sha256}.zst`;
}

export function parseSourceName(name: string): string | undefined {
  return /^([0-9a-f]{64})\.zst$/.exec(name)?.[1];
}
