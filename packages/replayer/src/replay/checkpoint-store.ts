// The states that a run index's run again writes between the snapshots of its recording: taken from the process that runs it, and written as snapshots are, by a thread of its own, into a directory that is
// read as a recording that has nothing else. Whatever the disk does, there are fewer of them; and where they take too much of it every second one goes, as often as is needed, and of those to come as many are left out.
import { rmSync } from 'node:fs';
import { describeProcess, snapshotPath, startWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { STATE_PART } from '../recorder/part-feed.ts';
import { version } from '../version.ts';
import type { CutKey, CompleteCheckpoint } from './replay-outcome.ts';

/** Bytes on the disk. */
const MAX_CHECKPOINT_BYTES = 256 << 20;

export class CheckpointStore {
  readonly #directory: string;
  readonly #workers: number;
  #writer: Writer | undefined;
  #liveRecording: LiveRecording | undefined;
  /** Parts of those that are not whole, by phase. */
  readonly #incompleteParts = new Map<number, (readonly [worker: number, bytes: Uint8Array])[]>();
  readonly #commits = new Map<number, Promise<unknown>>();
  readonly #maxBytes: number;
  /** What those that are kept take, by phase, in their order. */
  readonly #keptBytes = new Map<number, number>();
  /** So many have become whole, of which each so-manieth is kept. */
  #completeCount = 0;
  #keepEvery = 1;

  /** @param directory for what is made, with nothing else in it @param workers of the program @param maxBytes bytes that states may take */
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

  /** They become whole in the order of their phases. */
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

  /** What is left, and what comes, lies twice as far apart. */
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

  /** Answers where they are, when all are there; nothing, if there are none. */
  async close(): Promise<string | undefined> {
    if (this.#liveRecording === undefined || this.#writer === undefined) return undefined;
    await Promise.allSettled(this.#commits.values());
    this.#liveRecording.end();
    await this.#writer.close();
    return this.#liveRecording.directory;
  }

  #openRecording(): LiveRecording {
    // What the disk does not take is not there.
    this.#writer ??= startWriter({ recordings: this.#directory, onError: () => undefined });
    return (this.#liveRecording ??= this.#writer.create(
      describeProcess({ turntable: version, workers: this.#workers }),
    ));
  }
}
