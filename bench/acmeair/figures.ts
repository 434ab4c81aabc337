// Figures 10 and 11 of the papers as SVG: the distribution of latencies, and the latency of each kind of request
// relative to its baseline.

import { VISIT_REQUEST_KINDS } from '../../examples/acmeair/load/visitor.ts';
import { geomean } from '../harness/statistics.ts';
import type { Tally } from './tally.ts';

const WIDTH = 960;
const HEIGHT = 420;
const MARGIN = { left: 64, right: 170, top: 44, bottom: 56 };
const INNER = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
/** Colours that remain distinguishable without colour vision (Okabe and Ito). */
const COLOURS = ['#000000', '#0072b2', '#009e73', '#e69f00', '#d55e00', '#cc79a7'];
/** Histogram steps per factor of ten. */
const STEPS = 8;

export interface Series {
  readonly name: string;
  readonly latency: Tally;
}

/** Figure 10. Both scales are logarithmic, so that a single slow request is visible. */
export function latencyFigure(series: readonly Series[], title: string): string {
  const counts = series.map(({ latency }) => histogramOf(latency.all));
  const steps = counts.flatMap((each) => [...each.keys()]);
  const [minStep, maxStep] = [Math.min(...steps), Math.max(...steps) + 1];
  const highest = Math.max(...counts.flatMap((each) => [...each.values()]));
  const decades = Math.max(1, Math.ceil(Math.log10(highest)));
  const x = (step: number): number => MARGIN.left + ((step - minStep) / Math.max(1, maxStep - minStep)) * INNER.width;
  const y = (count: number): number =>
    MARGIN.top + INNER.height - (Math.log10(Math.max(1, count)) / decades) * INNER.height;
  const parts: string[] = [];
  for (let power = 0; power <= decades; power++) parts.push(...gridLine(y(10 ** power), String(10 ** power)));
  for (let step = Math.ceil(minStep / STEPS) * STEPS; step <= maxStep; step += STEPS)
    parts.push(label(x(step), MARGIN.top + INNER.height + 18, `${10 ** (step / STEPS)} ms`, 'middle'));
  counts.forEach((each, i) => {
    const points: string[] = [];
    for (let step = minStep; step < maxStep; step++) {
      const count = each.get(step) ?? 0;
      // Zero has no logarithm: the line stays at the bottom.
      points.push(`${x(step).toFixed(1)},${y(count).toFixed(1)}`, `${x(step + 1).toFixed(1)},${y(count).toFixed(1)}`);
    }
    parts.push(
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colourOf(i)}" stroke-width="1.6" stroke-opacity="0.85"/>`,
    );
  });
  parts.push(...legend(series.map(({ name }) => name)));
  parts.push(label(MARGIN.left + INNER.width / 2, HEIGHT - 12, 'latency of a request', 'middle'));
  return figure(title, parts);
}

/** Number of requests per latency step. */
function histogramOf(milliseconds: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const each of milliseconds) {
    const step = Math.floor(Math.log10(Math.max(each, 1e-3)) * STEPS);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return counts;
}

export interface KindComparison {
  readonly name: string;
  readonly latency: Tally;
  readonly base: Tally;
}

/** Figure 11: mean latency of each kind of request relative to the baseline; the last group is the geometric mean. */
export function kindsFigure(comparisons: readonly KindComparison[], title: string): string {
  const kinds = VISIT_REQUEST_KINDS.filter((kind) =>
    comparisons.every(({ latency, base }) => latency.of(kind).length > 0 && base.of(kind).length > 0),
  );
  const ratios = comparisons.map(({ latency, base }) => {
    const each = kinds.map((kind) => meanOf(latency.of(kind)) / meanOf(base.of(kind)));
    return [...each, geomean(each)];
  });
  const names = [...kinds, 'geometric mean'];
  const highest = Math.max(1.1, ...ratios.flat()) * 1.05;
  const y = (ratio: number): number => MARGIN.top + INNER.height - (ratio / highest) * INNER.height;
  const group = INNER.width / names.length;
  const width = (group * 0.8) / comparisons.length;
  const parts: string[] = [];
  for (let ratio = 0; ratio <= highest; ratio += 0.25) parts.push(...gridLine(y(ratio), ratio.toFixed(2)));
  names.forEach((name, i) => {
    const left = MARGIN.left + i * group + group * 0.1;
    ratios.forEach((each, lane) => {
      const ratio = each[i] ?? 0;
      const box = `x="${(left + lane * width).toFixed(1)}" y="${y(ratio).toFixed(1)}" width="${(width * 0.92).toFixed(1)}"`;
      parts.push(
        `<rect ${box} height="${(y(0) - y(ratio)).toFixed(1)}" fill="${colourOf(lane + 1)}"><title>${escapeXml(name)}: ${ratio.toFixed(3)}</title></rect>`,
      );
    });
    parts.push(label(left + group * 0.4, MARGIN.top + INNER.height + 18, name, 'middle'));
  });
  parts.push(
    `<line x1="${MARGIN.left}" x2="${MARGIN.left + INNER.width}" y1="${y(1).toFixed(1)}" y2="${y(1).toFixed(1)}" stroke="#000" stroke-dasharray="4 3"/>`,
    ...legend(
      comparisons.map(({ name }) => name),
      1,
    ),
  );
  return figure(title, parts);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function colourOf(i: number): string {
  return COLOURS[i % COLOURS.length] as string;
}

function gridLine(y: number, text: string): string[] {
  const ends = `x1="${MARGIN.left}" x2="${MARGIN.left + INNER.width}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"`;
  return [`<line ${ends} stroke="#ddd"/>`, label(MARGIN.left - 8, y + 4, text, 'end')];
}

function legend(names: readonly string[], firstColour = 0): string[] {
  return names.flatMap((name, i) => {
    const [x, y] = [MARGIN.left + INNER.width + 16, MARGIN.top + 8 + i * 20];
    const box = `<rect x="${x}" y="${y - 9}" width="12" height="12" fill="${colourOf(i + firstColour)}"/>`;
    return [box, label(x + 18, y + 1, name, 'start')];
  });
}

function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeXml(text)}</text>`;
}

function figure(title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${MARGIN.left}" y="22" font-size="14">${escapeXml(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
