// What keeps a running program's snapshots: a recording in the directory of recordings, written by a thread of its own, and what it is that
// triggers them. Whatever happens to the disk, the program goes on: of snapshots that cannot be had there is one warning.
import {
  bytesOf,
  functionBehind,
  millisecondsOf,
  type KeptLimits,
  type LoaderOptions,
  type SnapshotTriggers,
} from '@turntable/loader';
import {
  describeProcess,
  servicePlaces,
  startWriter,
  type JsonObject,
  type LiveRecording,
  type Manifest,
  type Origin,
  type TraceHandle,
  type Writer,
} from '@turntable/recording';
import type { MessagePort } from 'node:worker_threads';
import { RuntimeError, type App, type PartSink, type Snapshot, type SnapshotPlace } from '@turntable/runtime';
import { within } from '../restore/image.ts';
import { feedOf, PartFeed } from './part-feed.ts';
import { retentionOf } from './retention.ts';
import { stoppedIn } from './recording-notes.ts';
import { WorkDue } from './work-due.ts';
import type { Traced } from '../thread/threads-tape.ts';

export interface RecorderOptions {
  /** Where recordings are. */
  readonly directory: string;
  readonly version: string;
  readonly workers: number;
  readonly entry: string | undefined;
  /** Of the program, if the process was started with others. */
  readonly argv: readonly string[] | undefined;
  readonly snapshots: SnapshotTriggers;
  readonly keep: KeptLimits;
  readonly later: LoaderOptions['later'];
  readonly services: boolean;
  /** What the program goes on from, and how often the process has. */
  readonly continues: Origin | undefined;
  readonly epoch: number;
  /** How the program was started, for whoever goes on. */
  readonly notes: JsonObject;
  /** The recording that was begun before the program, if it has traces. */
  readonly traced: Traced | undefined;
  /** Whether the evaluation of the program is still to begin. */
  isAwaited(): boolean;
}

/** A snapshot that is on the disk. */
export interface TakenSnapshot {
  readonly phase: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly bytes: number;
}

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval, setTimeout: nativeSetTimeout } = globalThis;
/** The host's own answer: the program's may be a recorded one. */
const cpuUsage = (functionBehind(process.cpuUsage) ?? process.cpuUsage) as typeof process.cpuUsage;
/** Milliseconds. */
const SOON = 1;
/** Between two looks at what was computed. */
const OFTEN = 50;
/** As often at least while so much is computed that a snapshot is due. */
const OFTENER = 5;
/** Why a recording has ended that its program, or a signal, has ended. */
const STOPPED = 'stopped';
/** Milliseconds: longer than anybody waits. */
const LONG = 2 ** 30;

/** Who is told for how long a snapshot that is on the disk has kept the threads. */
type Taken = ReturnType<WorkDue['begins']> | undefined;

export class Recorder {
  readonly #app: App;
  readonly #writer: Writer;
  readonly #recording: LiveRecording;
  readonly #traced: Traced | undefined;
  /** Where this thread's parts go. */
  readonly sink: PartSink;
  readonly #triggers: SnapshotTriggers;
  readonly #isAwaited: () => boolean;
  readonly #written = new WeakMap<Snapshot, Promise<TakenSnapshot | undefined>>();
  #notes: JsonObject;
  /** The last one, of a program on one thread, has been had. */
  #hasEnded = false;
  /** All is done, and the threads are about to end. */
  #isOver = false;
  /** Snapshots on their way to the disk. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** Of snapshots that are not there yet: those that are due, those that were asked for. */
  #tries = 0;
  #awaited = 0;
  /** Until it is settled no other one begins its way. */
  #paused: PromiseWithResolvers<void> | undefined;
  /** What was told of why there is none. */
  #told: string | undefined;
  /** Whether it waits to be told to begin. */
  #isResting: boolean;
  readonly #isLater: boolean;
  #last: SnapshotPlace | undefined;
  /** If one is due by what was computed. */
  #due: WorkDue | undefined;

