// Finds line breakpoints. The server knows the file of a breakpoint by the end of its path.

interface BreakpointLine {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly condition?: string | undefined;
}

export interface LineBreakpoint {
  readonly line: number;
  readonly condition: string | undefined;
}

function isInFile({ file }: BreakpointLine, shownFile: string): boolean {
  return file !== undefined && (shownFile === file || shownFile.endsWith(`/${file}`));
}

export function isBreakpointAt(breakpoint: BreakpointLine, file: string, line: number): boolean {
  return breakpoint.line === line && isInFile(breakpoint, file);
}

export function breakpointsInFile(breakpoints: readonly BreakpointLine[], file: string): LineBreakpoint[] {
  return breakpoints.flatMap((each) =>
    each.line !== undefined && isInFile(each, file) ? [{ line: each.line, condition: each.condition }] : [],
  );
}
