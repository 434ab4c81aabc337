// The area below a curve, in parts that are sent to workers. In the papers all parts go to one and the same worker.

import { spawn } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

function f(x: number): number {
  return (Math.sin(x ** 3 - 1) / (x + 1)) * Math.sqrt(1 + Math.exp(Math.sqrt(2 * x)));
}

export class Worker {
  area(left: number, right: number, width: number): number {
    const pieces = Math.round((right - left) / width);
    let area = 0;
    for (let i = 0; i < pieces; i += 1) {
      const from = left + i * width;
      area += 0.5 * (f(from) + f(from + width)) * width;
    }
    return area;
  }
}

export interface Size {
  /** Number of parts that the work is divided into. */
  readonly parts: number;
  readonly workers: number;
  readonly pieces: number;
  readonly left: number;
  readonly right: number;
}

export const problem: Problem<Size> = {
  paper: { parts: 100, workers: 1, pieces: 1_000_000, left: 1, right: 5 },
  corrected: { parts: 100, workers: 100, pieces: 1_000_000, left: 1, right: 5 },
  quick: { parts: 100, workers: 1, pieces: 100_000, left: 1, right: 5 },
  small: { parts: 100, workers: 1, pieces: 2500, left: 1, right: 5 },
};

export async function run({ parts, workers, pieces, left, right }: Size, halfway?: Halfway): Promise<number> {
  const refs = Array.from({ length: workers }, () => spawn(Worker));
  const width = (right - left) / pieces;
  const range = (right - left) / parts;
  let results = 0;
  const areas = await Promise.all(
    Array.from({ length: parts }, async (_, i) => {
      const from = left + i * range;
      const area = await refs[i % workers]!.area(from, from + range, width);
      results += 1;
      if (results === parts >> 1) tellHalfway(halfway);
      return area;
    }),
  );
  return areas.reduce((sum, area) => sum + area, 0);
}

/** Area in hundred-millionths, computed over the whole range at once. */
export function expected({ pieces, left, right }: Size): number {
  const width = (right - left) / pieces;
  let area = 0;
  for (let i = 0; i < pieces; i += 1) area += 0.5 * (f(left + i * width) + f(left + (i + 1) * width)) * width;
  return hundredMillionths(area);
}

export function verify(result: number, size: Size): boolean {
  return hundredMillionths(result) === expected(size);
}

function hundredMillionths(area: number): number {
  return Math.round(area * 1e8);
}

export function messages({ parts, workers }: Size): number {
  return workers + 2 * parts;
}
