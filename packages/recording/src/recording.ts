// A recording that is read, possibly while another process writes it and its retention deletes snapshots. Damaged and
// incomplete snapshots are noted and skipped; earlier ones stay usable.

import { existsSync, statSync } from 'node:fs';
import { openFileSource } from './file-source.ts';
import { snapshotPath, traceFileName, tracePath, TRACES_DIRECTORY } from './file-names.ts';
import type { Manifest, ManifestModule } from './manifest.ts';
import { missingError, RecordingError } from './recording-error.ts';
import { listSnapshotPhases, readStoredManifest, listTraceSegments } from './recordings.ts';
import { withModules } from './module-log.ts';
import { missingFiles, verifySeal } from './sealed/verify-seal.ts';
import { sealForReading, type RecordingSeal } from './sealed/recording-seal.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { readSource, sourcePath } from './module-sources.ts';
import { isLastSegment } from './trace/segment-end.ts';
import { TraceReader } from './trace/trace-reader.ts';
import type { SegmentId } from './trace/trace-format.ts';

export interface SnapshotEntry {
  readonly phase: number;
  /** Time of the snapshot, in milliseconds since 1970. */
  readonly time: number;
  /** Size of the file. */
  readonly bytes: number;
  /** Size of all parts. */
  readonly length: number;
  readonly workers: readonly number[];
}

/** The trace of a worker in one epoch. */
export interface TraceEntry {
  readonly worker: number;
  readonly epoch: number;
  /** Phases with a segment, ascending. */
  readonly phases: readonly number[];
  /** Size of the segment files. */
  readonly bytes: number;
}

/** An unusable snapshot and the reason. */
export interface DamagedSnapshot {
  readonly phase: number;
  readonly file: string;
  readonly error: RecordingError;
}

/**
 * Opens a recording. With a key, its seal is verified.
 * @throws {RecordingError} if the directory is no recording, its manifest cannot be read, or it is not as it was sealed
 */
export function openRecording(directory: string): Recording {
  const stored = readStoredManifest(directory);
  verifySeal(directory, stored);
  return new Recording(directory, withModules(stored.manifest, stored.logged));
}

export class Recording {
  readonly directory: string;
  /** Manifest at the time of opening. */
  readonly manifest: Manifest;
  readonly #seal: RecordingSeal | undefined;
  readonly #damaged = new Map<number, DamagedSnapshot>();

  constructor(directory: string, manifest: Manifest) {
    this.directory = directory;
    this.manifest = manifest;
    this.#seal = sealForReading(manifest);
  }

