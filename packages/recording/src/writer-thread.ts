// The writer's thread. It compresses and writes synchronously, so neither the service's loop nor libuv's pool, which its files and its
// cryptography need, ever waits for a snapshot. When something fails, what is not whole is removed and what is whole stays. Of a disk that is
// full or must not be written to the next snapshot finds out whether it still is; anything else turns the whole writer off, and whatever
// comes later is dropped.

import { join } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Control } from './control/control.ts';
import { WriterState, type Chunk, type ModuleText } from './feed.ts';
import { RecordingError, systemCode } from './recording-error.ts';
import { RecordingWriter, type Written } from './recording-writer.ts';
import { makeRoom, SILENCE, sweep } from './recordings.ts';
import { useKey } from './sealed/key.ts';
import { DEFAULT_LEVEL } from './snapshot-format.ts';
import { RecordingTraces } from './trace/recording-traces.ts';
import type { Commit, FromThread, ToThread, Trouble, WriterData } from './writer-messages.ts';

/** Modules come one by one while a program starts; a manifest for each would be written hundreds of times. */
const FLUSH_AFTER = 250;

/** How long what a worker has committed may wait before it is written, in milliseconds. A full chunk does not wait. */
export const DRAIN_EVERY = 50;

/** Reached by tests; in its thread, it makes itself. */
export class WriterThread {
  readonly #data: WriterData;
  readonly #state: WriterState;
  readonly #tell: (message: FromThread) => void;
  readonly #recordings = new Map<number, RecordingWriter>();
  readonly #names = new Map<number, string>();
  /** Those whose chunks have not all come. */
  readonly #waiting = new Set<Commit>();
  readonly #hearParent: () => void;
  #created = 0;
  /** The system's word for what keeps failing, which has been told, and how. */
  #told: string | undefined;
  #trouble: string | null = null;
  /** By which others ask; as long as there is a recording. */
  #control: Control | undefined;
  #last: RecordingWriter | undefined;
  #isClosing = false;
  #timer: NodeJS.Timeout | undefined;
  #touching: NodeJS.Timeout | undefined;
  #draining: NodeJS.Timeout | undefined;

  /** @param hearParent hears all that the parent has sent so far */
  constructor(data: WriterData, tell: (message: FromThread) => void, hearParent: () => void) {
    this.#data = data;
    this.#hearParent = hearParent;
    this.#state = new WriterState(data.state);
    this.#tell = tell;
  }

