// Writes one recording, step by step and synchronously: it has a thread of its own, and libuv's pool stays with the service. Order of
// durability: texts of modules, then the manifest that names them, then the snapshot that needs them, then older ones are deleted. So
// whatever moment a process dies at, each snapshot that is there is whole and has all it needs. What could not be written is tried again with
// the next snapshot, but for that of snapshots, which are lost.

import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { misuse } from './recording-error.ts';
import type { JsonObject } from './json.ts';
import { MANIFEST, snapshotPath, SNAPSHOTS, SOURCES, tracePath } from './layout.ts';
import { encodeManifest, type Manifest, type ManifestPatch, type ModuleEntry } from './manifest.ts';
import { phasesIn, segmentsIn } from './recordings.ts';
import { surplusOf, type Kept, type Retention } from './retention.ts';
import { keyHere } from './sealed/key.ts';
import { digestOf, encodeSource, sourcePath } from './sources.ts';
import { SnapshotEncoder } from './snapshot-encoder.ts';
import { META_LIMIT } from './snapshot-format.ts';
import type { RecordingTraces } from './trace/recording-traces.ts';
import { DIRECTORY_MODE, makeDurable, WholeFile, writeWhole } from './whole-file.ts';

/** A snapshot that is there. */
export interface Written {
  readonly phase: number;
  readonly file: string;
  /** Length of the file. */
  readonly bytes: number;
  /** Bytes of what was added. */
  readonly length: number;
}

export interface RecordingWriterOptions {
  readonly retention?: Retention;
  readonly level?: number | undefined;
  /** Nothing is on the disk until it begins. */
  readonly isLater?: boolean;
}

interface OpenSnapshot {
  readonly file: WholeFile;
  readonly encoder: SnapshotEncoder;
  chunks: number;
}

/** Phases that are known to be over, in case that somebody who does not know yet still adds to them. */
const REMEMBERED = 1024;

export class RecordingWriter {
  readonly directory: string;
  readonly traces: RecordingTraces;
  readonly #retention: Retention;
  readonly #level: number | undefined;
  #manifest: Manifest;
  readonly #modules: ModuleEntry[] = [];
  /** That are not written yet. */
  readonly #texts: { readonly entry: ModuleEntry; readonly text: string }[] = [];
  /** Whether it begins, and ends, when somebody says so. */
  readonly isLater: boolean;
  /** Since when it is recorded without a gap: milliseconds since 1970. */
  #since: number | null;
  /** It has not begun. */
  #isAsleep: boolean;
  /** It has ended in order, and may begin again. */
  #isResting = false;
  #isThere = false;
  readonly #known = new Set<string>();
  readonly #digests = new Set<string>();
  readonly #unsure: string[] = [];
  #isDirty = false;
  readonly #open = new Map<number, OpenSnapshot>();
  readonly #over = new Set<number>();

  constructor(
    directory: string,
    manifest: Manifest,
    traces: RecordingTraces,
    { retention = {}, level, isLater = false }: RecordingWriterOptions = {},
  ) {
    this.directory = directory;
    this.traces = traces;
    this.#retention = retention;
    this.#level = level;
    this.#manifest = manifest;
    this.isLater = this.#isAsleep = isLater;
    this.#since = isLater ? null : Date.now();
  }

