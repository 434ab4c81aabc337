// Goes on from a snapshot of a recording, in a process in which no program has been loaded.
import { basename, dirname } from 'node:path';
import { installedLoader } from '@turntable/loader';
import { openRecording, type SnapshotReader } from '@turntable/recording';
import { RuntimeError, type StoredPart } from '@turntable/runtime';
import { recordHere } from './record-here.ts';
import { PART, type TakenSnapshot } from './recorder.ts';
import { appToRestore } from './this-thread.ts';

/** Answers when everything is as it was, how to go on; `wanted`: a phase; the last one, if it is not given. */
export async function restoreRecording(directory: string, wanted?: number): Promise<() => Promise<void>> {
  const recording = openRecording(directory);
  using snapshot = wanted === undefined ? recording.latest() : recording.readSnapshot(wanted);
  if (snapshot === undefined) throw new RuntimeError('TT_NO_SNAPSHOT', `${directory} has no snapshot that is whole`);
  const loader = installedLoader();
  await recordHere(loader, loader.options.recordings);
  const { phase, size: bytes } = snapshot;
  const taken: TakenSnapshot = { phase, recording: directory, bytes };
  return appToRestore(recording.manifest.workers).restore({ phase, parts: partsOf(snapshot) }, taken);
}

/** The same, from the file of a snapshot in its recording. */
export function restoreSnapshot(file: string): Promise<() => Promise<void>> {
  const phase = Number.parseInt(basename(file));
  return restoreRecording(dirname(dirname(file)), phase);
}

function partsOf(snapshot: SnapshotReader): StoredPart[] {
  const { lives = {} } = (snapshot.meta ?? {}) as { lives?: Readonly<Record<string, number>> };
  return snapshot.workers.map((worker) => ({
    worker,
    life: lives[worker] ?? 0,
    bytes: snapshot.part(worker, PART).read(),
  }));
}
