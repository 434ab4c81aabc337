// A snapshot from which a program can go on here: read and verified, and compared with the code, the packages and the versions that are here.
// Nothing of it is loaded, so whoever asks has nothing to lose yet.
import { prepareStates, type Elsewhere } from '@turntable/program-state';
import {
  describeProcess,
  openRecording,
  type Manifest,
  type Recording,
  type SnapshotReader,
} from '@turntable/recording';
import type { StoredPart } from '@turntable/runtime';
import { changedCircumstances } from './circumstances.ts';
import { lineage, snapshotAmong } from './lineage.ts';
import { PART } from '../recorder/part-feed.ts';
import { snapshotIn } from './snapshot-in.ts';
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

export interface Restorable {
  readonly taken: TakenSnapshot;
  readonly manifest: Manifest;
  readonly parts: readonly StoredPart[];
  readonly elsewhere: Elsewhere;
  /** What is not as it was and need not be, a sentence each. */
  readonly warnings: readonly string[];
}

/** The same of a recording and of those that it goes on from, if it has none itself. */
export function restorableIn(directory: string, options: RestoreOptions = {}): Promise<Restorable> {
  // Fails if it is none.
  openRecording(directory);
  if (options.states !== undefined) return restorable(directory, options);
  return snapshotAmong(lineage(directory), options.phase, ({ recording, phase }) =>
    restorable(recording, { ...options, phase }),
  );
}

/** An error, if it cannot go on here, with all reasons. */
export async function restorable(directory: string, options: RestoreOptions = {}): Promise<Restorable> {
  const { phase: wanted, code = 'files', root, states } = options;
  const recording = openRecording(directory);
  using snapshot = snapshotIn(states === undefined ? recording : openRecording(states), wanted);
  const parts = partsOf(snapshot);
  const { phase, size: bytes } = snapshot;
  const { manifest } = recording;
  const elsewhere = await prepareStates(
    parts.map((part) => part.bytes),
    { root, isRecorded: code === 'recorded', texts: () => textsOf(recording) },
  );
  const taken = { phase, recording: directory, bytes };
  const { workers } = manifest;
  const warnings = changedCircumstances(manifest, describeProcess({ turntable: version, workers }));
  return { taken, manifest, parts, elsewhere, warnings };
}

function partsOf(snapshot: SnapshotReader): StoredPart[] {
  const { lives = {} } = (snapshot.meta ?? {}) as { lives?: Readonly<Record<string, number>> };
  return snapshot.workers.map((worker) => ({
    worker,
    life: lives[worker] ?? 0,
    bytes: snapshot.part(worker, PART).read(),
  }));
}

/** Of the recording's modules, as they were loaded. */
export function* textsOf(recording: Recording): Generator<[url: string, text: string, settings: string | undefined]> {
  for (const { url, sha256, settings } of recording.manifest.modules) yield [url, recording.source(sha256), settings];
}
