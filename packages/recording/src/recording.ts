// A recording as its readers see it, also while another process writes it: snapshots come, and go by retention. A snapshot that is damaged or
// was cut off is left out and noted, and the ones before it stay usable.

import { existsSync, statSync } from 'node:fs';
import { openFileSource, isSealedFile } from './file-source.ts';
import { snapshotPath, tracePath } from './file-names.ts';
import type { Manifest, ManifestModule } from './manifest.ts';
import { missingError, RecordingError } from './recording-error.ts';
import { listSnapshotPhases, readManifest, listTraceSegments } from './recordings.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { readSource, sourcePath } from './module-sources.ts';
import { isLastSegment } from './trace/segment-end.ts';
import { TraceReader } from './trace/trace-reader.ts';
import type { SegmentId } from './trace/trace-format.ts';

export interface SnapshotEntry {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Length of the file. */
  readonly bytes: number;
  /** Bytes of its parts. */
  readonly length: number;
  /** Numbers of the workers that have parts in it. */
  readonly workers: readonly number[];
}

/** The trace of one life of a worker. */
export interface TraceEntry {
  readonly worker: number;
  readonly epoch: number;
  /** That have a segment, ascending. */
  readonly phases: readonly number[];
  /** In files. */
  readonly bytes: number;
}

/** A snapshot that cannot be used, and why. */
export interface DamagedSnapshot {
  readonly phase: number;
  readonly file: string;
  readonly error: RecordingError;
}

/** @throws {RecordingError} if there is no recording, or its manifest cannot be read */
export function openRecording(directory: string): Recording {
  return new Recording(directory, readManifest(directory));
}

export class Recording {
  readonly directory: string;
  /** As it was when the recording was opened. */
  readonly manifest: Manifest;
  readonly #damaged = new Map<number, DamagedSnapshot>();

  constructor(directory: string, manifest: Manifest) {
    this.directory = directory;
    this.manifest = manifest;
  }