  constructor(app: App, options: RecorderOptions) {
    const { workers, snapshots, notes, traced, later } = options;
    this.#app = app;
    this.#triggers = snapshots;
    this.#isAwaited = options.isAwaited;
    this.#traced = traced;
    this.#notes = notes;
    this.#isLater = this.#isResting = later !== undefined && traced !== undefined;
    if (later?.signal !== undefined) process.on(later.signal, () => void this.#toggle());
    if (traced === undefined) {
      this.#writer = startWriter({
        recordings: options.directory,
        retention: retentionOf(options.keep),
        services: options.services ? servicePlaces(process.env) : [],
      });
      this.#recording = this.#writer.create(manifestOf(options));
      process.once('exit', () => this.#writer.closeSync());
    } else {
      this.#writer = traced.writer;
      this.#recording = traced.recording;
      this.#recording.update({ workers, notes });
    }
    this.#writer.grant({
      start: () => this.#wished(() => this.begin()),
      stop: () => this.#wished(() => this.rest()),
      snapshot: () => this.#wished(() => this.#take()),
    });
    this.sink = new PartFeed(this.feed().data, 0);
    const { every, work, turns, requests, trace, signal } = snapshots;
    const most = bytesOf(trace);
    const [interval, computed] = [millisecondsOf(every), millisecondsOf(work)];
    if (interval !== undefined) nativeSetInterval(() => this.#intervalPasses(), interval).unref();
    if (computed !== undefined) {
      const due = (this.#due = new WorkDue(computed, spentHere));
      nativeSetInterval(() => this.#looks(due), Math.min(OFTEN, Math.max(SOON, computed / OFTENER))).unref();
    }
    if (most !== undefined) this.#recording.whenTraced(most, () => this.#trigger());
    if (signal !== undefined) process.on(signal, () => this.#trigger());
    if (turns !== undefined || requests !== undefined) app.whenDue({ turns, requests }, () => this.#trigger());
  }

  get directory(): string {
    return this.#recording.directory;
  }

  /** What a worker makes its sink of. */
  feed(): ReturnType<typeof feedOf> {
    return feedOf(this.#writer, this.#recording);
  }

  addModule(url: string, text: string, settings: string): void {
    this.#recording.addModule(url, text, settings);
  }

  /** What a worker makes the sink of its trace of, if there are traces. */
  trace(
    worker: number,
    life: number,
    phase: number,
  ): { readonly data: TraceHandle; readonly transfer: MessagePort[] } | undefined {
    if (this.#traced === undefined) return undefined;
    const data = this.#recording.trace(worker, life, phase);
    return { data, transfer: [data.port] };
  }

  /** There will be no snapshot of that phase. */
  abandon(phase: number): void {
    this.#recording.abandon(phase);
  }

  /** The last one that is on the disk. */
  get last(): SnapshotPlace | undefined {
    return this.#last;
  }

  /** Whether a snapshot that somebody has asked for is not there yet. */
  get isSnapshotAwaited(): boolean {
    return this.#awaited > 0;
  }

  /** Takes a snapshot and answers when it is on the disk; nothing if the disk does not take it, which has been told. */
  async take(): Promise<TakenSnapshot | undefined> {
    this.#awaited++;
    try {
      return await this.#take();
    } finally {
      this.#awaited--;
    }
  }

  async #take(): Promise<TakenSnapshot | undefined> {
    // Without a pause the phase begins at once: awaiting nothing would let other code run first.
    if (this.#paused !== undefined) await this.#paused.promise;
    const taken = this.#due?.begins();
    const snapshot = await this.#app.snapshot();
    // Callers that ask while many snapshots are being written share one.
    let written = this.#written.get(snapshot);
    if (written === undefined) this.#written.set(snapshot, (written = this.#commit(snapshot, taken)));
    return written;
  }

  /** Workers have sent the bytes of their parts to the writer by then, or are sending them: it waits for as many chunks as they have told. */
  async #commit({ phase, parts }: Snapshot, taken: Taken): Promise<TakenSnapshot | undefined> {
    if (this.#paused !== undefined) await this.#paused.promise;
    this.#traced?.look();
    const lives = Object.fromEntries(parts.map(({ worker, life }) => [worker, life]));
    const pauses = Object.fromEntries(parts.map(({ worker, pauses: each }) => [worker, { ...each }]));
    const chunks = parts.reduce((sum, part) => sum + part.chunks, 0);
    const committed = this.#recording.commitSnapshot(phase, { lives, pauses }, chunks);
    this.#underWay.add(committed);
    const written = await committed;
    this.#underWay.delete(committed);
    if (written === undefined) return undefined;
    taken?.(parts.reduce((sum, { pauses: each }) => sum + each.total, 0));
    // Of two that are written at once the earlier one may be the last to be there.
    const recording = this.directory;
    if (this.#last === undefined || this.#last.phase < phase) this.#last = { recording, phase };
    return { phase, recording, bytes: written.bytes };
  }

  /** From now on it is recorded, if it was not before: answers as `take`, with the snapshot that a replay can begin with. */
  async begin(): Promise<TakenSnapshot | undefined> {
    if (!this.#isResting) return this.take();
    this.#isResting = false;
    this.#recording.begin(this.#app.phase + 1);
    try {
      return await this.take();
    } catch (error) {
      this.#rest('without a snapshot');
      throw error;
    }
  }

  /** It is recorded no further than the snapshot that it answers, until it begins again. */
  async rest(): Promise<TakenSnapshot | undefined> {
    if (!this.#isLater)
      throw new RuntimeError(
        'TT_OPTIONS',
        "this program is recorded from its start to its end; to begin and to end at other times, start it with the setting trace: 'later'",
      );
    if (this.#isResting) return undefined;
    try {
      return await this.take();
    } finally {
      this.#rest(STOPPED);
    }
  }

  #rest(why: string): void {
    this.#isResting = true;
    this.#notes = { ...this.#notes, stopped: [...stoppedIn(this.#notes), this.#app.phase] };
    this.#recording.update({ notes: this.#notes });
    this.#recording.rest(why);
  }

  async #toggle(): Promise<void> {
    if (this.#paused === undefined) await this.#tried(() => (this.#isResting ? this.begin() : this.rest()));
  }

  /** Asked for from outside, where it counts as a trigger does. */
  async #wished(take: () => Promise<TakenSnapshot | undefined>): Promise<TakenSnapshot | undefined> {
    while (this.#isAwaited()) await new Promise<void>((settle) => nativeSetTimeout(settle, SOON).unref());
    if (this.#isOver) throw new RuntimeError('TT_NO_SNAPSHOT', 'the program is about to end');
    return take();
  }

  /** What is on its way to the disk gets there, or so many milliseconds pass; and nothing else, until `resume`. */
  async pause(deadline: number): Promise<void> {
    this.#paused ??= Promise.withResolvers();
    if (this.#underWay.size > 0) await within(deadline, Promise.allSettled(this.#underWay));
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  /** The program goes on elsewhere; everything is on the disk, or so many milliseconds have passed. */
  async leave(deadline: number): Promise<void> {
    if (this.#traced === undefined) this.#recording.end('restored');
    else this.#traced.end('restored');
    await this.#writer.close({ deadline });
  }

  /** The program has said, after it began, how its app is to be. */
  arranged(workers: number, start: JsonObject): void {
    this.#notes = { ...this.#notes, start };
    this.#recording.update({ workers, notes: this.#notes });
  }

  /** Nothing is left to do on the only thread there is: whether the last snapshot is still to be had, which is then on its way. */
  isNeededAtEnd(areThreadsStarted: boolean): boolean {
    // With threads, the app ends when nothing is left to do on any of them.
    if (areThreadsStarted || this.#triggers.end !== true || this.#hasEnded || this.#isResting) return false;
    this.#hasEnded = true;
    const alive = nativeSetInterval(() => {}, LONG);
    void this.#attempt().finally(() => nativeClearInterval(alive));
    return true;
  }

  /** All is done. */
  async end(): Promise<void> {
    if (this.#triggers.end === true && !this.#isResting) await this.#attempt();
    this.#isOver = true;
    // The program may go on, and its trace does.
    if (this.#traced !== undefined) return;
    this.#recording.end();
    await this.#writer.close();
  }

  /** Where a snapshot takes longer it is not followed by the next one at once: the process would have something to do for ever, and not end. */
  #intervalPasses(): void {
    if (this.#tries === 0) this.#trigger();
  }

  #looks(due: WorkDue): void {
    if (due.look()) this.#intervalPasses();
    else if (due.isBareDue() && this.#cutsBare()) due.cut();
  }

  /** Whether it does. Only traces have any use for it. */
  #cutsBare(): boolean {
    const isInTheWay = this.#paused !== undefined || this.#isResting || this.#isOver || this.#isAwaited();
    return this.#traced !== undefined && !isInTheWay && this.#app.cut();
  }

  #trigger(): void {
    if (this.#paused !== undefined || this.#isResting) return;
    // Nothing in a trace could tell it from one that was taken behind the first lines of the program.
    if (this.#isAwaited()) nativeSetTimeout(() => this.#trigger(), SOON).unref();
    else void this.#attempt();
  }

  #attempt(): Promise<void> {
    return this.#tried(() => this.#take());
  }

  async #tried(take: () => Promise<unknown>): Promise<void> {
    this.#tries++;
    try {
      await take();
      this.#told = undefined;
    } catch (error) {
      // Those that are still under way end with the program.
      if (this.#isOver) return;
      const { message } = error as Error;
      // The same reason again is no news.
      const reason = message.replaceAll(/\d+/g, '');
      if (this.#told === reason) return;
      this.#told = reason;
      process.emitWarning(`${message}; the program goes on without`, { code: 'TT_NO_SNAPSHOT' });
    } finally {
      this.#tries--;
    }
  }
}

/** Milliseconds of the processor's that this process has taken, all its threads together. */
function spentHere(): number {
  const { user, system } = cpuUsage.call(process);
  return (user + system) / 1000;
}

function manifestOf({ version, workers, entry, argv, continues, epoch, notes }: RecorderOptions): Manifest {
  return describeProcess({ turntable: version, workers, entry: entry ?? null, argv, continues, epoch, notes });
}
