// What keeps a running program's snapshots: a recording in the directory of recordings, written by a thread of its own, and what it is that
// triggers them. Whatever happens to the disk, the program goes on: of snapshots that cannot be had there is one warning.
import { bytesOf, millisecondsOf, type SnapshotRetention, type SnapshotTriggers } from '@turntable/loader';
import { describeProcess, startWriter, type LiveRecording, type Retention, type Writer } from '@turntable/recording';
import { RuntimeError, type App, type Snapshot } from '@turntable/runtime';

export interface RecorderOptions {
  /** Where recordings are. */
  readonly directory: string;
  readonly version: string;
  readonly workers: number;
  readonly entry: string | undefined;
  readonly snapshots: SnapshotTriggers;
  readonly keep: SnapshotRetention;
}

/** A snapshot that is on the disk. */
export interface TakenSnapshot {
  readonly phase: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly bytes: number;
}

/** The name of a worker's part. */
export const PART = 'state';

const { setInterval: nativeSetInterval } = globalThis;

export class Recorder {
  readonly #app: App;
  readonly #writer: Writer;
  readonly #recording: LiveRecording;
  readonly #triggers: SnapshotTriggers;
  readonly #written = new WeakMap<Snapshot, Promise<TakenSnapshot | undefined>>();
  /** What was told of why there is none. */
  #told: string | undefined;

  constructor(app: App, { directory, version, workers, entry, snapshots, keep }: RecorderOptions) {
    this.#app = app;
    this.#triggers = snapshots;
    this.#writer = startWriter({ recordings: directory, retention: { snapshots: retentionOf(keep) } });
    this.#recording = this.#writer.create(describeProcess({ turntable: version, workers, entry: entry ?? null }));
    process.once('exit', () => this.#writer.closeSync());
    const { every, turns, signal } = snapshots;
    const interval = millisecondsOf(every);
    if (interval !== undefined) nativeSetInterval(() => this.#trigger(), interval).unref();
    if (signal !== undefined) process.on(signal, () => this.#trigger());
    if (turns !== undefined) app.whenTurned(turns, () => this.#trigger());
  }

  get directory(): string {
    return this.#recording.directory;
  }

  /** Takes a snapshot and answers when it is on the disk; nothing if the disk does not take it, which has been told. */
  async take(): Promise<TakenSnapshot | undefined> {
    const snapshot = await this.#app.snapshot();
    // Who asks while many are being written gets the same.
    let written = this.#written.get(snapshot);
    if (written === undefined) this.#written.set(snapshot, (written = this.#write(snapshot)));
    return written;
  }

  async #write({ phase, parts }: Snapshot): Promise<TakenSnapshot | undefined> {
    const lives = Object.fromEntries(parts.map(({ worker, life }) => [worker, life]));
    const pauses = Object.fromEntries(parts.map(({ worker, pauses: each }) => [worker, { ...each }]));
    const file = this.#recording.beginSnapshot(phase, { lives, pauses });
    for (const { modules } of parts) for (const [url, text] of modules) this.#recording.addModule(url, text);
    for (const { worker, bytes } of parts) file.add(worker, PART, bytes);
    const written = await file.commit({ holds: true });
    return written === undefined ? undefined : { phase, recording: this.directory, bytes: written.bytes };
  }

  /** All is done. */
  async end(): Promise<void> {
    if (this.#triggers.end === true) await this.#attempt();
    this.#recording.end();
    await this.#writer.close();
  }

  #trigger(): void {
    void this.#attempt();
  }

  async #attempt(): Promise<void> {
    try {
      await this.take();
      this.#told = undefined;
    } catch (error) {
      const { message } = error as Error;
      // The same reason again is no news.
      const reason = message.replaceAll(/\d+/g, '');
      if (this.#told === reason) return;
      this.#told = reason;
      process.emitWarning(`${message}; the program goes on without`, { code: 'TT_NO_SNAPSHOT' });
    }
  }
}

function retentionOf({ count, age, bytes }: SnapshotRetention): Retention {
  const milliseconds = millisecondsOf(age);
  const size = bytesOf(bytes);
  return {
    ...(count === undefined ? {} : { count }),
    ...(milliseconds === undefined ? {} : { age: milliseconds }),
    ...(size === undefined ? {} : { bytes: size }),
  };
}

export function notRecorded(): RuntimeError {
  return new RuntimeError(
    'TT_NO_SNAPSHOT',
    'this program is not recorded: start it with --recordings DIR, or with TURNTABLE_RECORDINGS=DIR in the environment',
  );
}
