// A thread of a process that runs again what a recording has. Each thread takes its own trace from the recording and says when it has stopped; the main
// thread hears of all, waits until nobody goes on, says what came of it, and ends the process: nothing of the program is asked any more.
import { writeSync } from 'node:fs';
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';
import { openRecording, RecordingError, type Recording, type TraceReader } from '@turntable/recording';
import { FollowingTape, type AppOptions, type Halt, type Part } from '@turntable/runtime';
import { behindExit } from '../behind-exit.ts';
import { PART } from '../part-feed.ts';
import { partDigest } from './part-digest.ts';
import { OUTCOME_DESCRIPTOR, type ReplayOrder } from './replay-order.ts';
import type { ComparedCut, ReplayedWorker, ReplayOutcome } from './outcome.ts';

const CHANNEL = 'turntable.replay';
/** Milliseconds between two looks, and for which others are waited for that say nothing. */
const LOOK = 2;
const PATIENCE = 3000;
/** When something has differed, others that are about to say the same are waited for no longer. */
const SHORT_PATIENCE = 100;

export interface ReplayingThread {
  readonly worker: number;
  readonly life: number;
}

type Said = { readonly stopped: ReplayedWorker } | { readonly compared: ComparedCut };

const {
  setInterval: nativeSetInterval,
  setImmediate: nativeSetImmediate,
  queueMicrotask: nativeQueueMicrotask,
} = globalThis;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };
const now = performance.now.bind(performance);
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Stands still for so many milliseconds, or for good. */
function sleep(milliseconds?: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds);
}

export class Replaying {
  readonly recording: Recording;
  readonly order: ReplayOrder;
  readonly tape: FollowingTape;
  readonly #thread: ReplayingThread;
  readonly #channel = new BroadcastChannel(CHANNEL);
  /** On the main thread. */
  readonly #hearing: Hearing | undefined;

  constructor(order: ReplayOrder, thread: ReplayingThread) {
    this.order = order;
    this.#thread = thread;
    this.recording = openRecording(order.recording);
    const isMain = thread.worker === 0;
    this.#hearing = isMain ? new Hearing(this.#channel, this.#expected()) : undefined;
    this.tape = new FollowingTape(this.#traceOf(thread), {
      later: (callback) => void nativeSetImmediate(callback),
      soon: (callback) => nativeQueueMicrotask(callback),
      halted: (halt) => this.#halted(halt),
      end: () => {
        if (this.#hearing === undefined) sleep();
        else this.#hearing.finish();
      },
    });
    this.#channel.unref();
  }

  /** Of the main thread: the program is about to be loaded. */
  begins(): void {
    behindExit(() => {
      if (this.tape.halt === undefined) {
        const next = this.tape.judge();
        if (next !== undefined) this.tape.differ('the program goes on', 'it ends the process');
      }
      this.#hearing?.finish();
    });
  }

  /** What the app is told besides. */
  ofApp(): Pick<AppOptions, 'replay' | 'replayed'> {
    const lives: number[] = [];
    for (const { worker, life } of this.recording.traces()) lives[worker] = Math.max(lives[worker] ?? 0, life);
    return {
      replay: this.order,
      replayed: {
        lives: Array.from(lives, (life) => life ?? 0),
        part: (part) => this.#compare(part),
        stopped: ({ why, ...stopped }) => this.#say({ stopped: { ...stopped, stop: why } }),
      },
    };
  }

  /** A worker's part of a snapshot with the one that the recording has, if it has it. */
  #compare({ worker, phase, bytes }: Part): void {
    const recorded = this.#partOf(phase, worker);
    if (recorded === undefined || bytes === undefined) return;
    this.#say({ compared: { phase, worker, isSame: partDigest(bytes) === partDigest(recorded) } });
  }

  #partOf(phase: number, worker: number): Uint8Array | undefined {
    try {
      using snapshot = this.recording.readSnapshot(phase);
      return snapshot.workers.includes(worker) ? snapshot.part(worker, PART).read() : undefined;
    } catch (error) {
      // It was given up, deleted, or is damaged.
      if (error instanceof RecordingError) return undefined;
      throw error;
    }
  }

  /** One that was started later has it from its own beginning on. */
  #traceOf({ worker, life }: ReplayingThread): TraceReader {
    const { from } = this.order;
    const entry = this.recording.traces().find((each) => each.worker === worker && each.life === life);
    return this.recording.trace(
      worker,
      life,
      from !== undefined && entry?.phases.includes(from) === true ? from : undefined,
    );
  }

  /** Those that are to stop, each in each of its lives. */
  #expected(): string[] {
    const { from = 0 } = this.order;
    return this.recording
      .traces()
      .filter(({ phases }) => phases.some((phase) => phase >= from))
      .map(keyOf);
  }

  #halted({ why, events, messages, turns, divergence }: Halt): void {
    const { worker, life } = this.#thread;
    this.#say({ stopped: { worker, life, stop: why, events, messages, turns, divergence } });
  }

  #say(said: Said): void {
    if (this.#hearing === undefined) this.#channel.postMessage(said);
    else this.#hearing.hear(said);
  }
}

function keyOf({ worker, life }: ReplayingThread): string {
  return `${worker} ${life}`;
}

/** What the main thread hears of all. */
class Hearing {
  readonly #channel: BroadcastChannel;
  readonly #missing: Set<string>;
  readonly #workers: ReplayedWorker[] = [];
  readonly #cuts: ComparedCut[] = [];
  readonly #began = now();
  #heard = now();
  #isWaiting = false;

  constructor(channel: BroadcastChannel, expected: readonly string[]) {
    this.#channel = channel;
    this.#missing = new Set(expected);
    channel.onmessage = ({ data }) => this.hear(data as Said);
  }

  hear(said: Said): void {
    this.#note(said);
    // Others that stand still because of it may be about to say where.
    if (this.#isDifferent) nativeSetImmediate(() => this.finish());
    this.#waitIfOver();
  }

  get #isDifferent(): boolean {
    return this.#workers.some(({ stop }) => stop === 'diverged' || stop === 'failed');
  }

  /** The main thread has stopped: the process stays until all have. */
  #waitIfOver(): void {
    if (this.#isWaiting || !this.#workers.some(({ worker }) => worker === 0)) return;
    this.#isWaiting = true;
    nativeSetInterval(() => {
      if (this.#isOver()) this.finish();
    }, LOOK);
  }

  #isOver(): boolean {
    return this.#missing.size === 0 || now() - this.#heard > (this.#isDifferent ? SHORT_PATIENCE : PATIENCE);
  }

  /** Says what came of it and ends the process; at once, if somebody has done something else. */
  finish(): never {
    this.#heard = now();
    while (!this.#isOver()) {
      const received = receiveMessageOnPort(this.#channel as never) as { message: Said } | undefined;
      if (received === undefined) sleep(LOOK);
      else this.#note(received.message);
    }
    const outcome: ReplayOutcome = {
      workers: this.#workers.toSorted((a, b) => a.worker - b.worker || a.life - b.life),
      cuts: this.#cuts,
      missing: [...this.#missing],
      milliseconds: now() - this.#began,
    };
    writeSync(OUTCOME_DESCRIPTOR, JSON.stringify(outcome));
    return reallyExit(0);
  }

  /** Workers say it by themselves, and the app says it: the first one counts. */
  #note(said: Said): void {
    this.#heard = now();
    if ('compared' in said) return void this.#cuts.push(said.compared);
    const key = keyOf(said.stopped);
    if (this.#workers.some((each) => keyOf(each) === key)) return;
    this.#workers.push(said.stopped);
    this.#missing.delete(key);
  }
}
