// Random numbers from a seed, so that runs can be reproduced.

export type RandomInteger = (count: number) => number;

/** Mulberry32 (Tommy Ettinger, public domain algorithm). Returns numbers below `count`. */
export function seededRandom(seed: number): RandomInteger {
  let state = seed | 0;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % count;
  };
}

export function pickOne<T>(random: RandomInteger, all: readonly T[]): T {
  return all[random(all.length)] as T;
}
