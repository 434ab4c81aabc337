// What keeps a running program's snapshots: a recording in the directory of recordings, written by a thread of its own. Whatever happens to the
// disk, the program goes on.
import { describeProcess, startWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { RuntimeError, type App, type Snapshot } from '@turntable/runtime';

export interface RecorderOptions {
  /** Where recordings are. */
  readonly directory: string;
  readonly version: string;
  readonly workers: number;
  readonly entry: string | undefined;
}

/** A snapshot that is on the disk. */
export interface TakenSnapshot {
  readonly phase: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly bytes: number;
}

export class Recorder {
  readonly #app: App;
  readonly #writer: Writer;
  readonly #recording: LiveRecording;
  /** Those who ask while as many are written as may be share the next one. */
  readonly #taken = new WeakMap<Snapshot, Promise<TakenSnapshot | undefined>>();

  constructor(app: App, { directory, version, workers, entry }: RecorderOptions) {
    this.#app = app;
    this.#writer = startWriter({ recordings: directory });
    this.#recording = this.#writer.create(describeProcess({ turntable: version, workers, entry: entry ?? null }));
    process.once('exit', () => this.#recording.end());
  }

  get directory(): string {
    return this.#recording.directory;
  }

  /** Takes a snapshot and answers when it is on the disk; nothing if the disk does not take it, which has been told. */
  async take(): Promise<TakenSnapshot | undefined> {
    const snapshot = await this.#app.snapshot();
    let taken = this.#taken.get(snapshot);
    if (taken === undefined) this.#taken.set(snapshot, (taken = this.#write(snapshot)));
    return taken;
  }

  async #write({ phase, parts }: Snapshot): Promise<TakenSnapshot | undefined> {
    const lives = Object.fromEntries(parts.map(({ worker, life }) => [worker, life]));
    const pauses = Object.fromEntries(parts.map(({ worker, pauses: each }) => [worker, { ...each }]));
    const file = this.#recording.beginSnapshot(phase, { lives, pauses });
    for (const { worker, bytes } of parts) file.add(worker, PART, bytes);
    const written = await file.commit({ holds: true });
    return written === undefined ? undefined : { phase, recording: this.directory, bytes: written.bytes };
  }
}

/** The name of a worker's part. */
export const PART = 'state';

export function notRecorded(): RuntimeError {
  return new RuntimeError(
    'TT_NO_SNAPSHOT',
    'this program is not recorded: start it with --recordings DIR, or with TURNTABLE_RECORDINGS=DIR in the environment',
  );
}
