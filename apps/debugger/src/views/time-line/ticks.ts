// Where the ruler has its lines: at round numbers, not too near to each other.
import type { Scale } from '../../model/scale.ts';

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Pixels between two of them, at least. */
const APART = 96;

export function ticksOf(scale: Scale, width: number): Tick[] {
  const length = scale.to - scale.from;
  const least = (length / Math.max(1, width)) * APART;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? least;
  const whole = scale.by === 'order' ? Math.max(1, Math.round(step)) : step;
  const found: Tick[] = [];
  for (let n = Math.ceil(scale.from / whole); n * whole <= scale.to && found.length < 100; n++)
    found.push({ value: n * whole, text: scale.by === 'order' ? grouped(n * whole) : timeText(n * whole, whole) });
  return found;
}

export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** @param milliseconds since the beginning. @param step as exactly as that needs */
export function timeText(milliseconds: number, step = 1): string {
  if (step < 1) return `${milliseconds.toFixed(Math.min(3, Math.ceil(-Math.log10(step))))} ms`;
  return step < 1000 ? `${(milliseconds / 1000).toFixed(3)} s` : `${(milliseconds / 1000).toFixed(0)} s`;
}
