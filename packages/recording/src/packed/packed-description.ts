// Describes a packed recording without unpacking it, from its first file, the manifest, and the names of the others.

import { verifyTag } from '../checked-json.ts';
import { openFileSource } from '../file-source.ts';
import { parseSnapshotFileName, parseTraceFileName, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY } from '../file-names.ts';
import { decodeManifest, type Manifest } from '../manifest.ts';
import { sealForReading } from '../sealed/recording-seal.ts';
import { readPackedManifest } from './packed-manifest.ts';
import { PackedReader } from './packed-reader.ts';

export interface PackedDescription {
  readonly manifest: Manifest;
  /** Whether the recording is sealed and there is no key, so that anyone may have changed its manifest. */
  readonly isUnverified: boolean;
  /** Phases of the snapshots, ascending. */
  readonly snapshots: readonly number[];
  /** Phases with trace segments, ascending. */
  readonly traces: readonly number[];
}

/**
 * @throws {RecordingError} if the start of the file is invalid, or its manifest is not as it was sealed; nothing after the
 * manifest is checked
 */
export function describePacked(file: string): PackedDescription {
  const reader = new PackedReader(openFileSource(file));
  let bytes: Uint8Array;
  try {
    bytes = readPackedManifest(reader.pieces(), file);
  } finally {
    reader.close();
  }
  const phasesOf = (directory: string, parsePhase: (name: string) => number | undefined): number[] => {
    const names = reader.files.flatMap(({ name }) =>
      name.startsWith(`${directory}/`) ? name.slice(directory.length + 1) : [],
    );
    return [...new Set(names.flatMap((name) => parsePhase(name) ?? []))].toSorted((a, b) => a - b);
  };
  const manifest = decodeManifest(bytes, file);
  const seal = sealForReading(manifest);
  if (seal?.hasKey === true) verifyTag(manifest, 'manifest', seal, file);
  return {
    manifest,
    isUnverified: seal?.hasKey === false,
    snapshots: phasesOf(SNAPSHOTS_DIRECTORY, parseSnapshotFileName),
    traces: phasesOf(TRACES_DIRECTORY, (name) => parseTraceFileName(name)?.phase),
  };
}