  /** Makes the directory, if it is not there yet. */
  make(): void {
    if (this.#isThere || this.#isAsleep) return;
    mkdirSync(this.directory, { recursive: true, mode: DIRECTORY_MODE });
    for (const inner of [SOURCES, SNAPSHOTS])
      mkdirSync(join(this.directory, inner), { recursive: true, mode: DIRECTORY_MODE });
    this.#isThere = true;
    this.#isDirty = true;
    this.flush();
    makeDurable(join(this.directory, '..'));
  }

  addModule(url: string, text: string, settings = ''): void {
    const sha256 = digestOf(text);
    const key = `${sha256} ${url}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#texts.push({ entry: { url, sha256, ...(settings === '' ? {} : { settings }) }, text });
    this.#isDirty = true;
    this.#writeTexts();
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  get since(): number | null {
    return this.#since;
  }

  get state(): 'waiting' | 'recording' | 'stopped' {
    if (this.#isResting) return 'stopped';
    return this.#isAsleep ? 'waiting' : 'recording';
  }

  /** Whether its directory has been made. */
  get isThere(): boolean {
    return this.#isThere;
  }

  resume(): void {
    this.#isAsleep = false;
    this.#isResting = false;
    this.#since = Date.now();
    this.#manifest = { ...this.#manifest, ended: null, why: null };
    this.#isDirty = true;
    this.flush();
  }

  /** Has ended, and may begin again. */
  rest(why: string): void {
    this.#isResting = true;
    this.#since = null;
    this.traces.sync();
    this.#ended(why);
  }

  #writeTexts(): void {
    if (this.#isAsleep) return;
    this.make();
    for (let next = this.#texts[0]; next !== undefined; next = this.#texts[0]) {
      const { entry, text } = next;
      const { sha256 } = entry;
      if (!this.#digests.has(sha256)) {
        const path = sourcePath(this.directory, sha256);
        writeWhole(path, encodeSource(text), false, keyHere());
        this.#digests.add(sha256);
        this.#unsure.push(path);
      }
      this.#modules.push(entry);
      this.#texts.shift();
    }
  }

  update(patch: ManifestPatch): void {
    this.#manifest = { ...this.#manifest, ...patch };
    this.#isDirty = true;
  }

  /** Brings manifest and sources to the disk, if anything has been added. */
  flush(): void {
    this.make();
    if (!this.#isDirty || this.#isAsleep) return;
    this.#writeTexts();
    for (const path of this.#unsure) makeDurable(path);
    if (this.#unsure.length > 0) makeDurable(join(this.directory, SOURCES));
    this.#unsure.length = 0;
    writeWhole(join(this.directory, MANIFEST), encodeManifest({ ...this.#manifest, modules: this.#modules }));
    this.#isDirty = false;
  }

  /** Shows other machines that somebody is at it. */
  touch(): void {
    if (!this.#isThere) return;
    const now = Date.now() / 1000;
    utimesSync(join(this.directory, MANIFEST), now, now);
  }

  /** What comes for a snapshot that is over is dropped. */
  add(phase: number, worker: number, name: string, bytes: Uint8Array): void {
    const snapshot = this.#snapshot(phase);
    if (snapshot === undefined) return;
    snapshot.encoder.add(worker, name, bytes);
    snapshot.chunks++;
  }

  /** Whether all chunks have come, or none will; they come from several threads, in no order between those. */
  has(phase: number, chunks: number): boolean {
    return this.#over.has(phase) || (this.#open.get(phase)?.chunks ?? 0) >= chunks;
  }

  /** Undefined if it has been abandoned. */
  commit(phase: number, metadata: JsonObject): Written | undefined {
    const snapshot = this.#snapshot(phase);
    if (snapshot === undefined) return undefined;
    const { file, encoder } = snapshot;
    const meta = JSON.stringify(metadata);
    if (Buffer.byteLength(meta) > META_LIMIT)
      throw misuse(`what snapshot ${phase} says of itself is larger than ${META_LIMIT} bytes`);
    this.flush();
    // What came before the snapshot in time comes before it on the disk.
    this.traces.sync();
    const bytes = encoder.finish(Date.now(), meta);
    file.commit();
    this.#close(phase);
    this.traces.committed(phase);
    this.#makeRoom();
    return { phase, file: file.path, bytes, length: encoder.length };
  }

  abandon(phase: number): void {
    this.#open.get(phase)?.file.abandon();
    this.#close(phase);
  }

  /** Removes what is not whole and says that the recording has ended in order, and why, if not because the program has. */
  end(why: string | null = null): void {
    this.abandonAll();
    this.traces.end();
    if (!this.#isResting) this.#ended(why);
  }

  #ended(why: string | null): void {
    this.#manifest = { ...this.#manifest, ended: new Date().toISOString(), why };
    this.#isDirty = true;
    this.flush();
  }

  /** Never throws: for when nothing works any more. */
  abandonAll(): void {
    for (const phase of this.#open.keys()) this.abandon(phase);
  }

  #snapshot(phase: number): OpenSnapshot | undefined {
    if (this.#over.has(phase)) return undefined;
    const found = this.#open.get(phase);
    if (found !== undefined) return found;
    this.#isAsleep = false;
    let file: WholeFile | undefined;
    // The encoder writes the header at once.
    try {
      this.make();
      const whole = new WholeFile(snapshotPath(this.directory, phase), keyHere());
      file = whole;
      const encoder = new SnapshotEncoder(phase, (bytes) => whole.write(bytes), this.#level);
      const made = { file, encoder, chunks: 0 };
      this.#open.set(phase, made);
      return made;
    } catch (error) {
      file?.abandon();
      this.#close(phase);
      throw error;
    }
  }

  #close(phase: number): void {
    this.#open.delete(phase);
    this.#over.add(phase);
    const [oldest] = this.#over;
    if (this.#over.size > REMEMBERED && oldest !== undefined) this.#over.delete(oldest);
  }

  /** A snapshot goes with what the traces tell from its phase to the next one's. What was before the first one is the start of the program. */
  #makeRoom(): void {
    const segments = segmentsIn(this.directory).flatMap((segment) =>
      sizedOf(segment.phase, tracePath(this.directory, segment)),
    );
    const phases = phasesIn(this.directory);
    const snapshots = phases.flatMap((phase, place) => {
      const [snapshot] = sizedOf(phase, snapshotPath(this.directory, phase));
      const traced = segments.filter((each) => each.phase >= phase && each.phase < (phases[place + 1] ?? Infinity));
      return snapshot === undefined ? [] : [{ ...snapshot, bytes: snapshot.bytes + bytesOf(traced) }];
    });
    const [oldest] = snapshots;
    if (oldest === undefined) return;
    const surplus = surplusOf(snapshots, this.#retention, Date.now());
    const kept = snapshots[surplus.length] ?? oldest;
    const before = segments.filter(({ phase }) => phase < kept.phase);
    if (surplus.length > 0 || this.#isStartSurplus(before, snapshots))
      for (const { path } of before) if (!this.traces.open.has(path)) rmSync(path, { force: true });
    for (const { path } of surplus) rmSync(path, { force: true });
  }

  /** It is no snapshot that would count, but it takes room and grows old. */
  #isStartSurplus(start: readonly Sized[], snapshots: readonly Sized[]): boolean {
    if (start.length === 0) return false;
    const time = Math.max(...start.map((each) => each.time));
    const rules = { ...this.#retention, count: Infinity };
    return surplusOf([{ time, bytes: bytesOf(start) }, ...snapshots], rules, Date.now()).length > 0;
  }
}

interface Sized extends Kept {
  readonly phase: number;
  readonly path: string;
}

/** None, if it has gone. */
function sizedOf(phase: number, path: string): Sized[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? [] : [{ phase, path, time: stat.mtimeMs, bytes: stat.size }];
}

function bytesOf(all: readonly Kept[]): number {
  return all.reduce((sum, { bytes }) => sum + bytes, 0);
}
