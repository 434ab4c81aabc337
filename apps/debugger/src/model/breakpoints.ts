// Breakpoints at lines: files are said by the ends of their paths.

interface AtLine {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly condition?: string | undefined;
}

export interface LineBreakpoint {
  readonly line: number;
  readonly condition: string | undefined;
}

function isIn({ file }: AtLine, shown: string): boolean {
  return file !== undefined && (shown === file || shown.endsWith(`/${file}`));
}

export function isAt(breakpoint: AtLine, file: string, line: number): boolean {
  return breakpoint.line === line && isIn(breakpoint, file);
}

export function breakpointsIn(all: readonly AtLine[], file: string): LineBreakpoint[] {
  return all.flatMap((each) =>
    each.line !== undefined && isIn(each, file) ? [{ line: each.line, condition: each.condition }] : [],
  );
}
