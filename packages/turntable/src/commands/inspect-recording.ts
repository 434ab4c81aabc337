// `turntable inspect DIR`: shows the contents of a recording, without running any of its code.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, RecordingError, type Json, type Manifest, type TraceEntry } from '@turntable/recording';
import { formatCount } from '@turntable/replayer/entry';
import { describeView, viewText, type ViewDescription } from '../query/describe-view.ts';
import { viewRecording } from '../query/view-recording.ts';

export interface RecordingDescription {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly isSealed: boolean;
  /** Whether the recording is sealed and there is no key, so that its manifest may have been changed. */
  readonly isUnverified: boolean;
  readonly snapshots: readonly SnapshotDescription[];
  /** Traces by worker and epoch, with the phases that they cover. */
  readonly traces: readonly TraceEntry[];
  readonly damaged: readonly { readonly phase: number; readonly reason: string }[];
  /** Contents of the requested snapshot, by default of the last one, or the reason why they are unavailable. */
  readonly snapshot: ViewDescription | { readonly reason: string } | null;
}

export interface SnapshotDescription {
  readonly phase: number;
  /** Time of the snapshot, in ISO format. */
  readonly taken: string;
  /** Size on disk. */
  readonly bytes: number;
  readonly workers: readonly number[];
  /** The longest pause of a worker, in milliseconds. */
  readonly longestPause: number;
  readonly meta: Json;
}

export function describeRecording(directory: string, phase?: number): RecordingDescription {
  const recording = openRecording(directory);
  const snapshots = recording.snapshots().map(({ phase, time, bytes, workers }): SnapshotDescription => {
    using snapshot = recording.readSnapshot(phase);
    const { meta } = snapshot;
    return { phase, taken: new Date(time).toISOString(), bytes, workers, longestPause: longestPauseIn(meta), meta };
  });
  const damaged = recording.damagedSnapshots.map(({ phase, error }) => ({ phase, reason: error.message }));
  const snapshot = snapshots.length === 0 && phase === undefined ? null : snapshotContents(directory, phase);
  const { manifest, isSealed, isUnverified } = recording;
  return { directory, manifest, isSealed, isUnverified, snapshots, traces: recording.traces(), damaged, snapshot };
}

/** Describes a snapshot, by default the last one. Throws if a requested one is unavailable. */
function snapshotContents(directory: string, phase: number | undefined): ViewDescription | { readonly reason: string } {
  const phases = phase === undefined ? [] : openRecording(directory).phases();
  if (phase !== undefined && !phases.includes(phase))
    throw new RecordingError(
      'TT_RECORDING_MISSING',
      `it has no snapshot ${phase}${phases.length === 0 ? ', nor any other' : `; available: ${phases.join(', ')}`}`,
    );
  try {
    return describeView(viewRecording(directory, phase));
  } catch (error) {
    if (phase !== undefined || (error as { code?: unknown }).code === undefined) throw error;
    return { reason: (error as Error).message };
  }
}

function longestPauseIn(meta: Json): number {
  const { pauses = {} } = (meta ?? {}) as { pauses?: Readonly<Record<string, { readonly longest?: number }>> };
  return Math.max(0, ...Object.values(pauses).map(({ longest = 0 }) => longest));
}

export function recordingText({
  directory,
  manifest,
  isSealed,
  isUnverified,
  snapshots,
  traces,
  damaged,
  snapshot,
}: RecordingDescription): string {
  const { entry, versions, workers, created, ended, endReason, restoredFrom, epoch, argv, modules, redacted } =
    manifest;
  const program =
    entry?.startsWith('file:') === true ? relative(process.cwd(), fileURLToPath(entry)) : (entry ?? 'a program');
  const isSingleThreaded = [...traces.map(({ worker }) => worker), ...snapshots.flatMap((each) => each.workers)].every(
    (each) => each === 0,
  );
  const threads =
    workers === 0 || isSingleThreaded ? '' : ` and ${workers === 1 ? 'one worker' : `${workers} workers`}`;
  const lines = [
    `${relative(process.cwd(), directory) || directory}: ${program}${argv.length > 2 ? ` ${argv.slice(2).join(' ')}` : ''}`,
    `Node ${versions.node}, Turntable ${versions.turntable}, the main thread${threads}, texts of ${formatCount(modules.length, 'module')}`,
    `from ${created} ${ended === null ? 'on; still running, or killed' : `to ${ended}${endReason === null ? '' : ` (${endReason})`}`}`,
  ];
  if (restoredFrom !== null)
    lines.push(
      `restored from snapshot ${restoredFrom.phase} of ${relative(process.cwd(), restoredFrom.recording) || '.'}${epoch > 0 ? `, in place: epoch ${epoch} of its process` : ''}`,
    );
  if (isSealed)
    lines.push(
      isUnverified
        ? 'sealed; nothing here is verified: name the file with its key, --key FILE'
        : 'sealed, verified with the key',
    );
  if (redacted !== undefined) lines.push(`redacted: without ${redacted.join(', ')}, and without snapshots`);
  lines.push(tracesText(traces, manifest));
  if (snapshots.length === 0) lines.push(damaged.length === 0 ? 'no snapshots' : 'no readable snapshots');
  else {
    lines.push('', row('phase', 'taken', 'bytes', 'threads', 'longest pause'));
    for (const { phase, taken, bytes, workers: threadWorkers, longestPause } of snapshots)
      lines.push(
        row(String(phase), taken, String(bytes), String(threadWorkers.length), `${longestPause.toFixed(1)} ms`),
      );
  }
  for (const { phase, reason } of damaged) lines.push(`snapshot ${phase} cannot be used: ${reason}`);
  if (snapshot !== null)
    lines.push(
      '',
      'reason' in snapshot ? `the last snapshot cannot be read: ${snapshot.reason}` : viewText(snapshot).trimEnd(),
    );
  return `${lines.join('\n')}\n`;
}

function tracesText(traces: readonly TraceEntry[], { devices }: Manifest): string {
  const main = traces.find(({ worker }) => worker === 0);
  if (main === undefined) return 'no traces: it cannot be replayed';
  const [first = 0] = main.phases;
  const fromText = first === 0 ? 'from the start' : `from phase ${first} on`;
  const withoutText = devices.length === 0 ? '' : `, without the events of ${devices.map(String).join(', ')}`;
  return `traces of ${formatCount(new Set(traces.map(({ worker }) => worker)).size, 'thread')} ${fromText}${withoutText}`;
}

function row(phase: string, taken: string, bytes: string, threads: string, pause: string): string {
  return `${phase.padStart(8)}  ${taken.padEnd(24)} ${bytes.padStart(12)} ${threads.padStart(8)} ${pause.padStart(14)}`;
}
