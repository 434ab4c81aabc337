// Breakpoints: lines of files, perhaps one of a line's statements, perhaps only where an expression holds, or only the so-manieth time.

export interface BreakpointWish {
  /** The end of its path or URL: `cart.ts`, `src/cart.ts`. */
  readonly file: string;
  readonly line: number;
  /** Without it, the first statement of the line that is come to. */
  readonly column?: number | undefined;
  readonly condition?: string | undefined;
  /** Of all times in the recording that the condition holds. */
  readonly times?: number | undefined;
}

export interface Breakpoint extends BreakpointWish {
  readonly id: number;
}
