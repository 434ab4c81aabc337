// Medians, ratios and their intervals. A ratio is estimated as the median of paired ratios; its 95 % interval is a
// percentile bootstrap in two stages, processes first and then the pairs within each, because samples of one process
// share its code layout and its compiler's luck and are not independent. The draws come from a fixed seed: same
// samples, same interval.

export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Paired ratios by round: one array per round of processes. */
export type PairedRatios = readonly (readonly number[])[];

const RESAMPLES = 2000;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function geomean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** xorshift32: good enough for resampling, and the same on every machine. */
export function seededDraws(seed: number): (below: number) => number {
  let state = seed | 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function resampledMedian(rounds: PairedRatios, draw: (below: number) => number): number {
  const values: number[] = [];
  for (let i = 0; i < rounds.length; i += 1) {
    const round = rounds[draw(rounds.length)]!;
    for (let k = 0; k < round.length; k += 1) values.push(round[draw(round.length)]!);
  }
  return median(values);
}

function percentiles(draws: number[]): { low: number; high: number } {
  draws.sort((a, b) => a - b);
  return { low: draws[Math.floor(draws.length * 0.025)]!, high: draws[Math.ceil(draws.length * 0.975) - 1]! };
}

export function ratioInterval(rounds: PairedRatios): Interval {
  const draw = seededDraws(0x7a51);
  const draws = Array.from({ length: RESAMPLES }, () => resampledMedian(rounds, draw));
  return { median: median(rounds.flat()), ...percentiles(draws) };
}

/** The geometric mean of several rows' ratios, every row resampled on its own in each draw. */
export function geomeanInterval(rows: readonly PairedRatios[]): Interval {
  const draw = seededDraws(0x33c7);
  const draws = Array.from({ length: RESAMPLES }, () => geomean(rows.map((rounds) => resampledMedian(rounds, draw))));
  return { median: geomean(rows.map((rounds) => median(rounds.flat()))), ...percentiles(draws) };
}
