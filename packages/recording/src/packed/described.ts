// What a packed recording says of itself, without unpacking it: its manifest is the first of its files, the names of the others say what there is.

import { fileSource } from '../file-source.ts';
import { MANIFEST, parseSnapshotName, parseTraceName, SNAPSHOTS, TRACES } from '../layout.ts';
import { decodeManifest, type Manifest } from '../manifest.ts';
import { damagedPack } from './packed-format.ts';
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
  const reader = new PackedReader(fileSource(file));
  const parts: Uint8Array[] = [];
  for (const { file: each, bytes, isLast } of reader.pieces()) {
    if (each.name !== MANIFEST) break;
    parts.push(bytes);
    if (isLast) break;
  }
  if (parts.length === 0) throw damagedPack(file, 0, `the file ${MANIFEST}`);
  const phasesOf = (place: string, phaseIn: (name: string) => number | undefined): number[] => {
    const names = reader.files.flatMap(({ name }) =>
      name.startsWith(`${place}/`) ? name.slice(place.length + 1) : [],
    );
    return [...new Set(names.flatMap((name) => phaseIn(name) ?? []))].toSorted((a, b) => a - b);
  };
  return {
    manifest: decodeManifest(Buffer.concat(parts), file),
    snapshots: phasesOf(SNAPSHOTS, parseSnapshotName),
    traces: phasesOf(TRACES, (name) => parseTraceName(name)?.phase),
  };
}
