// Names in a directory of recordings and in a recording: creation and parsing. Code that lists a directory ignores
// other names, which are temporary or foreign.

import { join } from 'node:path';
import type { SegmentId } from './trace/trace-format.ts';

export const MANIFEST_FILE = 'manifest.json';
/** Modules that are not in the manifest yet, one JSON object a line. */
export const MODULE_LOG_FILE = 'modules.jsonl';
export const SOURCES_DIRECTORY = 'sources';
export const SNAPSHOTS_DIRECTORY = 'snapshots';
export const TRACES_DIRECTORY = 'traces';

/** Returns a name that sorts by time, in basic ISO 8601 for all file systems: `20261121T230207.123Z-4711`. */
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

/** Name of a recording that is being created. */
export function unfinishedName(name: string): string {
  return `.${name}.new`;
}

export function isUnfinishedName(name: string): boolean {
  return name.endsWith('.new') && parseRecordingName(name.slice(1, -'.new'.length)) !== undefined;
}

/** Name of a recording that is being deleted. */
export function removedName(name: string): string {
  return `.${name}.removed`;
}

export function isRemovedName(name: string): boolean {
  return name.endsWith('.removed') && parseRecordingName(name.slice(1, -'.removed'.length)) !== undefined;
}

export function snapshotFileName(phase: number): string {
  return `${String(phase).padStart(10, '0')}.tts`;
}

export function parseSnapshotFileName(name: string): number | undefined {
  const match = /^(\d{10,16})\.tts$/.exec(name);
  if (match === null) return undefined;
  const phase = Number(match[1]);
  return Number.isSafeInteger(phase) && snapshotFileName(phase) === name ? phase : undefined;
}

export function snapshotPath(recording: string, phase: number): string {
  return join(recording, SNAPSHOTS_DIRECTORY, snapshotFileName(phase));
}

/** Name of the trace segment of a worker in one epoch: `0000000007-1.2.ttt`. */
export function traceFileName({ phase, worker, epoch }: SegmentId): string {
  return `${String(phase).padStart(10, '0')}-${worker}.${epoch}.ttt`;
}

export function parseTraceFileName(name: string): SegmentId | undefined {
  const match = /^(\d{10,16})-(\d{1,10})\.(\d{1,10})\.ttt$/.exec(name);
  if (match === null) return undefined;
  const [phase = -1, worker = -1, epoch = -1] = match.slice(1).map(Number);
  const segment = { phase, worker, epoch };
  return Number.isSafeInteger(phase) && traceFileName(segment) === name ? segment : undefined;
}

export function tracePath(recording: string, segment: SegmentId): string {
  return join(recording, TRACES_DIRECTORY, traceFileName(segment));
}

export function sourceFileName(sha256: string): string {
  return `${sha256}.zst`;
}

export function parseSourceFileName(name: string): string | undefined {
  return /^([0-9a-f]{64})\.zst$/.exec(name)?.[1];
}
