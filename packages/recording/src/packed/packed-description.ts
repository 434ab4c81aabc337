// Describes a packed recording without unpacking it, from its first file, the manifest, and the names of the others.

import { openFileSource } from '../file-source.ts';
import { parseSnapshotFileName, parseTraceFileName, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY } from '../file-names.ts';
import { decodeManifest, type Manifest } from '../manifest.ts';
import { readPackedManifest } from './packed-manifest.ts';
import { PackedReader } from './packed-reader.ts';

export interface PackedDescription {
  readonly manifest: Manifest;
  /** Phases of the snapshots, ascending. */
  readonly snapshots: readonly number[];
  /** Phases with trace segments, ascending. */
  readonly traces: readonly number[];
}

/** @throws {RecordingError} if the start of the file is invalid; nothing after the manifest is checked */
export function describePacked(file: string): PackedDescription {
  const reader = new PackedReader(openFileSource(file));
  let manifest: Uint8Array;
  try {
    manifest = readPackedManifest(reader.pieces(), file);
  } finally {
    reader.close();
  }
  const phasesOf = (directory: string, parsePhase: (name: string) => number | undefined): number[] => {
    const names = reader.files.flatMap(({ name }) =>
      name.startsWith(`${directory}/`) ? name.slice(directory.length + 1) : [],
    );
    return [...new Set(names.flatMap((name) => parsePhase(name) ?? []))].toSorted((a, b) => a - b);
  };
  return {
    manifest: decodeManifest(manifest, file),
    snapshots: phasesOf(SNAPSHOTS_DIRECTORY, parseSnapshotFileName),
    traces: phasesOf(TRACES_DIRECTORY, (name) => parseTraceFileName(name)?.phase),
  };
}