  hear(message: ToThread): void {
    try {
      this.#do(message);
    } catch (error) {
      this.#fail(error);
    }
    if (message.what === 'add') this.#state.count(-message.bytes.length);
    else if (message.what === 'module') this.#state.count(-message.text.length);
    // Behind the count: who is told that a snapshot is written finds none of it pending.
    this.#commitWaiting();
    if (this.#isClosing && this.#waiting.size === 0) this.#close();
  }

  #do(message: ToThread): void {
    if (message.what === 'feed') return void message.port.on('message', (fed: Chunk | ModuleText) => this.hear(fed));
    if (message.what === 'close') {
      this.#isClosing = true;
      return;
    }
    if (message.what === 'create') return this.#create(message);
    if (message.what === 'flush') {
      this.#ofEach((each) => each.traces.sync());
      return this.#tell({ what: 'flushed', number: message.number });
    }
    if (message.what === 'published') return this.#control?.published();
    if (message.what === 'grants') return this.#control?.begins();
    if (message.what === 'granted') return this.#control?.granted(message.number, message.taken, message.why);
    // Ports of two threads have no order between them: a feed's chunk can be here before its recording.
    if ((message.what === 'add' || message.what === 'module') && message.recording > this.#created) this.#hearParent();
    const recording = this.#recordings.get(message.recording);
    if (recording === undefined) {
      if (message.what === 'commit') this.#over(message, undefined);
      // Nobody takes what its worker sends.
      if (message.what === 'trace') message.port.close();
      return;
    }
    switch (message.what) {
      case 'add':
        return recording.add(message.phase, message.worker, message.name, message.bytes);
      case 'module':
        recording.addModule(message.url, message.text, message.settings);
        return this.#flushSoon();
      case 'update':
        recording.update(message.patch);
        return this.#flushSoon();
      case 'commit':
        return void this.#waiting.add(message);
      case 'abandon':
        return recording.abandon(message.phase);
      case 'trace':
        recording.traces.add(message);
        this.#draining ??= setInterval(() => this.#ofEach((each) => each.traces.drain()), DRAIN_EVERY);
        return;
      case 'due':
        return recording.traces.whenDue(message.bytes);
      case 'resume':
        return recording.resume();
      case 'rest':
        return recording.rest(message.why);
      case 'end':
        recording.end(message.why);
        return void this.#recordings.delete(message.recording);
      default:
        return message satisfies never;
    }
  }

  #create({ recording, name, manifest, counts, isLater }: Extract<ToThread, { what: 'create' }>): void {
    this.#created = recording;
    if (this.#state.isOff) return;
    const { recordings, snapshotRetention, level, processStart } = this.#data;
    if (this.#names.size === 0) sweep(recordings, processStart);
    this.#names.set(recording, name);
    const directory = join(recordings, name);
    const made = new RecordingWriter(
      directory,
      manifest,
      new RecordingTraces(directory, counts, level ?? DEFAULT_LEVEL, {
        failed: (error) => this.#fail(error, true),
        stopped: (worker, why) => this.#stopped(worker, why),
        due: () => this.#tell({ what: 'due', recording }),
      }),
      { retention: snapshotRetention, level, isLater },
    );
    this.#recordings.set(recording, made);
    this.#last = made;
    this.#beControlled();
    made.make();
    this.#touching ??= setInterval(() => this.#ofEach((each) => each.touch()), SILENCE / 6);
  }

  #beControlled(): void {
    const { services } = this.#data;
    if (services.length === 0 || this.#control !== undefined) return;
    this.#control = new Control({
      recording: () => this.#last,
      trouble: () => this.#trouble,
      isOff: () => this.#state.isOff,
      flush: () =>
        this.#ofEach((each) => {
          each.traces.sync();
          each.flush();
        }),
      publish: () => this.#tell({ what: 'publish' }),
      wish: (number, wish) => this.#tell({ what: 'wish', number, wish }),
    });
    // Where there can be no socket it is recorded all the same.
    this.#control.open(services).catch(() => {});
  }

  #commitWaiting(): void {
    for (const commit of this.#waiting) {
      const recording = this.#recordings.get(commit.recording);
      if (recording !== undefined && !recording.has(commit.phase, commit.chunks)) continue;
      this.#waiting.delete(commit);
      let written: Written | undefined;
      try {
        written = recording?.commit(commit.phase, commit.meta);
        if (written !== undefined) this.#isWritten(commit.recording);
      } catch (error) {
        this.#fail(error);
      }
      this.#over(commit, written);
    }
  }

  #isWritten(recording: number): void {
    this.#told = undefined;
    this.#trouble = null;
    this.#makeRoom(recording);
  }

  /** Only behind a commit: as long as a new recording has no snapshot, the last one of an old recording is all there is. */
  #makeRoom(recording: number): void {
    const { recordings, recordingRetention, processStart } = this.#data;
    makeRoom(recordings, recordingRetention, this.#names.get(recording) ?? '', processStart);
  }

  #over({ recording, phase }: Commit, written: Written | undefined): void {
    this.#tell({ what: 'over', recording, phase, written });
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#ofEach((recording) => recording.flush());
    }, FLUSH_AFTER);
  }

  #ofEach(act: (recording: RecordingWriter) => void): void {
    try {
      for (const recording of this.#recordings.values()) act(recording);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param isTrace whether it is a trace that has a gap now, and what else is being written may still succeed */
  #fail(error: unknown, isTrace = false): void {
    if (this.#state.isOff) return;
    const code = systemCode(error) ?? '';
    // Traces of what could not be made are not there either, and why that is has been told.
    const isOfNone = code === 'ENOENT' && [...this.#recordings.values()].some((each) => !each.isThere);
    const isPassing = Object.hasOwn(PASSING, code);
    this.#state.setFailed();
    if (!isPassing) this.#state.turnOff(true);
    if (!isPassing || !isTrace) {
      for (const recording of this.#recordings.values()) recording.abandonAll();
      for (const commit of this.#waiting) this.#over(commit, undefined);
      this.#waiting.clear();
    }
    if (!isPassing) {
      for (const recording of this.#recordings.values()) recording.traces.end();
      this.#recordings.clear();
      this.#control?.fails('nothing can be recorded any more');
    }
    if (this.#told !== code && !(isOfNone && this.#told !== undefined)) {
      const trouble = troubleOf(error, this.#data.recordings, isPassing, isTrace);
      this.#trouble = trouble.message;
      this.#tell({ what: 'trouble', trouble });
    }
    this.#told = code;
  }

  #stopped(worker: number, why: string): void {
    if (this.#told === why) return;
    this.#told = why;
    const message = `the trace of worker ${worker} ends here: ${why}; what came before can be replayed, and another trace begins with the next snapshot`;
    const trouble = {
      code: 'TT_RECORDING_WRITE',
      message,
      isPassing: true,
      file: undefined,
      cause: undefined,
    } as const;
    this.#state.setFailed();
    this.#trouble = message;
    this.#tell({ what: 'trouble', trouble });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#isClosing = false;
    clearInterval(this.#touching);
    clearInterval(this.#draining);
    this.#control?.close();
    this.#ofEach((recording) => recording.end());
    this.#recordings.clear();
    this.#state.setClosed();
    this.#tell({ what: 'closed' });
  }
}

/** What to do about what may be otherwise the next time. */
const PASSING: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on that disk, or set a smaller retention',
  EDQUOT: 'raise the quota, or set a smaller retention',
  EFBIG: 'raise the limit on the size of files, or set a smaller retention',
  EACCES: 'give this user the right to write there, or record elsewhere',
  EPERM: 'give this user the right to write there, or record elsewhere',
  EROFS: 'record to a disk that can be written to',
  EMFILE: 'let the process have more files open',
  ENFILE: 'let the machine have more files open',
};

const REMEDIES: Readonly<Record<string, string>> = {
  ...PASSING,
  ENOENT: 'do not delete a recording while it is being written',
  ENOTDIR: 'have recordings go to a directory',
  EEXIST: 'have recordings go to a directory',
};

function troubleOf(error: unknown, recordings: string, isPassing: boolean, isTrace: boolean): Trouble {
  const { path } = error as { path?: unknown };
  const file = error instanceof RecordingError ? error.file : typeof path === 'string' ? path : undefined;
  const why = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[systemCode(error) ?? ''] ?? 'see the cause';
  const place = file ?? recordings;
  const otherwise = isTrace
    ? `the trace ends here, nothing more of it can be recorded to ${place}: ${why}; what came before can be replayed, and another trace begins with the next snapshot; ${remedy}`
    : `nothing can be recorded to ${place}: ${why}; snapshots already there stay usable, each trigger tries again; ${remedy}`;
  return {
    code: 'TT_RECORDING_WRITE',
    message: isPassing
      ? otherwise
      : `nothing is recorded any more to ${place}: ${why}; snapshots already there stay usable; ${remedy}, then start again`,
    isPassing,
    file,
    cause: error,
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const hearParent = (): void => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      thread.hear((next as { message: ToThread }).message);
  };
  const data = workerData as WriterData;
  useKey(data.key);
  const thread = new WriterThread(data, (message) => port.postMessage(message), hearParent);
  port.on('message', (message: ToThread) => thread.hear(message));
}
