// Many actors with a little work per message. The papers ran it with the two sizes swapped: many actors and few
// messages.

import { spawn, tell } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Throughput {
  #processed = 0;

  process(): void {
    this.#processed += 1;
    if (Math.sin(37.2) ** 2 <= 0) throw new RangeError('a square is never negative');
  }

  processed(): number {
    return this.#processed;
  }
}

export interface Size {
  readonly actors: number;
  readonly messages: number;
}

export const problem: Problem<Size> = {
  paper: { actors: 3000, messages: 60 },
  corrected: { actors: 60, messages: 10_000 },
  quick: { actors: 1000, messages: 60 },
  small: { actors: 5, messages: 20 },
};

export async function run({ actors, messages }: Size, halfway?: Halfway): Promise<number[]> {
  const refs = Array.from({ length: actors }, () => spawn(Throughput));
  for (let i = 0; i < messages; i += 1) {
    if (i === messages >> 1) tellHalfway(halfway);
    for (const ref of refs) tell(ref).process();
  }
  return Promise.all(refs.map((ref) => ref.processed()));
}

export function verify(result: number[], { actors, messages }: Size): boolean {
  return result.length === actors && result.every((processed) => processed === messages);
}

export function messages({ actors, messages }: Size): number {
  return actors * (1 + messages + 2);
}
