// Calls with a deadline or an abort signal. A call that is not answered in time is rejected with the list of unanswered
// messages, and its answer is dropped. Deadlines are a table of data, from which timers and listeners are derived.

import { Eventual, hostClock, PENDING } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import type { Ingests } from '../../trace/ingests.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { DeadlineTrail } from './deadline-trail.ts';

/** Options of `sendWith`. */
export interface SendOptions {
  /** Timeout in milliseconds, or a point in time. */
  readonly deadline?: number | Date;
  /** Aborts the wait for the result. */
  readonly signal?: AbortSignal;
}

/** Longest delay of a Node timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws unless the value is a valid deadline. */
export function checkDeadline(deadline: unknown): void {
  const isValid =
    deadline === undefined || (typeof deadline === 'number' && !Number.isNaN(deadline)) || isValidDate(deadline);
  if (!isValid)
    throw new RuntimeError('TT_OPTIONS', `deadline must be milliseconds or a Date, not ${String(deadline)}`);
}

function isValidDate(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'getTime' in value && !Number.isNaN((value as Date).getTime());
}

/** A pending call with a deadline or a signal. */
export interface Deadline {
  /** Number among the deadlines of this worker. */
  readonly number: number;
  readonly actor: ActorCell;
  readonly replyTo: Eventual;
  readonly call: string;
  readonly trail: DeadlineTrail;
  /** Timeout, and its end as milliseconds since 1970; undefined if only a signal cancels the call. */
  readonly timeoutMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Signal that is observed while the call is pending. */
  readonly signal: AbortSignal | undefined;
}

/** Listener of a signal for one deadline. It is captured with the listeners of the signal. */
export class SignalListener {
  /** Number of the deadline. */
  readonly number: number;
  readonly #onAbort: (number: number) => void;

  constructor(number: number, onAbort: (number: number) => void) {
    this.number = number;
    this.#onAbort = onAbort;
  }

  handleEvent(): void {
    this.#onAbort(this.number);
  }
}

export interface DeadlinesDeps {
  readonly ingests: Pick<Ingests, 'register' | 'add' | 'isReplaying'>;
  /** Returns the milliseconds since 1970; in a replay, as recorded. */
  date(): number;
  /** Runs a callback after a delay. Returns a function that cancels it. */
  setTimer(milliseconds: number, callback: () => void): () => void;
  /** Rejects the eventual of a call. */
  reject(actor: ActorCell, replyTo: Eventual, reason: unknown): void;
}

export interface DeadlinesState {
  /** Last number that was assigned. */
  readonly lastNumber: number;
  readonly waiting: readonly Deadline[];
}

interface ArmedDeadline {
  readonly deadline: Deadline;
  readonly cancels: (() => void)[];
}

export class Deadlines {
  readonly #deps: DeadlinesDeps;
  #lastNumber = 0;
  readonly #waiting = new Map<number, ArmedDeadline>();
  /** Listeners of restored signals, until `setState` restores the deadlines. */
  readonly #restoredListeners = new Map<number, SignalListener>();

  constructor(deps: DeadlinesDeps) {
    this.#deps = deps;
  }

  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /** Starts the deadline of a call, unless the call is already settled, for example refused. */
  add({ deadline, signal }: SendOptions, sent: Omit<Deadline, 'timeoutMs' | 'untilMs' | 'signal'>): void {
    if (Eventual.state(sent.replyTo) !== PENDING) return;
    let timeoutMs: number | undefined;
    let untilMs: number | undefined;
    if (deadline !== undefined && deadline !== Infinity) {
      const now = this.#deps.date();
      timeoutMs = Math.max(0, typeof deadline === 'number' ? deadline : deadline.getTime() - now);
      untilMs = now + timeoutMs;
    }
    const { number, actor, replyTo, call, trail } = sent;
    this.#arm({ number, actor, replyTo, call, trail, timeoutMs, untilMs, signal }, timeoutMs);
  }

  /** Ends a deadline, in the turn in which its call is settled. */
  remove(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    this.#waiting.delete(number);
    for (const cancel of waiting.cancels) cancel();
  }

  #arm(deadline: Deadline, leftMs: number | undefined): void {
    const { number, signal } = deadline;
    const cancels: (() => void)[] = [];
    this.#waiting.set(number, { deadline, cancels });
    const { ingests } = this.#deps;
    const key = String(number);
    if (leftMs !== undefined) {
      const expire = (): boolean => this.#expire(number, deadlineError);
      ingests.register('deadline', key, expire);
      const startTimer = (milliseconds: number): void => {
        cancels[0] = this.#deps.setTimer(Math.min(milliseconds, MAX_TIMER_MS), () =>
          milliseconds > MAX_TIMER_MS ? startTimer(milliseconds - MAX_TIMER_MS) : ingests.add('deadline', key, expire),
        );
      };
      // In a replay, the trace says when the deadline expires.
      if (!ingests.isReplaying) startTimer(leftMs);
    }
    if (signal !== undefined) {
      const restored = this.#restoredListeners.get(number);
      const listener = restored ?? new SignalListener(number, this.#onAbort);
      // The signal may have been aborted after its state was captured.
      if (signal.aborted) listener.handleEvent();
      else if (restored === undefined) signal.addEventListener('abort', listener, { once: true });
      cancels.push(() => signal.removeEventListener('abort', listener));
    }
  }

  readonly #onAbort = (number: number): void => {
    const { ingests } = this.#deps;
    ingests.add('signal', String(number), () => this.#expire(number, ({ signal }) => signal?.reason));
  };

  /** Returns the listener of a restored signal, whose deadline is restored later. */
  listenerFor(number: number): SignalListener {
    const listener = new SignalListener(number, this.#onAbort);
    this.#restoredListeners.set(number, listener);
    return listener;
  }

  #expire(number: number, reason: (deadline: Deadline) => unknown): boolean {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return false;
    const { actor, replyTo } = waiting.deadline;
    // The rejection is a message, like any answer. The turn of the message ends the deadline.
    this.#deps.reject(actor, replyTo, reason(waiting.deadline));
    return true;
  }

  getState(): DeadlinesState {
    return { lastNumber: this.#lastNumber, waiting: [...this.#waiting.values()].map(({ deadline }) => deadline) };
  }

  /** Replaces all deadlines. Deadlines in the past expire at once. */
  setState({ lastNumber, waiting }: DeadlinesState): void {
    for (const number of this.#waiting.keys()) this.remove(number);
    this.#lastNumber = lastNumber;
    const now = hostClock.epochMs();
    for (const each of waiting)
      this.#arm(each, each.untilMs === undefined ? undefined : Math.max(0, each.untilMs - now));
    this.#restoredListeners.clear();
  }
}

function deadlineError({ call, timeoutMs, trail }: Deadline): RuntimeError {
  const chains = trail.chains().map((chain) => `  ${chain}`);
  return new RuntimeError(
    'TT_DEADLINE',
    `${call} was not answered within ${timeoutMs} ms; it waits for:\n${chains.join('\n')}`,
  );
}
