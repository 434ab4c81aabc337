// Bars that noise may forbid to judge. A ratio is met if the whole of its interval is, missed if none of it is and the noise cannot be why, and undecided otherwise:
// the control, which is the same twice, says what noise is.

import { ratioInterval, type Interval, type PairedRatios } from './statistics.ts';

export type BarVerdict = 'met' | 'MISSED' | 'undecided';

export interface JudgedBar {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
  readonly verdict: BarVerdict;
}

/** Pairs that a verdict takes. */
export const MIN_PAIRS = 20;

/** A ratio that must not exceed `limit`; `control`: of the baseline to itself. */
export function judgeRatio(name: string, pairs: PairedRatios, control: PairedRatios, limit: number): JudgedBar {
  const interval = ratioInterval(pairs);
  const noise = halfWidth(ratioInterval(control));
  const count = pairs.flat().length;
  const shortageText = count < MIN_PAIRS ? `, ${count} pairs of ${MIN_PAIRS}` : '';
  return {
    name,
    value: `${percentText(interval)}, noise ±${(noise * 100).toFixed(2)} %${shortageText}`,
    limit: `${((limit - 1) * 100).toFixed(0)} %`,
    verdict: count < MIN_PAIRS ? 'undecided' : verdictOf(interval, noise, limit),
  };
}

export function verdictOf({ low, high }: Interval, noise: number, limit: number): BarVerdict {
  if (high <= limit) return 'met';
  return low - noise > limit ? 'MISSED' : 'undecided';
}

/** Of the interval around 1 that the control shows. */
export function halfWidth({ low, high }: Interval): number {
  return Math.max(Math.abs(1 - low), Math.abs(high - 1));
}

function percentText({ median, low, high }: Interval): string {
  const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(2)}`;
  return `${percent(median)} % [${percent(low)}, ${percent(high)}]`;
}

export function judgedBarText({ name, value, limit, verdict }: JudgedBar): string {
  return `${verdict.padEnd(9)} ${name}: ${value} (limit ${limit})`;
}
