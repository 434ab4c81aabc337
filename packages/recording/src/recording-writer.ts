// Writes one recording, on the writer thread. The order of writes: the manifest, the text of a module, its line in the
// module log, the events of its code; for a snapshot, all of these, the snapshot, deletions. So a killed process leaves
// a recording that opens. Files survive a kill at once, and a loss of power after the caller has synced `takeUnsynced`.
// A failed write is tried again with the next snapshot, except the write of a snapshot.

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncIfPresent } from './disk-thread.ts';
import { mkdirSync, renameSync, utimesSync } from './file-operations.ts';
import { ModuleWriter } from './module-writer.ts';
import { misuseError } from './recording-error.ts';
import type { JsonObject } from './json.ts';
import {
  MANIFEST_FILE,
  snapshotPath,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  tracePath,
  unfinishedName,
} from './file-names.ts';
import { encodeManifest, type Manifest, type ManifestPatch } from './manifest.ts';
import { listDataFiles, listSnapshotPhases, listTraceSegments } from './recordings.ts';
import { surplusOf, type RetainedItem, type Retention } from './retention.ts';
import type { RecordingSeal } from './sealed/recording-seal.ts';
import { SnapshotEncoder } from './snapshot-encoder.ts';
import { MAX_META_BYTES } from './snapshot-format.ts';
import type { RecordingTraces } from './trace/recording-traces.ts';
import { DIRECTORY_MODE, AtomicFile, writeFileAtomically } from './atomic-file.ts';

export interface WrittenSnapshot {
  readonly phase: number;
  readonly file: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Size of the content. */
  readonly length: number;
}

export interface RecordingWriterOptions {
  /** Seal of the recording, if it is sealed. */
  readonly seal?: RecordingSeal | undefined;
  readonly retention?: Retention;
  readonly level?: number | undefined;
  /** Whether writing waits for an explicit start. */
  readonly isLater?: boolean;
}

interface OpenSnapshot {
  readonly file: AtomicFile;
  readonly encoder: SnapshotEncoder;
  chunks: number;
  /** Size of the file once its content is complete. */
  bytes?: number;
}

/** What must be synced to the disk: files, then directories. */
export interface UnsyncedPaths {
  readonly paths: readonly string[];
  /** Must be called when the paths are synced. */
  synced(): void;
}

/** A snapshot that has its name, and the files that retention deletes. */
export interface PublishedSnapshot {
  readonly written: WrittenSnapshot;
  readonly surplusPaths: readonly string[];
}

/**
 * Creates the directory of a recording with its first manifest, if possible. The directory gets its name last, so that
 * it never exists without a manifest. The writer thread reports failures.
 */
export function tryWriteFirstManifest(directory: string, manifest: Manifest, seal: RecordingSeal | undefined): void {
  const unnamed = join(dirname(directory), unfinishedName(basename(directory)));
  try {
    createDirectories(unnamed);
    writeFileAtomically(join(unnamed, MANIFEST_FILE), encodeManifest(manifest, seal), false);
    renameSync(unnamed, directory);
  } catch {
    // The writer thread tries again.
  }
}

function createDirectories(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  for (const subdirectory of [SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY])
    mkdirSync(join(directory, subdirectory), { recursive: true, mode: DIRECTORY_MODE });
}

/** Maximum number of remembered closed phases, whose late chunks must be dropped. */
const MAX_CLOSED_PHASES = 1024;

export class RecordingWriter {
  readonly directory: string;
  readonly traces: RecordingTraces;
  readonly #retention: Retention;
  readonly #level: number | undefined;
  readonly #seal: RecordingSeal | undefined;
  #manifest: Manifest;
  readonly #modules: ModuleWriter;
  /** Whether recording starts and pauses on request. */
  readonly isLater: boolean;
  /** Time since which the recording has no gap, in milliseconds since 1970. Null while not recording. */
  #since: number | null;
  /** Whether recording waits for its first start, or for a snapshot after the directory was removed. */
  #isNotStarted: boolean;
  /** Whether recording is paused and may resume. */
  #isPaused = false;
  #isCreated = false;
  readonly #unsynced = new Set<string>();
  #isDirty = false;
  readonly #openSnapshots = new Map<number, OpenSnapshot>();
  readonly #closedPhases = new Set<number>();
  /** Files that retention is deleting since the last snapshot. */
  #surplusPaths: ReadonlySet<string> = new Set();

