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
const PATIENCE = 0.1;
/** Milliseconds that a run again parks for what is next: it has nothing else to do, and Node hardly has. */
const LONG_PATIENCE = 2;
/** Shorter waiting is none: waking takes as long. */
const LEAST = 0.02;
/** So many times parking, or looking, is left out before it is tried again. */
const AGAIN = 32;
/** Milliseconds; an answer that takes no longer is waited for awake. */
const LOOK = 0.03;
/** So often it looks before it looks at the clock. */
const LOOKS = 8;
/** Looking has credit: a hit adds one, up to this, and a miss takes two. Without credit a worker does not look: who answers has no core, or much to do. */
const CREDIT = 16;
/** Milliseconds that it looks when it tries again: whoever is to answer may be parked, and takes that long to get up. */
const LONG_LOOK = 0.1;
/** So many rests are at most without another try. */
const SELDOM = 256;
/** After so many rests that were soon over, one after the other, messages are taken for a stream. */
const STREAM = 4;
/** Milliseconds between two looks at a stream; the system adds some twentieth. */
const NAP = 0.02;

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

  #credit = CREDIT / 4;
  /** Rests without a look since the last one, and those after which it is tried again. */
  #unlooked = 0;
  #untried = AGAIN;
  /** Milliseconds that parking may take now. */
  #patience = PATIENCE;
  #skipped = 0;
  /** Rests that were soon over, one after the other, while this worker has sent nothing. */
  #rung = 0;
  readonly #nobody = new Int32Array(new SharedArrayBuffer(4));

  /**
   * When there is nothing to do. True: something has come; false: it sleeps, a message will wake it. Where parking has been in vain it
   * is left out for a while: a thread with other things to do, sockets say, must not lose its time to waiting.
   * @param isEmpty no inbox has anything, and no outbox has got the room that it waits for
   * @param hasSent anything since it rested last: somebody may wait for an answer
   */
  rest(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && (this.#credit > 0 ? this.look(isEmpty) : this.#tryAgain(isEmpty))) {
      this.#rung = 0;
      return true;
    }
    return this.wait(isEmpty, hasSent);
  }

  /** The same of what another worker is to send for certain, and nothing else can be done before. */
  expect(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent && this.#credit > 0 && this.look(isEmpty)) return true;
    return this.park(isEmpty, LONG_PATIENCE) || !this.sleep(isEmpty);
  }

  /** Now and then, and ever less often as long as that is in vain, too. */
  #tryAgain(isEmpty: () => boolean): boolean {
    if (++this.#unlooked < this.#untried) return false;
    this.#unlooked = 0;
    const hasCome = this.look(isEmpty, LONG_LOOK);
    this.#untried = hasCome ? AGAIN : Math.min(this.#untried * 2, SELDOM);
    if (hasCome) this.#credit = CREDIT / 2;
    return hasCome;
  }

  /** Whether something has come while it looked. Nobody had to ring. */
  look(isEmpty: () => boolean, milliseconds = LOOK): boolean {
    const until = hostClock.now() + milliseconds;
    do {
      for (let looks = 0; looks < LOOKS; looks++) {
        if (isEmpty()) continue;
        if (this.#credit < CREDIT) this.#credit++;
        return true;
      }
    } while (hostClock.now() < until);
    this.#credit = Math.max(0, this.#credit - 2);
    return false;
  }

  /** As `rest`, without looking first. */
  wait(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (hasSent) this.#rung = 0;
    else if (this.#rung >= STREAM && this.#nap(isEmpty)) return true;
    if (this.#patience < LEAST && ++this.#skipped === AGAIN) {
      this.#skipped = 0;
      this.#patience = PATIENCE / 2;
    }
    const hasCome = (this.#patience >= LEAST && this.park(isEmpty)) || !this.sleep(isEmpty);
    if (hasCome) this.#skipped = 0;
    this.#rung = hasCome ? this.#rung + 1 : 0;
    this.#patience = hasCome ? PATIENCE : this.#patience / 2;
    return hasCome;
  }

  /** Leaves a stream alone for a moment. Nobody is told, so nobody has to ring, which costs a sender more than many messages do. */
  #nap(isEmpty: () => boolean): boolean {
    Atomics.wait(this.#nobody, 0, 0, NAP);
    return !isEmpty();
  }

  /** Whether the bell was rung, or something is there. */
  park(isEmpty: () => boolean, patience = this.#patience): boolean {
    const words = this.#words;
    Atomics.store(words, 0, PARKED);
    if (isEmpty()) Atomics.wait(words, 0, PARKED, patience);
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
  wake(): void {
    Atomics.store(this.#words, 0, AWAKE);
  }
}
