// Whether a recording can be run again here: it has traces, what its program reached is in them, and it is run by what it was run by. Nothing of it
// is loaded, and all that stands in the way is told at once.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openRecording, RecordingError, type Manifest, type Recording, type TraceEntry } from '@turntable/recording';
import { changedPackages, changeText } from './changed-packages.ts';
import type { ReplayCode } from './replay-order.ts';
import type { Until } from './until.ts';
import { isDirectory, lastRecordingsIn } from '../places/recording-in.ts';
import { counted } from '../output/wording.ts';
import { version } from '../version.ts';

export interface ReplayWishes {
  readonly code: ReplayCode;
  readonly from: number | undefined;
  readonly until?: Until | undefined;
}

/** `must`: nothing can be done about it. `may`: it might work all the same, and is tried with `--force`. */
export interface Obstacles {
  readonly must: readonly string[];
  readonly may: readonly string[];
  /** Whether a key is all that is missing, as far as can be known without it. */
  readonly takesKey?: boolean;
}

/** The directory of a recording; of several the last one that has traces, and is no child process's if it need not be. */
export function tracedIn(directory: string): string {
  if (existsSync(`${directory}/manifest.json`)) return directory;
  const all = lastRecordingsIn(directory);
  const isMeant = ({ directory: each }: { readonly directory: string }): boolean =>
    hasTraces(each, ({ parent }) => parent === undefined);
  const found = all.find(isMeant) ?? all.find((each) => hasTraces(each.directory)) ?? all[0];
  return found?.directory ?? directory;
}

function hasTraces(directory: string, isMeant: (manifest: Manifest) => boolean = () => true): boolean {
  try {
    const recording = openRecording(directory);
    return recording.traces().length > 0 && isMeant(recording.manifest);
  } catch (error) {
    // One that ended very early has not even a manifest. One that this version cannot read is refused by its name, and not passed over for an older one.
    if (error instanceof RecordingError) return error.code === 'TT_RECORDING_VERSION';
    throw error;
  }
}

/** Where a run again begins if nobody says where: at the start, or with the first snapshot of a recording that has not the start, or not any more. */
export function beginningOf(recording: Recording): number | undefined {
  const main = recording.traces().find(({ worker }) => worker === 0);
  if (main === undefined || main.phases.includes(0)) return undefined;
  const { phases } = main;
  return recording.snapshots().find(({ phase }) => phases.includes(phase))?.phase;
}

function withoutProgram({ ended }: Manifest): string {
  const known = 'it does not say which program it is of';
  return ended === null ? `${known}: its process was killed before that was on the disk, or has just begun` : known;
}

export function obstaclesTo(recording: Recording, { code, from, until }: ReplayWishes): Obstacles {
  const { manifest } = recording;
  const traces = recording.traces();
  const main = traces.find(({ worker }) => worker === 0);
  const unreadable = whyUnreadable(recording, main, from);
  if (unreadable !== undefined)
    return { must: [unreadable.message], may: [], takesKey: unreadable.code === 'TT_RECORDING_KEY' };
  const must: string[] = [];
  const may: string[] = [];
  if (main === undefined)
    must.push('it has no traces: record the program with turntable record, or with the setting trace');
  else if (from === undefined && !main.phases.includes(0))
    must.push(
      `its traces begin with phase ${main.phases[0]}, of which it has no snapshot; let it have some, every=30s, before it is needed`,
    );
  else if (from !== undefined && !main.phases.includes(from)) must.push(`it has no trace from phase ${from} on`);
  const noBeginning = from === undefined ? undefined : whyNoSnapshot(recording, from, '');
  if (noBeginning !== undefined) must.push(noBeginning);
  if (until?.what === 'phase') {
    const noEnd = whyNoSnapshot(recording, until.phase, ' to go on until');
    if (noEnd !== undefined) must.push(noEnd);
    else if (until.phase <= (from ?? 0))
      must.push(`it cannot go from snapshot ${from} until ${until.phase}, which is not behind it`);
  }
  if (from === undefined && manifest.continues !== null)
    must.push('its program had gone on from a snapshot of another recording, which cannot be had again yet');
  if (manifest.entry === null) must.push(withoutProgram(manifest));
  else if (code === 'current' && manifest.entry.startsWith('file:') && !existsSync(fileURLToPath(manifest.entry)))
    must.push(`${fileURLToPath(manifest.entry)} is not there; replay the recorded texts, --code recorded`);
  if (!isDirectory(manifest.cwd)) must.push(`the directory ${manifest.cwd}, in which it was started, is not there`);
  const lost = code === 'recorded' ? recording.lost() : [];
  if (lost.length > 0)
    must.push(`it has not the texts of ${counted(lost.length, 'module')}, of which the first is ${lost[0]?.url}`);
  const devices = manifest.devices.map(String);
  if (devices.length > 0)
    may.push(
      `its program reached ${devices.join(', ')}, and what comes from there is not recorded yet; leave it out, or replay without it`,
    );
  if (manifest.redacted !== undefined)
    may.push(
      `it is redacted (${manifest.redacted.join(', ')}), to be looked at and not to be run; replay what it was made of`,
    );
  const gone = changedPackages(manifest).filter(({ is }) => is === undefined);
  if (gone.length > 0)
    may.push(
      `${gone.map(changeText).join(', ')}, and where names lead is asked there; install what was installed then`,
    );
  const { node, turntable } = manifest.versions;
  if (minorOf(node) !== minorOf(process.versions.node))
    may.push(`it was recorded by Node ${node}, and this is ${process.versions.node}; use the same minor version`);
  if (turntable !== version) may.push(`it was recorded by Turntable ${turntable}, and this is ${version}; use that`);
  const platform = `${process.platform}-${process.arch}`;
  if (manifest.platform !== platform) may.push(`it was recorded on ${manifest.platform}, and this is ${platform}`);
  return { must, may };
}

/** Why nothing of it can be read here: it takes a key that is not here, or another version of Turntable, or it is damaged where it begins. */
function whyUnreadable(
  recording: Recording,
  main: TraceEntry | undefined,
  from: number | undefined,
): RecordingError | undefined {
  try {
    if (main !== undefined)
      recording
        .trace(
          main.worker,
          main.life,
          main.phases.find((phase) => phase === from),
        )
        .close();
  } catch (error) {
    if (error instanceof RecordingError && error.code !== 'TT_RECORDING_MISSING') return error;
  }
  return undefined;
}

/** Why there is no snapshot of that phase to be used, if there is none. */
function whyNoSnapshot(recording: Recording, phase: number, wanted: string): string | undefined {
  if (recording.snapshots().some((each) => each.phase === phase)) return undefined;
  const damage = recording.damage.find((each) => each.phase === phase);
  return damage === undefined
    ? `it has no snapshot ${phase}${wanted}; turntable inspect lists what there is`
    : damage.error.message;
}

function minorOf(node: string): string {
  return node.split('.').slice(0, 2).join('.');
}

/** Why it cannot be run again, or should not. */
export function reasonsAgainst({ must, may }: Obstacles, isForced: boolean): string[] {
  return isForced ? [...must] : [...must, ...may];
}
