// Wakes an idle worker when messages have arrived. If a reply is likely, the worker first spins, polling its inboxes
// while spinning pays off: on an idle core, this saves two system calls. Next the worker parks for a moment: its thread
// waits on a word in shared memory, and a sender wakes it in microseconds. Finally it marks itself asleep and returns
// to Node; the first sender that sees the mark wakes it by a message on its port. A stream of messages is polled at
// intervals, so that no sender must wake the worker. No wake-up is lost: a worker marks itself before it polls a last
// time, and a sender publishes before it reads the mark. bench/transport/README.md has the measurements.

import { hostClock } from '@turntable/core';

const AWAKE = 0;
const PARKED = 1;
const ASLEEP = 2;

/** Maximum time that a worker parks, in milliseconds, and so delays Node's own work. */
const PARK_TIMEOUT_MS = 0.1;
/** Maximum time that a replay parks, in milliseconds: it has no other work, and Node hardly any. */
const REPLAY_PARK_TIMEOUT_MS = 2;
/** Shortest timeout for which parking is worthwhile, in milliseconds: waking takes as long. */
const MIN_PARK_MS = 0.02;
/** Number of waits without parking or spinning before the worker tries it again. */
const RETRY_AFTER = 32;
/** Time that the worker spins for a reply, in milliseconds. */
const SPIN_MS = 0.03;
/** Number of polls between two readings of the clock. */
const SPINS_PER_CLOCK_CHECK = 8;
/** Maximum credit. A hit adds one, a miss takes two. Without credit, no spinning: repliers are busy or have no core. */
const MAX_SPIN_CREDIT = 16;
/** Time of a spin without credit, in milliseconds: a parked replier needs that long to wake. */
const RETRY_SPIN_MS = 0.1;
/** Maximum number of waits after which a worker without credit spins again. */
const MAX_RETRY_AFTER = 256;
/** Number of consecutive short waits after which messages are treated as a stream. */
const STREAM_LENGTH = 4;
/** Time between polls of a stream, in milliseconds; the system adds about 0.05. */
const NAP_MS = 0.02;

export function createBell(): SharedArrayBuffer {
  return new SharedArrayBuffer(64);
}

/** The senders' end of a worker's bell. */
export class Bell {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(bell: SharedArrayBuffer) {
    this.#words = new Int32Array(bell);
  }

  /** Called after publishing. Returns true to one sender if the worker is asleep: that sender must post a message. */
  ring(): boolean {
    const words = this.#words;
    const state = Atomics.load(words, 0);
    if (state === AWAKE || Atomics.compareExchange(words, 0, state, AWAKE) !== state) return false;
    if (state === ASLEEP) return true;
    Atomics.notify(words, 0);
    return false;
  }
}

/** The worker's end of its bell. */
export class Sleeper {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(bell: SharedArrayBuffer) {
    this.#words = new Int32Array(bell);
  }

  #spinCredit = MAX_SPIN_CREDIT / 4;
  /** Number of waits since the last spin, and the number after which the worker spins again. */
  #waitsWithoutSpin = 0;
  #retrySpinAfter = RETRY_AFTER;
  /** Current timeout of parking, in milliseconds. */
  #parkTimeoutMs = PARK_TIMEOUT_MS;
  #skippedParks = 0;
  /** Number of consecutive short waits during which this worker sent nothing. */
  #streamLength = 0;
  readonly #napWord = new Int32Array(new SharedArrayBuffer(4));

  /**
   * Waits for work. Returns true if there is some, false if the worker is asleep and a message will wake it. Parking is
   * skipped for a while after it has failed: a thread with other work, such as sockets, must not lose time to it.
   * @param isEmpty whether no inbox has a message, and no outbox got the room that it waits for
   * @param hasSent whether anything was sent since the last wait, so that a reply is likely
   */
  waitForWork(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && (this.#spinCredit > 0 ? this.spin(isEmpty) : this.#retrySpin(isEmpty))) {
      this.#streamLength = 0;
      return true;
    }
    return this.waitWithoutSpin(isEmpty, hasSent);
  }

  /** Like `waitForWork`, for messages that another worker will certainly send, while there is no other work. */
  waitForMessages(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && this.#spinCredit > 0 && this.spin(isEmpty)) return true;
    return this.park(isEmpty, REPLAY_PARK_TIMEOUT_MS) || !this.sleep(isEmpty);
  }

  /** Spins now and then without credit, less often while spinning fails. */
  #retrySpin(isEmpty: () => boolean): boolean {
    if (++this.#waitsWithoutSpin < this.#retrySpinAfter) return false;
    this.#waitsWithoutSpin = 0;
    const hasWork = this.spin(isEmpty, RETRY_SPIN_MS);
    this.#retrySpinAfter = hasWork ? RETRY_AFTER : Math.min(this.#retrySpinAfter * 2, MAX_RETRY_AFTER);
    if (hasWork) this.#spinCredit = MAX_SPIN_CREDIT / 2;
    return hasWork;
  }

  /** Polls for a short time. Returns whether there was work before the time was over. */
  spin(isEmpty: () => boolean, durationMs = SPIN_MS): boolean {
    const untilMs = hostClock.now() + durationMs;
    do {
      for (let spins = 0; spins < SPINS_PER_CLOCK_CHECK; spins++) {
        if (isEmpty()) continue;
        if (this.#spinCredit < MAX_SPIN_CREDIT) this.#spinCredit++;
        return true;
      }
    } while (hostClock.now() < untilMs);
    this.#spinCredit = Math.max(0, this.#spinCredit - 2);
    return false;
  }

  /** Like `waitForWork`, without spinning. */
  waitWithoutSpin(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent) this.#streamLength = 0;
    else if (this.#streamLength >= STREAM_LENGTH && this.#nap(isEmpty)) return true;
    if (this.#parkTimeoutMs < MIN_PARK_MS && ++this.#skippedParks === RETRY_AFTER) {
      this.#skippedParks = 0;
      this.#parkTimeoutMs = PARK_TIMEOUT_MS / 2;
    }
    const hasWork = (this.#parkTimeoutMs >= MIN_PARK_MS && this.park(isEmpty)) || !this.sleep(isEmpty);
    if (hasWork) this.#skippedParks = 0;
    this.#streamLength = hasWork ? this.#streamLength + 1 : 0;
    this.#parkTimeoutMs = hasWork ? PARK_TIMEOUT_MS : this.#parkTimeoutMs / 2;
    return hasWork;
  }

  /** Pauses between polls of a stream. The worker is not marked, which spares senders the expense of waking it. */
  #nap(isEmpty: () => boolean): boolean {
    Atomics.wait(this.#napWord, 0, 0, NAP_MS);
    return !isEmpty();
  }

  /** Blocks the thread for a short time. Returns whether the bell was rung or there is work. */
  park(isEmpty: () => boolean, timeoutMs = this.#parkTimeoutMs): boolean {
    const words = this.#words;
    Atomics.store(words, 0, PARKED);
    if (isEmpty()) Atomics.wait(words, 0, PARKED, timeoutMs);
    return Atomics.exchange(words, 0, AWAKE) === AWAKE || !isEmpty();
  }

  /** Marks the worker as asleep. Returns whether it may return to Node: false if there is work. */
  sleep(isEmpty: () => boolean): boolean {
    const words = this.#words;
    Atomics.store(words, 0, ASLEEP);
    if (isEmpty()) return true;
    Atomics.store(words, 0, AWAKE);
    return false;
  }

  /** Called when the worker resumes, for any reason. */
  markAwake(): void {
    Atomics.store(this.#words, 0, AWAKE);
  }
}
