// Messages whose answer is wanted in time: until a moment, or until a signal says that nobody wants it any more. What comes too late is
// dropped; the error says which messages are still to be answered. Who waits for what until when is a table; timers and listeners follow it.

import { Eventual, hostClock, PENDING } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import type { Ingests } from '../../trace/ingests.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { DeadlineTrail } from './deadline-trail.ts';

export interface SendOptions {
  /** Milliseconds, or the moment. */
  readonly deadline?: number | Date;
  readonly signal?: AbortSignal;
}

/** Milliseconds that a timer of Node's can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Fails if that is no deadline. */
export function checkDeadline(deadline: unknown): void {
  const isValid =
    deadline === undefined || (typeof deadline === 'number' && !Number.isNaN(deadline)) || isValidDate(deadline);
  if (!isValid) throw new RuntimeError('TT_OPTIONS', `deadline: milliseconds or a Date, not ${String(deadline)}`);
}

function isValidDate(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'getTime' in value && !Number.isNaN((value as Date).getTime());
}

/** An actor waits for the answer to a call, and not for ever. */
export interface Deadline {
  /** Of the messages that this worker has sent in this way. */
  readonly number: number;
  readonly actor: ActorCell;
  readonly replyTo: Eventual;
  readonly call: string;
  readonly trail: DeadlineTrail;
  /** So many milliseconds, which are over at this moment, in milliseconds since 1970; none if only a signal ends the waiting. */
  readonly timeoutMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Listened to until the waiting is over. */
  readonly signal: AbortSignal | undefined;
}

/** Hears of a signal for one that waits: what stands among the listeners of a signal when that is written down. */
export class SignalListener {
  /** Of the deadline. */
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
  /** Milliseconds since 1970, as the program is told. */
  date(): number;
  /** Runs a callback after so many milliseconds; answers how to call it off. */
  setTimer(milliseconds: number, callback: () => void): () => void;
  /** Tells who waits why nobody does any longer. */
  reject(actor: ActorCell, replyTo: Eventual, reason: unknown): void;
}

export interface DeadlinesState {
  /** Given so far. */
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
  /** Those that signals have which were read from a state, until the deadlines are. */
  readonly #restoredListeners = new Map<number, SignalListener>();

  constructor(deps: DeadlinesDeps) {
    this.#deps = deps;
  }

  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /** An actor begins to wait for what has been sent, unless that was refused. */
  add(
    { deadline, signal }: SendOptions,
    sent: Pick<Deadline, 'number' | 'actor' | 'replyTo' | 'call' | 'trail'>,
  ): void {
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

  /** In a turn of who waits: what was sent has been answered, or will not be. */
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
      // In a run again it passes when it did.
      if (!ingests.isReplaying) startTimer(leftMs);
    }
    if (signal !== undefined) {
      const restored = this.#restoredListeners.get(number);
      const listener = restored ?? new SignalListener(number, this.#onAbort);
      // Since it was written down.
      if (signal.aborted) listener.handleEvent();
      else if (restored === undefined) signal.addEventListener('abort', listener, { once: true });
      cancels.push(() => signal.removeEventListener('abort', listener));
    }
  }

  readonly #onAbort = (number: number): void => {
    const { ingests } = this.#deps;
    ingests.add('signal', String(number), () => this.#expire(number, ({ signal }) => signal?.reason));
  };

  /** A signal that is read from a state has a listener, for a deadline that will be. */
  listenerFor(number: number): SignalListener {
    const listener = new SignalListener(number, this.#onAbort);
    this.#restoredListeners.set(number, listener);
    return listener;
  }

  #expire(number: number, reason: (deadline: Deadline) => unknown): boolean {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return false;
    const { actor, replyTo } = waiting.deadline;
    // In a turn of its own, as any answer; that is the end of it.
    this.#deps.reject(actor, replyTo, reason(waiting.deadline));
    return true;
  }

  getState(): DeadlinesState {
    return { lastNumber: this.#lastNumber, waiting: [...this.#waiting.values()].map(({ deadline }) => deadline) };
  }

  /** What has passed meanwhile ends at once. */
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
    `${call} was not answered within ${timeoutMs} ms; what it waits for:\n${chains.join('\n')}`,
  );
}
