// Control words: the memory that a thread of a replay process shares with the coordinator. They say how far the thread may
// run and where it is. The coordinator writes the first ones, then increments the call number, which wakes the thread. The
// thread writes the others and, once it has paused as that call wants, the number of that call.
import { TRACKING_MODES, type TrackingMode } from '@turntable/time-machine/replay-process';

/** Written by the coordinator. */
const CALL = 0;
const LIMIT = 1;
const LIST = 2;
const STATEMENT = 3;
/** The process is to end by itself. */
const RELEASED = 4;
/** So often it was told how far it may go. */
const GOES = 5;
/** Written by the thread. */
const SEEN = 6;
const STATE = 7;
const BEGUN = 8;
const AT_LIST = 9;
const AT_STATEMENT = 10;
const WHY = 11;
/** Written by the coordinator: the tracking mode. */
const NOTES = 12;
/** Written by the thread: messages with hits that it has sent. */
const HITS = 13;
const WORDS = 16;

const STATES = ['unborn', 'running', 'standing', 'stopped', 'over', 'gone', 'going', 'unable'] as const;
export type State = (typeof STATES)[number];
const REASONS = [undefined, 'ended', 'cut off', 'diverged'] as const;
export type WhyOver = NonNullable<(typeof REASONS)[number]>;

/** No limit. */
export const FURTHEST = 2 ** 31 - 1;
/** In the place of a list, which is one more than it is, since 0 is none: the next statement, whichever it is. */
const NEXT = -1;

export type Target = { readonly list: number; readonly statement: number } | 'next' | undefined;

export function controlMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * WORDS * 4);
}

export class ControlWords {
  readonly #words: Int32Array;

  /** @param index the thread's, among all that the recording has */
  constructor(memory: SharedArrayBuffer, index: number) {
    this.#words = new Int32Array(memory, index * WORDS * 4, WORDS);
  }

  allow(limit: number, into: Target, notes: TrackingMode): void {
    const list = into === 'next' ? NEXT : into === undefined ? 0 : into.list + 1;
    const statement = typeof into === 'object' ? into.statement : 0;
    this.#store(LIMIT, limit);
    this.#store(LIST, list);
    this.#store(STATEMENT, statement);
    this.#store(NOTES, TRACKING_MODES.indexOf(notes));
    Atomics.add(this.#words, GOES, 1);
  }

  release(): void {
    this.#store(RELEASED, 1);
    this.allow(FURTHEST, undefined, 'nothing');
  }

  call(): void {
    Atomics.add(this.#words, CALL, 1);
    Atomics.notify(this.#words, CALL);
  }

  /** Whether what it says of itself is said in view of the last call. */
  get isUpToDate(): boolean {
    return this.#load(SEEN) === this.#load(CALL);
  }

  get limit(): number {
    return this.#load(LIMIT);
  }
  get state(): State {
    return STATES[this.#load(STATE)] ?? 'unborn';
  }
  get begun(): number {
    return this.#load(BEGUN);
  }
  get at(): { readonly list: number; readonly statement: number } {
    return { list: this.#load(AT_LIST), statement: this.#load(AT_STATEMENT) };
  }
  get why(): WhyOver | undefined {
    return REASONS[this.#load(WHY)];
  }

  get hits(): number {
    return this.#load(HITS);
  }

  get isReleased(): boolean {
    return this.#load(RELEASED) === 1;
  }

  /** Is taken: it holds once. */
  takeTarget(): Target {
    return this.#targetOf(Atomics.exchange(this.#words, LIST, 0));
  }

  get target(): Target {
    return this.#targetOf(this.#load(LIST));
  }

  #targetOf(list: number): Target {
    if (list === 0) return undefined;
    return list === NEXT ? 'next' : { list: list - 1, statement: this.#load(STATEMENT) };
  }

  get notes(): TrackingMode {
    return TRACKING_MODES[this.#load(NOTES)] ?? 'nothing';
  }

  get goes(): number {
    return this.#load(GOES);
  }

  set state(state: State) {
    this.#store(STATE, STATES.indexOf(state));
  }
  set begun(count: number) {
    this.#store(BEGUN, count);
  }
  stopsAt(list: number, statement: number): void {
    this.#store(AT_LIST, list);
    this.#store(AT_STATEMENT, statement);
  }
  endsFor(why: WhyOver): void {
    this.#store(WHY, REASONS.indexOf(why));
    this.state = 'over';
  }

  tellsHits(): void {
    Atomics.add(this.#words, HITS, 1);
  }

  get lastCall(): number {
    return this.#load(CALL);
  }

  sees(call: number): void {
    this.#store(SEEN, call);
  }

  /** Stands still until there is another call, or for so many milliseconds. Answers whether it has waited all of them. */
  wait(call: number, milliseconds?: number): boolean {
    return Atomics.wait(this.#words, CALL, call, milliseconds) === 'timed-out';
  }

  #load(word: number): number {
    return Atomics.load(this.#words, word);
  }

  #store(word: number, value: number): void {
    Atomics.store(this.#words, word, value);
  }
}
