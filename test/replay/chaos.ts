// Loaded by Node before Turntable, on every thread: whoever asks the clock, and schedulers do between any two rounds, may be kept for a while that chance decides.
// So threads come by each other in ways in which they otherwise seldom do, rounds become longer and shorter, and what is taken when is anybody's guess.

const { random } = Math;
const { wait } = Atomics;
const cell = new Int32Array(new SharedArrayBuffer(4));
/** One time in so many, for so many milliseconds at most. */
const [SELDOM, LONG] = [12, 4];

const clock = Object.getPrototypeOf(performance) as typeof performance;
const { now } = clock;
clock.now = {
  now(this: typeof performance): number {
    if (random() * SELDOM < 1) wait(cell, 0, 0, random() ** 2 * LONG);
    return now.call(this);
  },
}.now;
