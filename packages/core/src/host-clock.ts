// The host's clocks, for Turntable's own measurements. They are read here at load, because a recorded program gets
// others.

const { now: epochMs } = Date;
const { performance } = globalThis as { performance?: { now(): number } };
const now = performance?.now.bind(performance) ?? epochMs;

export const hostClock: {
  /** Whole milliseconds since 1970. */
  epochMs(): number;
  /** Milliseconds since some moment; never decreases. */
  now(): number;
} = { epochMs, now };
