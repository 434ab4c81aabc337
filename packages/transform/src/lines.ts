// Offsets of the lines of a text, and the line at an offset. Lines count from 0, except in `locationAt`.

export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let offset = text.indexOf('\n'); offset !== -1; offset = text.indexOf('\n', offset + 1)) starts.push(offset + 1);
  return starts;
}

export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** Line and column of an offset, both from 1. @param starts result of `lineStarts` */
export function locationIn(starts: readonly number[], offset: number): { line: number; column: number } {
  const line = lineAt(starts, offset);
  return { line: line + 1, column: offset - (starts[line] as number) + 1 };
}

/** Line and column of an offset, both from 1. */
export function locationAt(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (
    let lineBreak = source.indexOf('\n');
    lineBreak !== -1 && lineBreak < offset;
    lineBreak = source.indexOf('\n', lineBreak + 1)
  ) {
    line++;
    lineStart = lineBreak + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