  /** What `snapshots` and `latest` have left out so far. */
  get damagedSnapshots(): DamagedSnapshot[] {
    return [...this.#damaged.values()];
  }

  /** Phases of the snapshots there are now, ascending. Nothing of them has been read. */
  phases(): number[] {
    return listSnapshotPhases(this.directory);
  }

  /** Whether it takes a key to read more of it than its manifest. */
  isSealed(): boolean {
    const [trace] = listTraceSegments(this.directory);
    const [phase] = this.phases();
    if (trace !== undefined) return isSealedFile(tracePath(this.directory, trace));
    return phase !== undefined && isSealedFile(snapshotPath(this.directory, phase));
  }

  /** Those there are now, ascending. Their indexes have been read, their parts have not. */
  snapshots(): SnapshotEntry[] {
    return listSnapshotPhases(this.directory).flatMap((phase) => {
      const snapshot = this.#tryRead(phase, () => undefined);
      if (snapshot === undefined) return [];
      snapshot.close();
      const { time, size, workers, parts } = snapshot;
      return [{ phase, time, bytes: size, length: parts.reduce((sum, part) => sum + part.length, 0), workers }];
    });
  }

  /** To be closed by the caller; until then it stays readable, also if it is deleted. */
  readSnapshot(phase: number): SnapshotReader {
    const file = snapshotPath(this.directory, phase);
    const snapshot = new SnapshotReader(openFileSource(file));
    if (snapshot.phase === phase) return snapshot;
    snapshot.close();
    throw new RecordingError('TT_RECORDING', `${file} holds snapshot ${snapshot.phase}; it has been renamed`, { file });
  }

  /** The newest of which every byte is as it was written. To be closed by the caller. */
  latest(): SnapshotReader | undefined {
    // While older ones are looked at, retention may delete them all: then there are newer ones.
    for (let previousPhases: readonly number[] = []; ;) {
      const phases = listSnapshotPhases(this.directory);
      for (const phase of phases.toReversed()) {
        const snapshot = this.#damaged.has(phase) ? undefined : this.#tryRead(phase, (each) => each.verify());
        if (snapshot !== undefined) return snapshot;
      }
      if (String(phases) === String(previousPhases)) return undefined;
      previousPhases = phases;
    }
  }

  /** Whether every byte of one is as it was written. */
  isIntact(phase: number): boolean {
    const snapshot = this.#tryRead(phase, (each) => each.verify());
    snapshot?.close();
    return snapshot !== undefined;
  }

  /** What a worker was in the newest snapshot, up to a phase, that says so and is not damaged there. */
  latestPart(
    worker: number,
    name: string,
    maxPhase: number,
  ): { readonly phase: number; readonly bytes: Uint8Array } | undefined {
    for (const phase of listSnapshotPhases(this.directory).toReversed()) {
      const contents: Uint8Array[] = [];
      const readPart = (snapshot: SnapshotReader): void =>
        void (snapshot.workers.includes(worker) && contents.push(snapshot.part(worker, name).read()));
      if (phase <= maxPhase) this.#tryRead(phase, readPart)?.close();
      const [bytes] = contents;
      if (bytes !== undefined) return { phase, bytes };
    }
    return undefined;
  }

  /** Modules whose texts it has not; whether those that it has are as they were written is not asked. */
  missingModules(): ManifestModule[] {
    return this.manifest.modules.filter(({ sha256 }) => !existsSync(sourcePath(this.directory, sha256)));
  }

  source(sha256: string): string {
    return readSource(this.directory, sha256);
  }

  /** Those there are now, by worker and life. Nothing of them has been read. */
  traces(): TraceEntry[] {
    const segments = listTraceSegments(this.directory);
    const segmentsByEpoch = Map.groupBy(segments, ({ worker, epoch }) => `${worker}.${epoch}`);
    return [...segmentsByEpoch.values()]
      .flatMap((segmentsOfEpoch) => {
        const [first] = segmentsOfEpoch;
        if (first === undefined) return [];
        const { worker, epoch } = first;
        const sizeOf = (segment: SegmentId): number =>
          statSync(tracePath(this.directory, segment), { throwIfNoEntry: false })?.size ?? 0;
        return [
          {
            worker,
            epoch,
            phases: segmentsOfEpoch.map(({ phase }) => phase),
            // There may be thousands of files, and few want to know.
            get bytes() {
              return segmentsOfEpoch.reduce((sum, segment) => sum + sizeOf(segment), 0);
            },
          },
        ];
      })
      .sort((first, second) => first.worker - second.worker || first.epoch - second.epoch);
  }

  /** Whether a trace goes to where its worker has ended, and was not cut off before that. */
  isTraceComplete({ worker, epoch, phases }: Pick<TraceEntry, 'worker' | 'epoch' | 'phases'>): boolean {
    const phase = phases.at(-1);
    return phase !== undefined && isLastSegment(tracePath(this.directory, { phase, worker, epoch }));
  }

  /**
   * What has come to a worker in one of its lives, from a phase on, or from the first there is. To be closed by the caller.
   * @throws {RecordingError} if there is none, or its first segment cannot be read
   */
  trace(worker: number, epoch: number, fromPhase?: number): TraceReader {
    const { phases = [] } = this.traces().find((each) => each.worker === worker && each.epoch === epoch) ?? {};
    const phase = fromPhase ?? phases[0];
    if (phase !== undefined && phases.includes(phase)) return new TraceReader(this.directory, { phase, worker, epoch });
    const problem = `worker ${worker} has no trace of its life ${epoch}${phase === undefined ? '' : ` from phase ${phase} on`}`;
    throw missingError(
      this.directory,
      problem,
      phases.length === 0 ? 'it was not recorded, or was deleted to make room' : `it has phases ${phases.join(', ')}`,
    );
  }

  /**
   * The same from a cut on with which no segment begins, but for what each segment begins with. To be closed by the caller.
   * @throws {RecordingError} as `trace`
   */
  traceAfterCut(worker: number, epoch: number, cut: number): TraceReader {
    const entry = this.traces().find((each) => each.worker === worker && each.epoch === epoch);
    const phase = entry?.phases.findLast((each) => each <= cut);
    if (phase === undefined || phase === cut) return this.trace(worker, epoch, cut);
    return new TraceReader(this.directory, { phase, worker, epoch }, cut);
  }

  #tryRead(phase: number, check: (snapshot: SnapshotReader) => void): SnapshotReader | undefined {
    let snapshot: SnapshotReader | undefined;
    try {
      snapshot = this.readSnapshot(phase);
      check(snapshot);
      return snapshot;
    } catch (error) {
      snapshot?.close();
      if (!(error instanceof RecordingError)) throw error;
      if (error.code !== 'TT_RECORDING_MISSING')
        this.#damaged.set(phase, { phase, file: snapshotPath(this.directory, phase), error });
      return undefined;
    }
  }
}
