// Many actors with one message each: the cost of creating an actor.

import { spawn } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Fork {
  compute(theta: number): number {
    return Math.sin(theta) ** 2;
  }
}

export interface Size {
  readonly actors: number;
}

export const problem: Problem<Size> = {
  paper: { actors: 40_000 },
  quick: { actors: 5000 },
  small: { actors: 20 },
};

export async function run({ actors }: Size, halfway?: Halfway): Promise<number[]> {
  return Promise.all(
    Array.from({ length: actors }, (_, i) => {
      if (i === actors >> 1) tellHalfway(halfway);
      return spawn(Fork).compute(37.2);
    }),
  );
}

export function verify(result: number[], { actors }: Size): boolean {
  const expected = Math.sin(37.2) ** 2;
  return result.length === actors && result.every((value) => value === expected);
}

export function messages({ actors }: Size): number {
  return 3 * actors;
}
