// The states that a survey's run again writes between the snapshots of its recording: taken from the process that runs it, and written as snapshots are, by a thread of its own, into a directory that is
// read as a recording that has nothing else. Whatever the disk does, there are fewer of them.
import { rmSync } from 'node:fs';
import { describeProcess, snapshotPath, startWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { PART } from '../recorder/part-feed.ts';
import { version } from '../version.ts';
import type { CutOf, WholeState } from './outcome.ts';

export class SurveyStates {
  readonly #directory: string;
  readonly #workers: number;
  #writer: Writer | undefined;
  #live: LiveRecording | undefined;
  /** Parts of those that are not whole, by phase. */
  readonly #parts = new Map<number, (readonly [worker: number, bytes: Uint8Array])[]>();
  readonly #written = new Map<number, Promise<unknown>>();

  /** @param directory for what is made, with nothing else in it @param workers of the program */
  constructor(directory: string, workers: number) {
    this.#directory = directory;
    this.#workers = workers;
  }

  part({ phase, worker }: CutOf, bytes: Uint8Array): void {
    const parts = this.#parts.get(phase);
    if (parts === undefined) this.#parts.set(phase, [[worker, bytes]]);
    else parts.push([worker, bytes]);
  }

  /** They become whole in the order of their phases. */
  whole({ phase, lives }: WholeState): void {
    const snapshot = this.#begun().beginSnapshot(phase, { lives });
    for (const [worker, bytes] of this.#parts.get(phase) ?? []) snapshot.add(worker, PART, bytes);
    this.#written.set(phase, snapshot.commit());
    this.#parts.delete(phase);
  }

  drop(phases: readonly number[]): void {
    for (const phase of phases) {
      this.#parts.delete(phase);
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
