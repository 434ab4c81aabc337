// A snapshot from which a program can go on here: read and verified, and compared with the code, the packages and the versions that are here.
// Nothing of it is loaded, so whoever asks has nothing to lose yet.
import { prepareRelocation, type RelocationPlan } from '@turntable/program-state';
import {
  describeProcess,
  openRecording,
  type Manifest,
  type Recording,
  type SnapshotReader,
} from '@turntable/recording';
import type { StoredSnapshotPart } from '@turntable/runtime';
import { environmentWarnings } from './locale-environment.ts';
import { lineage, findSnapshot } from './lineage.ts';
import { STATE_PART } from '../recorder/part-feed.ts';
import { openSnapshot } from './snapshot-opener.ts';
import type { TakenSnapshot } from '../recorder/recorder.ts';
import { version } from '../version.ts';

export interface RestoreOptions {
  /** Of the snapshot; the last one that is whole, if it is left out. */
  readonly phase?: number | undefined;
  /** `recorded`: modules are what they were when they were recorded, whatever their files are now. */
  readonly code?: 'files' | 'recorded' | undefined;
  /** The directory that stands in the place of the one the program was in. */
  readonly root?: string | undefined;
  /** Where the snapshot is, if not in the recording: a directory that is read as one. */
  readonly states?: string | undefined;
}

export interface RestorableSnapshot {
  readonly snapshot: TakenSnapshot;
  readonly manifest: Manifest;
  readonly parts: readonly StoredSnapshotPart[];
  readonly relocation: RelocationPlan;
  /** What is not as it was and need not be, a sentence each. */
  readonly warnings: readonly string[];
}

/** The same of a recording and of those that it goes on from, if it has none itself. */
export function findRestorable(directory: string, options: RestoreOptions = {}): Promise<RestorableSnapshot> {
  // Fails if it is none.
  openRecording(directory);
  if (options.states !== undefined) return loadRestorable(directory, options);
  return findSnapshot(lineage(directory), options.phase, ({ recording, phase }) =>
    loadRestorable(recording, { ...options, phase }),
  );
}

/** An error, if it cannot go on here, with all reasons. */
export async function loadRestorable(directory: string, options: RestoreOptions = {}): Promise<RestorableSnapshot> {
  const { phase: phaseWanted, code = 'files', root, states: snapshotDirectory } = options;
  const recording = openRecording(directory);
  using snapshot = openSnapshot(
    snapshotDirectory === undefined ? recording : openRecording(snapshotDirectory),
    phaseWanted,
  );
  const parts = readParts(snapshot);
  const { phase, size: bytes } = snapshot;
  const { manifest } = recording;
  const relocation = await prepareRelocation(
    parts.map((part) => part.bytes),
    { root, usesRecordedSources: code === 'recorded', sources: () => recordedModulesOf(recording) },
  );
  const snapshotTaken = { phase, recording: directory, bytes };
  const { workers } = manifest;
  const warnings = environmentWarnings(manifest, describeProcess({ turntable: version, workers }));
  return { snapshot: snapshotTaken, manifest, parts, relocation, warnings };
}

function readParts(snapshot: SnapshotReader): StoredSnapshotPart[] {
  const { epochs = {} } = (snapshot.meta ?? {}) as { epochs?: Readonly<Record<string, number>> };
  return snapshot.workers.map((worker) => ({
    worker,
    epoch: epochs[worker] ?? 0,
    bytes: snapshot.part(worker, STATE_PART).read(),
  }));
}

/** Of the recording's modules, as they were loaded. */
export function* recordedModulesOf(
  recording: Recording,
): Generator<[url: string, text: string, settings: string | undefined]> {
  for (const { url, sha256, settings } of recording.manifest.modules) yield [url, recording.source(sha256), settings];
}
