// Stores the checkpoints of a run index build in a directory that can be read as a recording. A writer thread writes
// them; a disk error only means fewer checkpoints. Above the size budget, every second checkpoint is deleted, and only
// every second new one is kept.
import { rmSync } from 'node:fs';
import { describeProcess, snapshotPath, startWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { STATE_PART } from '../recorder/part-feed.ts';
import { version } from '../version.ts';
import type { CutKey, CompleteCheckpoint } from './replay-outcome.ts';

const MAX_CHECKPOINT_BYTES = 256 << 20;

export class CheckpointStore {
  readonly #directory: string;
  readonly #workers: number;
  #writer: Writer | undefined;
  #liveRecording: LiveRecording | undefined;
  /** Parts of incomplete checkpoints, by phase. */
  readonly #incompleteParts = new Map<number, (readonly [worker: number, bytes: Uint8Array])[]>();
  readonly #commits = new Map<number, Promise<unknown>>();
  readonly #maxBytes: number;
  /** Sizes in bytes of the kept checkpoints, by phase in ascending order; 0 until a checkpoint is written. */
  readonly #keptBytes = new Map<number, number>();
  /** Number of complete checkpoints. One of every `#keepEvery` checkpoints is kept. */
  #completeCount = 0;
  #keepEvery = 1;

  /** @param directory empty directory for the checkpoints @param workers number of the program's workers */
  constructor(directory: string, workers: number, maxBytes: number = MAX_CHECKPOINT_BYTES) {
    this.#directory = directory;
    this.#workers = workers;
    this.#maxBytes = maxBytes;
  }

  addPart({ phase, worker }: CutKey, bytes: Uint8Array): void {
    const parts = this.#incompleteParts.get(phase);
    if (parts === undefined) this.#incompleteParts.set(phase, [[worker, bytes]]);
    else parts.push([worker, bytes]);
  }

  /** Keeps or drops a checkpoint whose parts have all been added. Must be called in the order of phases. */
  complete({ phase, epochs }: CompleteCheckpoint): void {
    if (this.#completeCount++ % this.#keepEvery !== 0) return void this.#incompleteParts.delete(phase);
    const liveRecording = this.#openRecording();
    const parts = this.#incompleteParts.get(phase) ?? [];
    for (const [worker, bytes] of parts) liveRecording.add(phase, worker, STATE_PART, bytes);
    this.#keptBytes.set(phase, 0);
    const commit = liveRecording.commitSnapshot(phase, { epochs }, parts.length);
    this.#commits.set(phase, commit);
    void commit.then((entry) => this.#addBytes(phase, entry?.bytes ?? 0));
    this.#incompleteParts.delete(phase);
  }

  #addBytes(phase: number, bytes: number): void {
    if (!this.#keptBytes.has(phase)) return;
    this.#keptBytes.set(phase, bytes);
    const totalBytes = [...this.#keptBytes.values()].reduce((sum, each) => sum + each, 0);
    if (totalBytes > this.#maxBytes) this.#thin();
  }

  /** Deletes every second checkpoint, and doubles the spacing of new ones. */
  #thin(): void {
    this.#keepEvery *= 2;
    this.drop([...this.#keptBytes.keys()].filter((_, at) => at % 2 === 1));
  }

  drop(phases: readonly number[]): void {
    for (const phase of phases) {
      this.#incompleteParts.delete(phase);
      this.#keptBytes.delete(phase);
      const commit = this.#commits.get(phase);
      if (commit === undefined) continue;
      const remove = (): void => rmSync(snapshotPath(this.#openRecording().directory, phase), { force: true });
      this.#commits.set(phase, commit.then(remove));
    }
  }

  /** Resolves when all checkpoints are written, with the directory; undefined if there are none. */
  async close(): Promise<string | undefined> {
    if (this.#liveRecording === undefined || this.#writer === undefined) return undefined;
    await Promise.allSettled(this.#commits.values());
    this.#liveRecording.end();
    await this.#writer.close();
    return this.#liveRecording.directory;
  }

  #openRecording(): LiveRecording {
    // Write errors are ignored: the checkpoint is left out.
    this.#writer ??= startWriter({ recordings: this.#directory, onError: () => undefined });
    return (this.#liveRecording ??= this.#writer.create(
      describeProcess({ turntable: version, workers: this.#workers }),
    ));
  }
}
