// Reads and verifies a snapshot, and compares it with the local code, packages and versions. It loads nothing of the
// program, so the caller can still decline.
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
import { epochsOf } from './snapshot-epochs.ts';
import type { TakenSnapshot } from '../recorder/recorder.ts';
import { version } from '../version.ts';

/** Options of `restore`. */
export interface RestoreOptions {
  /** Phase of the snapshot; undefined for the last complete one. */
  readonly phase?: number | undefined;
  /** `recorded` uses the recorded module texts instead of the current files. */
  readonly code?: 'files' | 'recorded' | undefined;
  /** Directory that replaces the recorded directory of the program. */
  readonly root?: string | undefined;
  /** Directory with the snapshot, if the recording does not contain it. */
  readonly states?: string | undefined;
}

export interface RestorableSnapshot {
  readonly snapshot: TakenSnapshot;
  readonly manifest: Manifest;
  readonly parts: readonly StoredSnapshotPart[];
  readonly relocation: RelocationPlan;
  /** Differences that do not prevent the restore. */
  readonly warnings: readonly string[];
}

/** Finds a snapshot in a recording or, if it has none, in the recordings from which it was restored. */
export function findRestorable(directory: string, options: RestoreOptions = {}): Promise<RestorableSnapshot> {
  // Throws if the directory has no recording.
  openRecording(directory);
  if (options.states !== undefined) return loadRestorable(directory, options);
  return findSnapshot(lineage(directory), options.phase, ({ recording, phase }) =>
    loadRestorable(recording, { ...options, phase }),
  );
}

/** Loads a snapshot. @throws with all reasons if it cannot be restored here */
export async function loadRestorable(directory: string, options: RestoreOptions = {}): Promise<RestorableSnapshot> {
  const { phase: phaseWanted, code = 'files', root, states } = options;
  const recording = openRecording(directory);
  using snapshot = openSnapshot(states === undefined ? recording : openRecording(states), phaseWanted);
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
  const epochs = epochsOf(snapshot);
  return snapshot.workers.map((worker) => ({
    worker,
    epoch: epochs[worker] ?? 0,
    bytes: snapshot.part(worker, STATE_PART).read(),
  }));
}

/** Modules of the recording in load order, with their recorded texts. */
export function* recordedModulesOf(
  recording: Recording,
): Generator<[url: string, text: string, settings: string | undefined]> {
  for (const { url, sha256, settings } of recording.manifest.modules) yield [url, recording.source(sha256), settings];
}
