// The host's clocks for what the house itself wants to know. When a program is recorded something else stands in their place, which is
// the program's alone; so they are taken here, before that.

const { now: epochMs } = Date;
const { performance } = globalThis as { performance?: { now(): number } };
const now = performance?.now.bind(performance) ?? epochMs;

export const hostClock: {
  /** Milliseconds since 1970, whole ones. */
  epochMs(): number;
  /** Milliseconds since some moment; never goes back. */
  now(): number;
} = { epochMs, now };
