/** Savina's random numbers: sixteen bits each. */
export function draw(seed: number): number {
  return (seed * 1309 + 13849) & 65535;
}
