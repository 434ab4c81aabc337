// What a packed recording says of itself, without unpacking it: its manifest is the first of its files, the names of the others say what there is.

import { openFileSource } from '../file-source.ts';
import {
  MANIFEST_FILE,
  parseSnapshotFileName,
  parseTraceFileName,
  SNAPSHOTS_DIRECTORY,
  TRACES_DIRECTORY,
} from '../file-names.ts';
import { decodeManifest, type Manifest } from '../manifest.ts';
import { damagedPackError } from './packed-format.ts';
import { PackedReader } from './packed-reader.ts';

export interface PackedDescription {
  readonly manifest: Manifest;
  /** Of its snapshots, ascending. */
  readonly snapshots: readonly number[];
  /** With which its traces have segments. */
  readonly traces: readonly number[];
}

/** @throws {RecordingError} if the file does not begin as one; what comes behind its manifest is not looked at */
export function describePacked(file: string): PackedDescription {
  const reader = new PackedReader(openFileSource(file));
  const parts: Uint8Array[] = [];
  for (const { file: packedFile, bytes, isLast } of reader.pieces()) {
    if (packedFile.name !== MANIFEST_FILE) break;
    parts.push(bytes);
    if (isLast) break;
  }
  if (parts.length === 0) throw damagedPackError(file, 0, `the file ${MANIFEST_FILE}`);
  const phasesOf = (directory: string, parsePhase: (name: string) => number | undefined): number[] => {
    const names = reader.files.flatMap(({ name }) =>
      name.startsWith(`${directory}/`) ? name.slice(directory.length + 1) : [],
    );
    return [...new Set(names.flatMap((name) => parsePhase(name) ?? []))].toSorted((a, b) => a - b);
  };
  return {
    manifest: decodeManifest(Buffer.concat(parts), file),
    snapshots: phasesOf(SNAPSHOTS_DIRECTORY, parseSnapshotFileName),
    traces: phasesOf(TRACES_DIRECTORY, (name) => parseTraceFileName(name)?.phase),
  };
}
