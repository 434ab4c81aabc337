// Messages whose answer is wanted in time: until a moment, or until a signal says that nobody wants it any more. What comes too late is
// dropped; the error says which messages are still to be answered. Who waits for what until when is a table; timers and listeners follow it.

import { Eventual, hostClock, PENDING } from '@turntable/core';
import type { Actor } from '../../actors/actor.ts';
import type { Ingests } from '../../trace/ingests.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { Trail } from './trail.ts';

export interface SendOptions {
  /** Milliseconds, or the moment. */
  readonly deadline?: number | Date;
  readonly signal?: AbortSignal;
}

/** Milliseconds that a timer of Node's can wait. */
const LONGEST = 2 ** 31 - 1;

/** Fails if that is no deadline. */
export function checkDeadline(deadline: unknown): void {
  const isOne =
    deadline === undefined || (typeof deadline === 'number' && !Number.isNaN(deadline)) || isMoment(deadline);
  if (!isOne) throw new RuntimeError('TT_OPTIONS', `deadline: milliseconds or a Date, not ${String(deadline)}`);
}

function isMoment(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'getTime' in value && !Number.isNaN((value as Date).getTime());
}

/** An actor waits for the answer to a call, and not for ever. */
export interface Deadline {
  /** Of the messages that this worker has sent in this way. */
  readonly number: number;
  readonly actor: Actor;
  readonly settles: Eventual;
  readonly call: string;
  readonly trail: Trail;
  /** So many milliseconds, which are over at this moment, in milliseconds since 1970; none if only a signal ends the waiting. */
  readonly within: number | undefined;
  readonly until: number | undefined;
  /** Listened to until the waiting is over. */
  readonly signal: AbortSignal | undefined;
}

/** Hears of a signal for one that waits: what stands among the listeners of a signal when that is written down. */
export class SignalListener {
  /** Of the deadline. */
  readonly number: number;
  readonly #heard: (number: number) => void;

  constructor(number: number, heard: (number: number) => void) {
    this.number = number;
    this.#heard = heard;
  }

  handleEvent(): void {
    this.#heard(this.number);
  }
}

export interface DeadlinePorts {
  readonly ingests: Pick<Ingests, 'expect' | 'happened' | 'isFollowing'>;
  /** Milliseconds since 1970, as the program is told. */
  date(): number;
  /** Runs a callback after so many milliseconds; answers how to call it off. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Tells who waits why nobody does any longer. */
  reject(actor: Actor, settles: Eventual, reason: unknown): void;
}

export interface DeadlinesState {
  /** Given so far. */
  readonly numbers: number;
  readonly waiting: readonly Deadline[];
}

interface Waiting {
  readonly deadline: Deadline;
  readonly callOff: (() => void)[];
}

export class Deadlines {
  readonly #ports: DeadlinePorts;
  #numbers = 0;
  readonly #waiting = new Map<number, Waiting>();
  /** Those that signals have which were read from a state, until the deadlines are. */
  readonly #listening = new Map<number, SignalListener>();

  constructor(ports: DeadlinePorts) {
    this.#ports = ports;
  }

  next(): number {
    return ++this.#numbers;
  }

  /** An actor begins to wait for what has been sent, unless that was refused. */
  add(
    { deadline, signal }: SendOptions,
    what: Pick<Deadline, 'number' | 'actor' | 'settles' | 'call' | 'trail'>,
  ): void {
    if (Eventual.state(what.settles) !== PENDING) return;
    let within: number | undefined;
    let until: number | undefined;
    if (deadline !== undefined && deadline !== Infinity) {
      const now = this.#ports.date();
      within = Math.max(0, typeof deadline === 'number' ? deadline : deadline.getTime() - now);
      until = now + within;
    }
    const { number, actor, settles, call, trail } = what;
    this.#arm({ number, actor, settles, call, trail, within, until, signal }, within);
  }

  /** In a turn of who waits: what was sent has been answered, or will not be. */
  over(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    this.#waiting.delete(number);
    for (const callOff of waiting.callOff) callOff();
  }

  #arm(deadline: Deadline, left: number | undefined): void {
    const { number, signal } = deadline;
    const callOff: (() => void)[] = [];
    this.#waiting.set(number, { deadline, callOff });
    const { ingests } = this.#ports;
    const key = String(number);
    if (left !== undefined) {
      const pass = (): boolean => this.#end(number, late);
      ingests.expect('deadline', key, pass);
      const wait = (milliseconds: number): void => {
        callOff[0] = this.#ports.after(Math.min(milliseconds, LONGEST), () =>
          milliseconds > LONGEST ? wait(milliseconds - LONGEST) : ingests.happened('deadline', key, pass),
        );
      };
      // In a run again it passes when it did.
      if (!ingests.isFollowing) wait(left);
    }
    if (signal !== undefined) {
      const known = this.#listening.get(number);
      const listener = known ?? new SignalListener(number, this.#heard);
      // Since it was written down.
      if (signal.aborted) listener.handleEvent();
      else if (known === undefined) signal.addEventListener('abort', listener, { once: true });
      callOff.push(() => signal.removeEventListener('abort', listener));
    }
  }

  readonly #heard = (number: number): void => {
    const { ingests } = this.#ports;
    ingests.happened('signal', String(number), () => this.#end(number, ({ signal }) => signal?.reason));
  };

  /** A signal that is read from a state has a listener, for a deadline that will be. */
  listener(number: number): SignalListener {
    const listener = new SignalListener(number, this.#heard);
    this.#listening.set(number, listener);
    return listener;
  }

  #end(number: number, reason: (deadline: Deadline) => unknown): boolean {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return false;
    const { actor, settles } = waiting.deadline;
    // In a turn of its own, as any answer; that is the end of it.
    this.#ports.reject(actor, settles, reason(waiting.deadline));
    return true;
  }

  read(): DeadlinesState {
    return { numbers: this.#numbers, waiting: [...this.#waiting.values()].map(({ deadline }) => deadline) };
  }

  /** What has passed meanwhile ends at once. */
  write({ numbers, waiting }: DeadlinesState): void {
    for (const number of this.#waiting.keys()) this.over(number);
    this.#numbers = numbers;
    const now = hostClock.date();
    for (const each of waiting) this.#arm(each, each.until === undefined ? undefined : Math.max(0, each.until - now));
    this.#listening.clear();
  }
}

function late({ call, within, trail }: Deadline): RuntimeError {
  const chains = trail.chains().map((chain) => `  ${chain}`);
  return new RuntimeError(
    'TT_DEADLINE',
    `${call} was not answered within ${within} ms; what it waits for:\n${chains.join('\n')}`,
  );
}
