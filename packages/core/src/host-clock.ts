// The host's clocks, for Turntable's own measurements. They are read when this module loads, because a recorded program
// later gets other clocks.

const { now: epochMs } = Date;
const { performance } = globalThis as { performance?: { now(): number } };
const now = performance?.now.bind(performance) ?? epochMs;

export const hostClock: {
  /** Whole milliseconds since 1970. */
  epochMs(): number;
  /** Milliseconds since a fixed moment. Never decreases. */
  now(): number;
} = { epochMs, now };
