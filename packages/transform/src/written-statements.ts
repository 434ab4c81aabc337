// Where the statements of lowered TypeScript stand in the file as it was written: the lowered text ends them elsewhere, and has them on other lines. A source map tells where something
// begins; where it ends is told by the file's own tree, in which the statement is what begins there and is of the same type.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { parseSync } from 'oxc-parser';
import { endOfHead, type Node } from './ast.ts';
import { lineIn, lineStarts } from './lines.ts';
import type { StatementEntry } from './table.ts';
import { languageOf } from './typescript-options.ts';
import type { LoweredCode } from './typescript.ts';
import { valuesIn, type TsNode } from './typescript-tree.ts';

export type WrittenPlace = NonNullable<StatementEntry['written']> | null;

export function writtenStatements(source: string, path: string, lowered: LoweredCode): (node: Node) => WrittenPlace {
  const begun = nodesByBegin(source, path);
  const trace = new TraceMap(lowered.map as never);
  const [starts, written] = [lineStarts(lowered.code), lineStarts(source)];
  return ({ type, start }) => {
    const line = lineIn(starts, start);
    const found = originalPositionFor(trace, { line: line + 1, column: start - (starts[line] as number) });
    if (found.line === null) return null;
    const at = (written[found.line - 1] as number) + found.column;
    const its = begun.get(at)?.find((each) => each.type === type);
    return its === undefined ? null : [its.start, endOfHead(its as unknown as Node, source)];
  };
}

/** Those that begin at the same place, outer ones first. */
function nodesByBegin(source: string, path: string): Map<number, TsNode[]> {
  const { program } = parseSync(path, source, { lang: languageOf(path), preserveParens: true });
  const found = new Map<number, TsNode[]>();
  const pending = [program as unknown as TsNode];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const there = found.get(node.start);
    if (there === undefined) found.set(node.start, [node]);
    else there.push(node);
    pending.push(...valuesIn(node));
  }
  return found;
}
