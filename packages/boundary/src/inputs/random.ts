// `Math.random()` of a thread with a tape: xorshift128+, the engine's own algorithm, with a state that snapshots
// contain. Only the seed is recorded, and a call costs no more than the engine's.

/** Both words of the state, each as its lower and its upper half. */
export type RandomState = readonly [lower0: number, upper0: number, lower1: number, upper1: number];

const UPPER_SCALE = 2 ** -32;
const LOWER_SCALE = 2 ** -53;

/** The state in 32-bit halves, because larger integers are slow. bench/record measures the cost. */
const state = new Int32Array(4);

export function random(): number {
  // s1 = state0; s0 = state1; state0 = s0; s1 ^= s1 << 23; s1 ^= s1 >> 17; s1 ^= s0 ^ (s0 >> 26); state1 = s1
  let lower = state[0] as number;
  let upper = state[1] as number;
  const lower0 = state[2] as number;
  const upper0 = state[3] as number;
  state[0] = lower0;
  state[1] = upper0;
  upper ^= (upper << 23) | (lower >>> 9);
  lower ^= lower << 23;
  lower ^= (lower >>> 17) | (upper << 15);
  upper ^= upper >>> 17;
  lower ^= lower0 ^ ((lower0 >>> 26) | (upper0 << 6));
  upper ^= upper0 ^ (upper0 >>> 26);
  state[2] = lower;
  state[3] = upper;
  // The upper 53 bits of the first word, the same bits that V8 takes.
  return (upper0 >>> 0) * UPPER_SCALE + (lower0 >>> 11) * LOWER_SCALE;
}

export function captureRandomState(): RandomState {
  return [...state] as unknown as RandomState;
}

export function restoreRandomState(saved: RandomState): void {
  state.set(saved);
}

/** @param seed sixteen bytes */
export function seedRandom(seed: Uint8Array): void {
  state.set(new Int32Array(Uint8Array.from(seed).buffer));
  if (state.every((word) => word === 0)) state[0] = 1;
}
