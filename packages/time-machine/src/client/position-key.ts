// Positions in a form that clients can compare, and a parser for the source locations of tasks.
import type { CursorInfo } from '../protocol.ts';

/** A position as numbers, the most significant one first. */
export type PositionKey = readonly [order: number, list: number, statement: number];

export function positionKey({ position, order }: Pick<CursorInfo, 'position' | 'order'>): PositionKey {
  const [, list = '0', statement = '0'] = /:(\d+)\.(\d+)$/.exec(position) ?? [];
  return [order, Number(list), Number(statement)];
}

/** Negative if the first position is before the second, positive if it is after. */
export function comparePositionKeys(first: PositionKey, second: PositionKey): number {
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

/** Parses the `methodLocation` of a task; undefined if the task has none. */
export function parseLocation(text: string | undefined): { readonly file: string; readonly line: number } | undefined {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}
