// Control words: memory that a thread of a replay process shares with the coordinator. They say how far the thread may
// run and where it is. The coordinator writes its words, then increments the call number, which wakes the thread. The
// thread writes its own words, and acknowledges the call number when it has reached the requested state.
import { TRACKING_MODES, type TrackingMode } from '@turntable/time-machine/replay-process';

/** Indexes of words that the coordinator writes. */
const CALL_NUMBER = 0;
const TASK_LIMIT = 1;
const TARGET_LIST = 2;
const TARGET_STATEMENT = 3;
/** Set by the coordinator when the thread may run to its end, so that the process ends. */
const IS_RELEASED = 4;
/** Number of runs, which the coordinator increments with each new limit. */
const RUN_NUMBER = 5;
/** Indexes of words that the thread writes. */
const SEEN_CALL = 6;
const THREAD_STATE = 7;
const STARTED_TASKS = 8;
const PAUSED_LIST = 9;
const PAUSED_STATEMENT = 10;
const END_REASON = 11;
/** Tracking mode, written by the coordinator. */
const TRACKING = 12;
/** Number of messages with hits that the thread has sent. */
const HIT_MESSAGES = 13;
const WORDS_PER_THREAD = 16;

const CONTROL_STATES = [
  'pending',
  'running',
  'at-task',
  'at-statement',
  'ended',
  'gone',
  'undoing',
  'undo-failed',
] as const;
export type ControlState = (typeof CONTROL_STATES)[number];
const END_REASONS = [undefined, 'ended', 'cut off', 'diverged'] as const;
export type EndReason = NonNullable<(typeof END_REASONS)[number]>;

export const NO_TASK_LIMIT = 2 ** 31 - 1;
/** Target list that means the next statement of any list. Other lists are stored plus one; 0 means no target. */
const NEXT_STATEMENT = -1;

export type ControlTarget = { readonly list: number; readonly statement: number } | 'next' | undefined;

export function createControlMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * WORDS_PER_THREAD * 4);
}

export class ControlWords {
  readonly #words: Int32Array;

  /** @param index index of the thread among all threads of the recording */
  constructor(memory: SharedArrayBuffer, index: number) {
    this.#words = new Int32Array(memory, index * WORDS_PER_THREAD * 4, WORDS_PER_THREAD);
  }

  allow(limit: number, target: ControlTarget, tracking: TrackingMode): void {
    const list = target === 'next' ? NEXT_STATEMENT : target === undefined ? 0 : target.list + 1;
    const statement = typeof target === 'object' ? target.statement : 0;
    this.#store(TASK_LIMIT, limit);
    this.#store(TARGET_LIST, list);
    this.#store(TARGET_STATEMENT, statement);
    this.#store(TRACKING, TRACKING_MODES.indexOf(tracking));
    Atomics.add(this.#words, RUN_NUMBER, 1);
  }

  release(): void {
    this.#store(IS_RELEASED, 1);
    this.allow(NO_TASK_LIMIT, undefined, 'nothing');
  }

  wake(): void {
    Atomics.add(this.#words, CALL_NUMBER, 1);
    Atomics.notify(this.#words, CALL_NUMBER);
  }

  /** Whether the thread has acknowledged the last call, so that its words are up to date. */
  get isUpToDate(): boolean {
    return this.#load(SEEN_CALL) === this.#load(CALL_NUMBER);
  }

  get limit(): number {
    return this.#load(TASK_LIMIT);
  }
  get state(): ControlState {
    return CONTROL_STATES[this.#load(THREAD_STATE)] ?? 'pending';
  }
  get startedTasks(): number {
    return this.#load(STARTED_TASKS);
  }
  get pausedAt(): { readonly list: number; readonly statement: number } {
    return { list: this.#load(PAUSED_LIST), statement: this.#load(PAUSED_STATEMENT) };
  }
  get endReason(): EndReason | undefined {
    return END_REASONS[this.#load(END_REASON)];
  }

  get hitMessages(): number {
    return this.#load(HIT_MESSAGES);
  }

  get isReleased(): boolean {
    return this.#load(IS_RELEASED) === 1;
  }

  /** Returns the target and clears it, because it is valid once. */
  takeTarget(): ControlTarget {
    return this.#targetOf(Atomics.exchange(this.#words, TARGET_LIST, 0));
  }

  get target(): ControlTarget {
    return this.#targetOf(this.#load(TARGET_LIST));
  }

  #targetOf(list: number): ControlTarget {
    if (list === 0) return undefined;
    return list === NEXT_STATEMENT ? 'next' : { list: list - 1, statement: this.#load(TARGET_STATEMENT) };
  }

  get tracking(): TrackingMode {
    return TRACKING_MODES[this.#load(TRACKING)] ?? 'nothing';
  }

  get runNumber(): number {
    return this.#load(RUN_NUMBER);
  }

  set state(state: ControlState) {
    this.#store(THREAD_STATE, CONTROL_STATES.indexOf(state));
  }
  set startedTasks(count: number) {
    this.#store(STARTED_TASKS, count);
  }
  setPausedAt(list: number, statement: number): void {
    this.#store(PAUSED_LIST, list);
    this.#store(PAUSED_STATEMENT, statement);
  }
  setEnded(reason: EndReason): void {
    this.#store(END_REASON, END_REASONS.indexOf(reason));
    this.state = 'ended';
  }

  countHitMessage(): void {
    Atomics.add(this.#words, HIT_MESSAGES, 1);
  }

  get lastCall(): number {
    return this.#load(CALL_NUMBER);
  }

  acknowledge(call: number): void {
    this.#store(SEEN_CALL, call);
  }

  /** Blocks until the call number changes from `call`. Returns whether `timeoutMs` has expired first. */
  wait(call: number, timeoutMs?: number): boolean {
    return Atomics.wait(this.#words, CALL_NUMBER, call, timeoutMs) === 'timed-out';
  }

  #load(word: number): number {
    return Atomics.load(this.#words, word);
  }

  #store(word: number, value: number): void {
    Atomics.store(this.#words, word, value);
  }
}
