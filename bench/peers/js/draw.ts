/** Savina's pseudo-random numbers of sixteen bits. */
export function draw(seed: number): number {
  return (seed * 1309 + 13849) & 65535;
}
