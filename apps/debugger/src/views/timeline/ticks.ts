// The ticks of the timeline's ruler, at round numbers, and the format of times.
import type { Scale } from '../../model/scale.ts';

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Minimum distance between ticks. */
const MIN_TICK_GAP_PX = 96;

export function rulerTicks(scale: Scale, width: number): Tick[] {
  const length = scale.to - scale.from;
  const minStep = (length / Math.max(1, width)) * MIN_TICK_GAP_PX;
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= minStep) ?? minStep;
  const roundStep = scale.kind === 'order' ? Math.max(1, Math.round(step)) : step;
  const found: Tick[] = [];
  for (let n = Math.ceil(scale.from / roundStep); n * roundStep <= scale.to && found.length < 100; n++)
    found.push({
      value: n * roundStep,
      text: scale.kind === 'order' ? formatNumber(n * roundStep) : formatTime(n * roundStep, roundStep),
    });
  return found;
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** @param milliseconds since the start of the recording @param step between ticks, which determines the precision */
export function formatTime(milliseconds: number, step = 1): string {
  if (step < 1) return `${milliseconds.toFixed(Math.min(3, Math.ceil(-Math.log10(step))))} ms`;
  return step < 1000 ? `${(milliseconds / 1000).toFixed(3)} s` : `${(milliseconds / 1000).toFixed(0)} s`;
}