  constructor(
    directory: string,
    manifest: Manifest,
    traces: RecordingTraces,
    { retention = {}, level, seal, isLater = false }: RecordingWriterOptions = {},
  ) {
    this.directory = directory;
    this.traces = traces;
    this.#modules = new ModuleWriter(directory, seal, (path) => this.#unsynced.add(path));
    this.#retention = retention;
    this.#level = level;
    this.#seal = seal;
    this.#manifest = isLater ? { ...manifest, firstPhase: null } : manifest;
    this.isLater = this.#isNotStarted = isLater;
    this.#since = isLater ? null : Date.now();
  }

  /** Creates the directory unless it exists or recording has not started. */
  createDirectory(): void {
    if (this.#isCreated || this.#isNotStarted) return;
    createDirectories(this.directory);
    this.#isCreated = true;
    this.#isDirty = true;
    this.#unsynced.add(dirname(this.directory));
    this.flush();
  }

  addModule(url: string, source: string, settings = ''): void {
    if (!this.#modules.add(url, source, settings)) return;
    this.#isDirty = true;
    this.#writeModules();
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  get since(): number | null {
    return this.#since;
  }

  get state(): 'waiting' | 'recording' | 'stopped' {
    if (this.#isPaused) return 'stopped';
    return this.#isNotStarted ? 'waiting' : 'recording';
  }

  get isCreated(): boolean {
    return this.#isCreated;
  }

  resume(): void {
    this.#isNotStarted = false;
    this.#isPaused = false;
    this.#since = Date.now();
    const { files: _, ...manifest } = this.#manifest;
    this.#manifest = { ...manifest, ended: null, endReason: null };
    this.#isDirty = true;
    this.flush();
  }

  /** Ends the recording until `resume`. */
  pause(reason: string): void {
    this.#isPaused = true;
    this.#since = null;
    this.traces.drain();
    this.#writeEnd(reason);
  }

  #writeModules(): void {
    if (this.#isNotStarted) return;
    this.createDirectory();
    this.#modules.write();
  }

  /** Starts the recording, if it waits for that, and creates its directory. */
  start(): void {
    this.#isNotStarted = false;
    if (!this.#isPaused) this.#since ??= Date.now();
    this.createDirectory();
  }

  /**
   * Handles a missing file: if the directory was removed, drops what is being written. The next snapshot creates the
   * directory again, with all modules, and the recording starts with that snapshot. Never throws.
   */
  fileMissing(): void {
    const directories = [SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY].map((name) => join(this.directory, name));
    if (!this.#isCreated || [this.#manifestPath, ...directories].every((path) => existsSync(path))) return;
    this.abandonAll();
    this.traces.directoryRemoved();
    this.#modules.restart();
    this.#unsynced.clear();
    this.#surplusPaths = new Set();
    this.#isCreated = false;
    this.#isNotStarted = true;
    this.#since = null;
    this.#manifest = { ...this.#manifest, firstPhase: null };
    this.#isDirty = true;
  }

  update(patch: ManifestPatch): void {
    this.#manifest = { ...this.#manifest, ...patch };
    this.#isDirty = true;
  }

  /** Writes changes of the manifest and sources. */
  flush(): void {
    this.createDirectory();
    if (!this.#isDirty || this.#isNotStarted) return;
    this.#writeModules();
    const path = this.#manifestPath;
    const manifest = { ...this.#manifest, modules: this.#modules.written };
    writeFileAtomically(path, encodeManifest(manifest, this.#seal), false);
    this.#unsynced.add(path).add(this.directory);
    this.#modules.manifestWritten();
    this.#isDirty = false;
  }

  /** Returns the paths written since the last call. */
  takeUnsynced(): UnsyncedPaths {
    const own = [...this.#unsynced].toSorted((first, second) => second.length - first.length);
    const paths = [...this.traces.takeUnsynced(), ...own];
    this.#unsynced.clear();
    const cleanLog = this.#modules.logCleaner();
    return {
      paths,
      synced: () => {
        if (!this.#unsynced.has(this.#manifestPath)) cleanLog();
      },
    };
  }

  get #manifestPath(): string {
    return join(this.directory, MANIFEST_FILE);
  }

  /** Updates the modification time of the manifest, which shows other machines that the recording is active. */
  touch(): void {
    if (!this.#isCreated) return;
    const now = Date.now() / 1000;
    utimesSync(this.#manifestPath, now, now);
  }

  /** Adds a chunk to a snapshot. Has no effect after the snapshot was committed or abandoned. */
  add(phase: number, worker: number, name: string, bytes: Uint8Array): void {
    const snapshot = this.#openSnapshot(phase);
    if (snapshot === undefined) return;
    snapshot.encoder.add(worker, name, bytes);
    snapshot.chunks++;
  }

  /** Returns whether all chunks of a snapshot have arrived, in any order, or the snapshot is closed. */
  hasAllChunks(phase: number, chunks: number): boolean {
    return this.#closedPhases.has(phase) || (this.#openSnapshots.get(phase)?.chunks ?? 0) >= chunks;
  }

  /**
   * Writes the rest of a snapshot, and all that it needs. Returns what must be synced before `publishSnapshot`;
   * undefined if the snapshot was abandoned.
   */
  finishSnapshot(phase: number, metadata: JsonObject): UnsyncedPaths | undefined {
    const snapshot = this.#openSnapshot(phase);
    if (snapshot === undefined) return undefined;
    const meta = JSON.stringify(metadata);
    if (Buffer.byteLength(meta) > MAX_META_BYTES)
      throw misuseError(`the metadata of snapshot ${phase} is larger than ${MAX_META_BYTES} bytes`);
    if (this.#manifest.firstPhase === null) this.#setFirstPhase(phase);
    this.flush();
    // Events before the snapshot must be on the disk before it.
    this.traces.drain();
    // A failure to write the events may have abandoned the snapshot.
    if (!this.#openSnapshots.has(phase)) return undefined;
    snapshot.bytes = snapshot.encoder.finish(Date.now(), meta);
    const { paths, synced } = this.takeUnsynced();
    return { paths: [snapshot.file.finish(), ...paths], synced };
  }

  /** Gives a finished snapshot its name. Returns undefined if the snapshot was abandoned. */
  publishSnapshot(phase: number): PublishedSnapshot | undefined {
    const { file, encoder, bytes } = this.#openSnapshots.get(phase) ?? {};
    if (file === undefined || encoder === undefined || bytes === undefined) return undefined;
    file.publish();
    this.#closePhase(phase);
    this.traces.snapshotCommitted(phase);
    const surplusPaths = this.#listSurplus();
    this.#surplusPaths = new Set(surplusPaths);
    return { written: { phase, file: file.path, bytes, length: encoder.length }, surplusPaths };
  }

  /** Abandons a snapshot unless it is being committed. */
  abandon(phase: number): void {
    if (this.#openSnapshots.get(phase)?.bytes === undefined) this.#abandon(phase);
  }

  #abandon(phase: number): void {
    this.#openSnapshots.get(phase)?.file.abandon();
    this.#closePhase(phase);
  }

  /** Ends the recording, removes incomplete snapshots and syncs everything. @param reason null if the program ended */
  end(reason: string | null = null): void {
    this.abandonAll();
    this.traces.end();
    if (!this.#isPaused) this.#writeEnd(reason);
    if (!this.#isCreated) return;
    this.takeUnsynced().paths.forEach(syncIfPresent);
    if (!this.#isDirty) this.#modules.removeLog();
  }

  #writeEnd(reason: string | null): void {
    const files = listDataFiles(this.directory).filter(([name]) => !this.#surplusPaths.has(join(this.directory, name)));
    this.#manifest = { ...this.#manifest, ended: new Date().toISOString(), endReason: reason, files };
    this.#isDirty = true;
    this.flush();
  }

  /** Abandons all open snapshots. Never throws, so that it can follow any failure. */
  abandonAll(): void {
    for (const phase of this.#openSnapshots.keys()) this.#abandon(phase);
  }

  #openSnapshot(phase: number): OpenSnapshot | undefined {
    if (this.#closedPhases.has(phase)) return undefined;
    const existing = this.#openSnapshots.get(phase);
    if (existing !== undefined) return existing;
    let file: AtomicFile | undefined;
    // The constructor of the encoder writes the header, so it may throw too.
    try {
      this.start();
      const atomicFile = new AtomicFile(snapshotPath(this.directory, phase), this.#seal);
      file = atomicFile;
      const encoder = new SnapshotEncoder(phase, (bytes) => atomicFile.write(bytes), this.#level);
      const snapshot = { file, encoder, chunks: 0 };
      this.#openSnapshots.set(phase, snapshot);
      return snapshot;
    } catch (error) {
      file?.abandon();
      this.#closePhase(phase);
      throw error;
    }
  }

  #closePhase(phase: number): void {
    this.#openSnapshots.delete(phase);
    this.#closedPhases.add(phase);
    const [oldestPhase] = this.#closedPhases;
    if (this.#closedPhases.size > MAX_CLOSED_PHASES && oldestPhase !== undefined)
      this.#closedPhases.delete(oldestPhase);
  }

  /**
   * Lists old snapshots with their trace segments, in the order of their deletion. The last phase that can be replayed
   * stays, even if the traces of later ones could not be written.
   */
  #listSurplus(): string[] {
    const { start, snapshots } = this.#listPhases();
    const [oldest] = snapshots;
    if (oldest === undefined) return [];
    const startPhase = this.#manifest.firstPhase === undefined ? start[0]?.phase : undefined;
    const replayable = this.traces.lastReplayable([startPhase ?? [], ...snapshots.map(({ phase }) => phase)].flat());
    const old = surplusOf(snapshots, this.#retention, Date.now());
    const surplus = old.filter(({ phase }) => phase !== replayable);
    const isStartPinned = startPhase !== undefined && startPhase === replayable;
    const isStartDeleted = !isStartPinned && (old.length > 0 || this.#isStartSurplus(start, snapshots));
    if (isStartDeleted) {
      this.#setFirstPhase(snapshots.find((each) => !surplus.includes(each))?.phase ?? oldest.phase);
      this.flush();
    }
    const { openPaths } = this.traces;
    const surplusFiles = [...(isStartDeleted ? start : []), ...surplus.flatMap(({ files }) => files)];
    // Oldest first, so that a kill between two deletions leaves a recording from a later phase on.
    return surplusFiles.map(({ path }) => path).filter((path) => !openPaths.has(path));
  }

  /** Lists the files of each phase with a snapshot, and the segments before the first one, which hold the start. */
  #listPhases(): { readonly start: readonly SizedFile[]; readonly snapshots: readonly StoredPhase[] } {
    const segments = listTraceSegments(this.directory).flatMap((segment) =>
      sizedFile(segment.phase, tracePath(this.directory, segment)),
    );
    const phases = listSnapshotPhases(this.directory);
    const files = phases.flatMap((phase) => sizedFile(phase, snapshotPath(this.directory, phase)));
    const between = (from: number, to = Infinity): SizedFile[] =>
      segments.filter(({ phase }) => phase >= from && phase < to);
    const snapshots = files.map((file, index): StoredPhase => {
      const phaseFiles = [file, ...between(file.phase, files[index + 1]?.phase)];
      return { phase: file.phase, time: file.time, bytes: totalBytes(phaseFiles), files: phaseFiles };
    });
    return { start: between(0, files[0]?.phase), snapshots };
  }

  #setFirstPhase(firstPhase: number): void {
    this.#manifest = { ...this.#manifest, firstPhase };
    this.#isDirty = true;
  }

  /** Returns whether the program's start exceeds the limits of age or size. The start does not count as a snapshot. */
  #isStartSurplus(start: readonly SizedFile[], snapshots: readonly StoredPhase[]): boolean {
    if (start.length === 0) return false;
    const time = Math.max(...start.map((each) => each.time));
    const rules = { ...this.#retention, count: Infinity };
    return surplusOf([{ time, bytes: totalBytes(start) }, ...snapshots], rules, Date.now()).length > 0;
  }
}

interface SizedFile extends RetainedItem {
  readonly phase: number;
  readonly path: string;
}

/** A snapshot with the trace segments that follow it. */
interface StoredPhase extends RetainedItem {
  readonly phase: number;
  /** The file of the snapshot, then the segments by phase. */
  readonly files: readonly SizedFile[];
}

/** Returns an empty list if the file is missing. */
function sizedFile(phase: number, path: string): SizedFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? [] : [{ phase, path, time: stat.mtimeMs, bytes: stat.size }];
}

function totalBytes(items: readonly RetainedItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}
