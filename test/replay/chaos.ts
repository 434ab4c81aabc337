// Loaded by Node before Turntable, on every thread: whoever asks the clock, and schedulers do between any two rounds, may be kept for a while that chance decides.
// So threads come by each other in ways in which they otherwise seldom do, rounds become longer and shorter, and what is taken when is anybody's guess.

const { random } = Math;
const { wait } = Atomics;
const cell = new Int32Array(new SharedArrayBuffer(4));
/** One time in so many, for so many milliseconds at most. */
const [WAIT_ODDS, MAX_WAIT_MS] = [12, 4];

const clock = Object.getPrototypeOf(performance) as typeof performance;
const { now } = clock;
clock.now = {
  now(this: typeof performance): number {
    if (random() * WAIT_ODDS < 1) wait(cell, 0, 0, random() ** 2 * MAX_WAIT_MS);
    return now.call(this);
  },
}.now;
