// Loaded before Turntable on every thread: each read of the clock may block for a random time. Schedulers read the
// clock between rounds, so threads interleave in unusual ways, rounds vary in length, and messages arrive at random
// times.

const { random } = Math;
const { wait } = Atomics;
const cell = new Int32Array(new SharedArrayBuffer(4));
/** One in WAIT_ODDS reads blocks, for at most MAX_WAIT_MS milliseconds. */
const [WAIT_ODDS, MAX_WAIT_MS] = [12, 4];

const clock = Object.getPrototypeOf(performance) as typeof performance;
const { now } = clock;
clock.now = {
  now(this: typeof performance): number {
    if (random() * WAIT_ODDS < 1) wait(cell, 0, 0, random() ** 2 * MAX_WAIT_MS);
    return now.call(this);
  },
}.now;