  /** Snapshots that were found damaged so far, and skipped. */
  get damagedSnapshots(): DamagedSnapshot[] {
    return [...this.#damaged.values()];
  }

  /** Phases of the existing snapshots, ascending. Reads none of them. */
  phases(): number[] {
    return listSnapshotPhases(this.directory);
  }

  get isSealed(): boolean {
    return this.#seal !== undefined;
  }

  /** Whether the recording is sealed and there is no key, so that anyone may have changed its manifest. */
  get isUnverified(): boolean {
    return this.#seal?.hasKey === false;
  }

  /** Existing snapshots, ascending. Reads their indexes but not their parts. */
  snapshots(): SnapshotEntry[] {
    return listSnapshotPhases(this.directory).flatMap((phase) => {
      const snapshot = this.#tryRead(phase, () => undefined);
      if (snapshot === undefined) return [];
      snapshot.close();
      const { time, size, workers, parts } = snapshot;
      return [{ phase, time, bytes: size, length: parts.reduce((sum, part) => sum + part.length, 0), workers }];
    });
  }

  /** Opens a snapshot, which stays readable after deletion until the caller closes it. */
  readSnapshot(phase: number): SnapshotReader {
    const file = snapshotPath(this.directory, phase);
    const snapshot = new SnapshotReader(openFileSource(file, this.#seal));
    if (snapshot.phase === phase) return snapshot;
    snapshot.close();
    throw new RecordingError(
      'TT_RECORDING',
      `${file} contains snapshot ${snapshot.phase}; give the file its original name`,
      { file },
    );
  }

  /**
   * Opens the newest undamaged snapshot after checking all its bytes; undefined if there is none. The caller must close
   * it.
   */
  latest(): SnapshotReader | undefined {
    // Retention may delete all older snapshots during the search, but not before newer ones exist.
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

  /** Returns whether a snapshot exists and all its bytes are undamaged. */
  isIntact(phase: number): boolean {
    const snapshot = this.#tryRead(phase, (each) => each.verify());
    snapshot?.close();
    return snapshot !== undefined;
  }

  /**
   * Returns a worker's part in the newest undamaged snapshot, up to `maxPhase`, that has the part; undefined if none
   * has.
   */
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

  /** Modules whose texts are missing. Does not check the existing texts. */
  missingModules(): ManifestModule[] {
    return this.manifest.modules.filter(({ sha256 }) => !existsSync(sourcePath(this.directory, sha256)));
  }

  /**
   * Descriptions of files that the manifest promises and that are missing or cut off. It promises all files of an ended
   * recording, and otherwise the start. Does not read the files.
   */
  missingParts(): string[] {
    const { files, firstPhase = 0, restoredFrom } = this.manifest;
    if (files !== undefined) return missingFiles(this.directory, files);
    if (firstPhase === null || restoredFrom !== null) return [];
    const main = this.traces().find(({ worker }) => worker === 0);
    if (main === undefined || main.phases.includes(firstPhase)) return [];
    return [`${TRACES_DIRECTORY}/${traceFileName({ phase: firstPhase, worker: 0, epoch: main.epoch })} is missing`];
  }

  source(sha256: string): string {
    return readSource(this.directory, sha256, this.#seal);
  }

  /** Existing traces by worker and epoch. Reads none of them. */
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
            // Lazy, because there may be thousands of files.
            get bytes() {
              return segmentsOfEpoch.reduce((sum, segment) => sum + sizeOf(segment), 0);
            },
          },
        ];
      })
      .sort((first, second) => first.worker - second.worker || first.epoch - second.epoch);
  }

  /** Returns whether the trace ends with an end mark, so that it was not cut off. */
  isTraceComplete({ worker, epoch, phases }: Pick<TraceEntry, 'worker' | 'epoch' | 'phases'>): boolean {
    const phase = phases.at(-1);
    return phase !== undefined && isLastSegment(tracePath(this.directory, { phase, worker, epoch }), this.#seal);
  }

  /**
   * Opens the trace of a worker in one epoch, from a phase or from the first segment. The caller must close it.
   * @throws {RecordingError} if there is no such trace, or its first segment cannot be read
   */
  trace(worker: number, epoch: number, fromPhase?: number): TraceReader {
    const { phases = [] } = this.traces().find((each) => each.worker === worker && each.epoch === epoch) ?? {};
    const phase = fromPhase ?? phases[0];
    if (phase !== undefined && phases.includes(phase))
      return new TraceReader(this.directory, { phase, worker, epoch }, { seal: this.#seal });
    const problem = `worker ${worker} has no trace of epoch ${epoch}${phase === undefined ? '' : ` from phase ${phase} on`}`;
    throw missingError(
      this.directory,
      problem,
      phases.length === 0
        ? 'it was not recorded, or retention has deleted it'
        : `available phases: ${phases.join(', ')}`,
    );
  }

  /**
   * Opens a trace after a cut point. The preamble of the segment precedes its events. The caller must close the trace.
   * @throws {RecordingError} like `trace`
   */
  traceAfterCut(worker: number, epoch: number, cut: number): TraceReader {
    const entry = this.traces().find((each) => each.worker === worker && each.epoch === epoch);
    const phase = entry?.phases.findLast((each) => each <= cut);
    if (phase === undefined || phase === cut) return this.trace(worker, epoch, cut);
    return new TraceReader(this.directory, { phase, worker, epoch }, { startAfterCut: cut, seal: this.#seal });
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
