// Positions as clients compare them, and places in files as stretches tell of them.
import type { Where } from '../protocol.ts';

/** A position as numbers, in the order in which everything runs. */
export type Spot = readonly [order: number, list: number, statement: number];

export function spotOf({ position, order }: Pick<Where, 'position' | 'order'>): Spot {
  const [, list = '0', statement = '0'] = /:(\d+)\.(\d+)$/.exec(position) ?? [];
  return [order, Number(list), Number(statement)];
}

/** Less than 0 if the first comes before the other. */
export function compareSpots(one: Spot, other: Spot): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** Where the method of a stretch begins, as it says it: a file and a line. */
export function placeIn(text: string | undefined): { readonly file: string; readonly line: number } | undefined {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}
