// The states that a survey's run again writes between the snapshots of its recording: taken from the process that runs it, and written as snapshots are, by a thread of its own, into a directory that is
// read as a recording that has nothing else. Whatever the disk does, there are fewer of them; and where they take too much of it every second one goes, as often as is needed, and of those to come as many are left out.
import { rmSync } from 'node:fs';
import { describeProcess, snapshotPath, startWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { PART } from '../recorder/part-feed.ts';
import { version } from '../version.ts';
import type { CutOf, WholeState } from './outcome.ts';

/** Bytes on the disk. */
const MOST = 256 << 20;

export class SurveyStates {
  readonly #directory: string;
  readonly #workers: number;
  #writer: Writer | undefined;
  #live: LiveRecording | undefined;
  /** Parts of those that are not whole, by phase. */
  readonly #parts = new Map<number, (readonly [worker: number, bytes: Uint8Array])[]>();
  readonly #written = new Map<number, Promise<unknown>>();
  readonly #most: number;
  /** What those that are kept take, by phase, in their order. */
  readonly #kept = new Map<number, number>();
  /** So many have become whole, of which each so-manieth is kept. */
  #count = 0;
  #each = 1;

  /** @param directory for what is made, with nothing else in it @param workers of the program @param most bytes that states may take */
  constructor(directory: string, workers: number, most: number = MOST) {
    this.#directory = directory;
    this.#workers = workers;
    this.#most = most;
  }

  part({ phase, worker }: CutOf, bytes: Uint8Array): void {
    const parts = this.#parts.get(phase);
    if (parts === undefined) this.#parts.set(phase, [[worker, bytes]]);
    else parts.push([worker, bytes]);
  }

  /** They become whole in the order of their phases. */
  whole({ phase, lives }: WholeState): void {
    if (this.#count++ % this.#each !== 0) return void this.#parts.delete(phase);
    const live = this.#begun();
    const parts = this.#parts.get(phase) ?? [];
    for (const [worker, bytes] of parts) live.add(phase, worker, PART, bytes);
    this.#kept.set(phase, 0);
    const written = live.commitSnapshot(phase, { lives }, parts.length);
    this.#written.set(phase, written);
    void written.then((its) => this.#takes(phase, its?.bytes ?? 0));
    this.#parts.delete(phase);
  }

  #takes(phase: number, bytes: number): void {
    if (!this.#kept.has(phase)) return;
    this.#kept.set(phase, bytes);
    const all = [...this.#kept.values()].reduce((sum, each) => sum + each, 0);
    if (all > this.#most) this.#thin();
  }

  /** What is left, and what comes, lies twice as far apart. */
  #thin(): void {
    this.#each *= 2;
    this.drop([...this.#kept.keys()].filter((_, at) => at % 2 === 1));
  }

  drop(phases: readonly number[]): void {
    for (const phase of phases) {
      this.#parts.delete(phase);
      this.#kept.delete(phase);
      const written = this.#written.get(phase);
      if (written === undefined) continue;
      const remove = (): void => rmSync(snapshotPath(this.#begun().directory, phase), { force: true });
      this.#written.set(phase, written.then(remove));
    }
  }

  /** Answers where they are, when all are there; nothing, if there are none. */
  async close(): Promise<string | undefined> {
    if (this.#live === undefined || this.#writer === undefined) return undefined;
    await Promise.allSettled(this.#written.values());
    this.#live.end();
    await this.#writer.close();
    return this.#live.directory;
  }

  #begun(): LiveRecording {
    // What the disk does not take is not there.
    this.#writer ??= startWriter({ recordings: this.#directory, onTrouble: () => undefined });
    return (this.#live ??= this.#writer.create(describeProcess({ turntable: version, workers: this.#workers })));
  }
}
