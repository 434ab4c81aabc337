// Checks whether a recording can be replayed on this machine: missing traces, inputs that were not recorded, other
// versions. Reports all obstacles together and loads nothing of the program.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  NO_TRACES,
  openRecording,
  RecordingError,
  type Manifest,
  type Recording,
  type TraceEntry,
} from '@turntable/recording';
import { findChangedPackages, packageChangeText } from './changed-packages.ts';
import type { ReplayCode } from './replay-request.ts';
import type { ReplayLimit } from './replay-limit.ts';
import { isDirectory, isReported, recordingsNewestFirst } from '../paths/recording-lookup.ts';
import { formatCount } from '../output/wording.ts';
import { version } from '../version.ts';

export interface ReplayCheckOptions {
  readonly code: ReplayCode;
  readonly from: number | undefined;
  readonly until?: ReplayLimit | undefined;
}

/** `blocking` obstacles prevent the replay; `--force` ignores `overridable` ones. */
export interface ReplayObstacles {
  readonly blocking: readonly string[];
  readonly overridable: readonly string[];
  /** Whether the recording cannot be read without its key. Other obstacles are unknown then. */
  readonly needsKey?: boolean;
}

/**
 * Directory of the recording to replay: `directory` itself if it is a recording. Otherwise the newest recording in it
 * that has traces; recordings of child processes are chosen only if there is no other.
 */
export function resolveTracedRecording(directory: string): string {
  if (existsSync(`${directory}/manifest.json`)) return directory;
  const recordings = recordingsNewestFirst(directory);
  const isWanted = ({ directory }: { readonly directory: string }): boolean =>
    hasTraces(directory, ({ parent }) => parent === undefined);
  const found = recordings.find(isWanted) ?? recordings.find((each) => hasTraces(each.directory)) ?? recordings[0];
  return found?.directory ?? directory;
}

function hasTraces(directory: string, isWanted: (manifest: Manifest) => boolean = () => true): boolean {
  try {
    const recording = openRecording(directory);
    return recording.traces().length > 0 && isWanted(recording.manifest);
  } catch (error) {
    return isReported(error);
  }
}

/** Default start of a replay: undefined for the start of the recording, or its first snapshot if it has no start. */
export function defaultStartPhase(recording: Recording): number | undefined {
  const main = recording.traces().find(({ worker }) => worker === 0);
  if (main === undefined || main.phases.includes(0)) return undefined;
  const { phases } = main;
  return recording.snapshots().find(({ phase }) => phases.includes(phase))?.phase;
}

function unknownProgramText({ ended }: Manifest): string {
  const reason = 'it does not name its program';
  return ended === null ? `${reason}: its process was killed before the name was written, or has just started` : reason;
}

export function findReplayObstacles(recording: Recording, { code, from, until }: ReplayCheckOptions): ReplayObstacles {
  const { manifest } = recording;
  const traces = recording.traces();
  const main = traces.find(({ worker }) => worker === 0);
  const readError = findReadError(recording, main, from);
  if (readError !== undefined)
    return { blocking: [readError.message], overridable: [], needsKey: readError.code === 'TT_RECORDING_KEY' };
  const blocking: string[] = [];
  const overridable: string[] = [];
  if (main === undefined) {
    // A process that was killed before it named its program had no time to record anything.
    if (manifest.entry !== null || manifest.ended !== null) blocking.push(NO_TRACES);
  } else if (from === undefined && !main.phases.includes(0))
    blocking.push(
      `its traces start at phase ${main.phases[0]}, but it has no snapshot ${main.phases[0]}; record with --snapshots every=30s`,
    );
  else if (from !== undefined && !main.phases.includes(from)) blocking.push(`it has no trace from phase ${from}`);
  const startProblem = from === undefined ? undefined : snapshotProblem(recording, from, '');
  if (startProblem !== undefined) blocking.push(startProblem);
  if (until?.kind === 'phase') {
    const endProblem = snapshotProblem(recording, until.phase, ' to replay to');
    if (endProblem !== undefined) blocking.push(endProblem);
    else if (until.phase <= (from ?? 0))
      blocking.push(`it cannot be replayed from snapshot ${from} to snapshot ${until.phase}, which is not later`);
  }
  if (from === undefined && manifest.restoredFrom !== null)
    blocking.push(
      'its program was restored from a snapshot of another recording, which a replay cannot start from yet',
    );
  if (manifest.entry === null) blocking.push(unknownProgramText(manifest));
  else if (code === 'current' && manifest.entry.startsWith('file:') && !existsSync(fileURLToPath(manifest.entry)))
    blocking.push(`${fileURLToPath(manifest.entry)} does not exist; replay the recorded sources with --code recorded`);
  if (!isDirectory(manifest.cwd)) blocking.push(`its working directory ${manifest.cwd} does not exist`);
  const missingModules = code === 'recorded' ? recording.missingModules() : [];
  if (missingModules.length > 0)
    blocking.push(
      `it lacks the sources of ${formatCount(missingModules.length, 'module')}, first ${missingModules[0]?.url}`,
    );
  const devices = manifest.devices.map(String);
  if (devices.length > 0)
    overridable.push(
      `its program used ${devices.join('; ')}, whose inputs are not recorded yet; remove it from the program`,
    );
  if (manifest.redacted !== undefined)
    overridable.push(
      `it is redacted (${manifest.redacted.join(', ')}) and lacks inputs; replay the original recording`,
    );
  const missingPackages = findChangedPackages(manifest).filter(({ currentVersion }) => currentVersion === undefined);
  if (missingPackages.length > 0)
    overridable.push(
      `${missingPackages.map(packageChangeText).join(', ')}, and imports are resolved there; install the recorded versions`,
    );
  const { node, turntable } = manifest.versions;
  if (minorVersion(node) !== minorVersion(process.versions.node))
    overridable.push(
      `it was recorded by Node ${node}, and this is ${process.versions.node}; use the same minor version`,
    );
  if (turntable !== version)
    overridable.push(`it was recorded by Turntable ${turntable}, and this is ${version}; use the same version`);
  const platform = `${process.platform}-${process.arch}`;
  if (manifest.platform !== platform)
    overridable.push(`it was recorded on ${manifest.platform}, and this is ${platform}`);
  return { blocking, overridable };
}

/** The reason why the recording is unreadable: missing key, other version, or damage at the start of the trace. */
function findReadError(recording: Recording, main?: TraceEntry, from?: number): RecordingError | undefined {
  try {
    if (main !== undefined)
      recording
        .trace(main.worker, main.epoch, from !== undefined && main.phases.includes(from) ? from : undefined)
        .close();
  } catch (error) {
    if (error instanceof RecordingError && error.code !== 'TT_RECORDING_MISSING') return error;
  }
  return undefined;
}

/** The reason why the snapshot of a phase is unusable; undefined if it is usable. */
function snapshotProblem(recording: Recording, phase: number, purpose: string): string | undefined {
  if (recording.snapshots().some((each) => each.phase === phase)) return undefined;
  const damage = recording.damagedSnapshots.find((each) => each.phase === phase);
  return damage === undefined
    ? `it has no snapshot ${phase}${purpose}; turntable inspect lists the snapshots`
    : damage.error.message;
}

function minorVersion(node: string): string {
  return node.split('.').slice(0, 2).join('.');
}

/** The obstacles that apply, with or without `--force`. */
export function applicableObstacles({ blocking, overridable }: ReplayObstacles, isForced: boolean): string[] {
  return isForced ? [...blocking] : [...blocking, ...overridable];
}
