// Breakpoints: lines of files, perhaps one of a line's statements, perhaps only where an expression holds.
import type { StatementPlace } from '../engine/engine.ts';
import type { Traced } from './traced.ts';

export interface BreakpointWish {
  /** The end of its path or URL: `cart.ts`, `src/cart.ts`. */
  readonly file: string;
  readonly line: number;
  /** Without it, the first statement of the line that is come to. */
  readonly column?: number | undefined;
  readonly condition?: string | undefined;
}

export interface Breakpoint extends BreakpointWish {
  readonly id: number;
}

/** Statements of a stretch that it stands at, whatever the condition says, ascending. */
export function hitsOf({ file, line, column }: BreakpointWish, traced: Traced): number[] {
  const isMeant = (place: StatementPlace): boolean => place.line === line && isOfFile(place.file, file);
  const found: number[] = [];
  for (let index = 0; index < traced.count; index++) {
    const place = traced.place(index);
    if (!isMeant(place) || (column !== undefined && place.column !== column)) continue;
    const isAgain =
      column === undefined &&
      index > 0 &&
      isMeant(traced.place(index - 1)) &&
      traced.depth(index - 1) === traced.depth(index);
    if (!isAgain) found.push(index);
  }
  return found;
}

function isOfFile(path: string, end: string): boolean {
  return path === end || path.endsWith(end.startsWith('/') ? end : `/${end}`);
}
