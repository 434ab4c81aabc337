// Positions as clients compare them, and places in files as tasks tell of them.
import type { CursorInfo } from '../protocol.ts';

/** A position as numbers, in the order in which everything runs. */
export type PositionKey = readonly [order: number, list: number, statement: number];

export function positionKey({ position, order }: Pick<CursorInfo, 'position' | 'order'>): PositionKey {
  const [, list = '0', statement = '0'] = /:(\d+)\.(\d+)$/.exec(position) ?? [];
  return [order, Number(list), Number(statement)];
}

/** Less than 0 if the first comes before the other. */
export function comparePositionKeys(first: PositionKey, second: PositionKey): number {
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

/** Where the method of a task begins, as it says it: a file and a line. */
export function parseLocation(text: string | undefined): { readonly file: string; readonly line: number } | undefined {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}
