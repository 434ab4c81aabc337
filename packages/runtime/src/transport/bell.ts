// How a worker that has nothing to do learns that something has come. Where an answer may come at once it looks for it, as long as looking has
// been worth it: on a core of its own that saves two calls of the system. Then it parks for a moment: its thread waits on a word in shared
// memory, from which a sender gets it in microseconds. Then it says that it sleeps and goes back to Node, and the first sender that sees
// this wakes it by a message on its port. A stream it looks at from time to time, and nobody has to get it. No wake-up is lost: whoever sleeps
// says so first and looks once more then, whoever sends publishes first and looks at the word then. Why so: bench/transport/README.md.

import { hostClock } from '@turntable/core';

const AWAKE = 0;
const PARKED = 1;
const ASLEEP = 2;

/** Milliseconds; Node's own work waits no longer. */
const PARK_TIMEOUT_MS = 0.1;
/** Milliseconds that a run again parks for what is next: it has nothing else to do, and Node hardly has. */
const REPLAY_PARK_TIMEOUT_MS = 2;
/** Shorter waiting is none: waking takes as long. */
const MIN_PARK_MS = 0.02;
/** So many times parking, or looking, is left out before it is tried again. */
const RETRY_AFTER = 32;
/** Milliseconds; an answer that takes no longer is waited for awake. */
const SPIN_MS = 0.03;
/** So often it looks before it looks at the clock. */
const SPINS_PER_CLOCK_CHECK = 8;
/** Looking has credit: a hit adds one, up to this, and a miss takes two. Without credit a worker does not look: who answers has no core, or much to do. */
const MAX_SPIN_CREDIT = 16;
/** Milliseconds that it looks when it tries again: whoever is to answer may be parked, and takes that long to get up. */
const RETRY_SPIN_MS = 0.1;
/** So many rests are at most without another try. */
const MAX_RETRY_AFTER = 256;
/** After so many rests that were soon over, one after the other, messages are taken for a stream. */
const STREAM_LENGTH = 4;
/** Milliseconds between two looks at a stream; the system adds some twentieth. */
const NAP_MS = 0.02;

export function createBell(): SharedArrayBuffer {
  return new SharedArrayBuffer(64);
}

/** A worker's bell, as those have it who send to it. */
export class Bell {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(bell: SharedArrayBuffer) {
    this.#words = new Int32Array(bell);
  }

  /** After publishing. Answers true to one of all senders if the worker sleeps: it is to be woken by a message. */
  ring(): boolean {
    const words = this.#words;
    const state = Atomics.load(words, 0);
    if (state === AWAKE || Atomics.compareExchange(words, 0, state, AWAKE) !== state) return false;
    if (state === ASLEEP) return true;
    Atomics.notify(words, 0);
    return false;
  }
}

/** The worker's own end. */
export class Sleeper {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(bell: SharedArrayBuffer) {
    this.#words = new Int32Array(bell);
  }

  #spinCredit = MAX_SPIN_CREDIT / 4;
  /** Rests without a look since the last one, and those after which it is tried again. */
  #waitsWithoutSpin = 0;
  #retrySpinAfter = RETRY_AFTER;
  /** Milliseconds that parking may take now. */
  #parkTimeoutMs = PARK_TIMEOUT_MS;
  #skippedParks = 0;
  /** Rests that were soon over, one after the other, while this worker has sent nothing. */
  #streamLength = 0;
  readonly #napWord = new Int32Array(new SharedArrayBuffer(4));

  /**
   * When there is nothing to do. True: something has come; false: it sleeps, a message will wake it. Where parking has been in vain it
   * is left out for a while: a thread with other things to do, sockets say, must not lose its time to waiting.
   * @param isEmpty no inbox has anything, and no outbox has got the room that it waits for
   * @param hasSent anything since it rested last: somebody may wait for an answer
   */
  waitForWork(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && (this.#spinCredit > 0 ? this.spin(isEmpty) : this.#retrySpin(isEmpty))) {
      this.#streamLength = 0;
      return true;
    }
    return this.waitWithoutSpin(isEmpty, hasSent);
  }

  /** The same of what another worker is to send for certain, and nothing else can be done before. */
  waitForMessages(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && this.#spinCredit > 0 && this.spin(isEmpty)) return true;
    return this.park(isEmpty, REPLAY_PARK_TIMEOUT_MS) || !this.sleep(isEmpty);
  }

  /** Now and then, and ever less often as long as that is in vain, too. */
  #retrySpin(isEmpty: () => boolean): boolean {
    if (++this.#waitsWithoutSpin < this.#retrySpinAfter) return false;
    this.#waitsWithoutSpin = 0;
    const hasWork = this.spin(isEmpty, RETRY_SPIN_MS);
    this.#retrySpinAfter = hasWork ? RETRY_AFTER : Math.min(this.#retrySpinAfter * 2, MAX_RETRY_AFTER);
    if (hasWork) this.#spinCredit = MAX_SPIN_CREDIT / 2;
    return hasWork;
  }

  /** Whether something has come while it looked. Nobody had to ring. */
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

  /** As `rest`, without looking first. */
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

  /** Leaves a stream alone for a moment. Nobody is told, so nobody has to ring, which costs a sender more than many messages do. */
  #nap(isEmpty: () => boolean): boolean {
    Atomics.wait(this.#napWord, 0, 0, NAP_MS);
    return !isEmpty();
  }

  /** Whether the bell was rung, or something is there. */
  park(isEmpty: () => boolean, timeoutMs = this.#parkTimeoutMs): boolean {
    const words = this.#words;
    Atomics.store(words, 0, PARKED);
    if (isEmpty()) Atomics.wait(words, 0, PARKED, timeoutMs);
    return Atomics.exchange(words, 0, AWAKE) === AWAKE || !isEmpty();
  }

  /** Whether it may go back to Node. */
  sleep(isEmpty: () => boolean): boolean {
    const words = this.#words;
    Atomics.store(words, 0, ASLEEP);
    if (isEmpty()) return true;
    Atomics.store(words, 0, AWAKE);
    return false;
  }

  /** When it works again, for whatever reason. */
  markAwake(): void {
    Atomics.store(this.#words, 0, AWAKE);
  }
}
