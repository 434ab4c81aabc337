// Bars that noise may leave undecided. A ratio is met if its whole interval is below the limit. It is missed if none of
// the interval is and noise cannot explain it. The noise is the interval of the control, which repeats the baseline.

import { ratioInterval, type Interval, type PairedRatios } from './statistics.ts';

export type BarVerdict = 'met' | 'MISSED' | 'undecided';

export interface JudgedBar {
  readonly what: string;
  readonly value: string;
  readonly limit: string;
  readonly verdict: BarVerdict;
}

/** Number of pairs that a verdict needs. */
export const MIN_PAIRS = 20;

/** Judges a ratio that must not exceed `limit`. @param control ratios of the baseline to itself */
export function judgeRatio(what: string, pairs: PairedRatios, control: PairedRatios, limit: number): JudgedBar {
  const interval = ratioInterval(pairs);
  const noise = halfWidth(ratioInterval(control));
  const count = pairs.flat().length;
  const shortageText = count < MIN_PAIRS ? `, ${count} pairs of ${MIN_PAIRS}` : '';
  return {
    what,
    value: `${percentText(interval)}, noise ±${(noise * 100).toFixed(2)} %${shortageText}`,
    limit: `${((limit - 1) * 100).toFixed(0)} %`,
    verdict: count < MIN_PAIRS ? 'undecided' : verdictOf(interval, noise, limit),
  };
}

export function verdictOf({ low, high }: Interval, noise: number, limit: number): BarVerdict {
  if (high <= limit) return 'met';
  return low - noise > limit ? 'MISSED' : 'undecided';
}

/** Half width of the control's interval around 1. */
export function halfWidth({ low, high }: Interval): number {
  return Math.max(Math.abs(1 - low), Math.abs(high - 1));
}

function percentText({ median, low, high }: Interval): string {
  const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(2)}`;
  return `${percent(median)} % [${percent(low)}, ${percent(high)}]`;
}

export function judgedBarText({ what, value, limit, verdict }: JudgedBar): string {
  return `${verdict.padEnd(9)} ${what}: ${value} (limit ${limit})`;
}
