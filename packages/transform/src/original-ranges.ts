// Ranges of lowered TypeScript statements in the original file, because lowering moves and splits statements. A source
// map gives the start. The end comes from the original tree: a statement of the same type that starts there.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { parseSync } from 'oxc-parser';
import { headEnd, type Node } from './ast.ts';
import { lineAt, lineStarts } from './lines.ts';
import type { StatementEntry } from './code-table.ts';
import { languageOf } from './typescript-options.ts';
import type { LoweredCode } from './typescript-lowering.ts';
import { runtimeChildren, type TsNode } from './typescript-tree.ts';

export type OriginalRange = NonNullable<StatementEntry['originalRange']> | null;

export function createOriginalRanges(
  source: string,
  path: string,
  lowered: LoweredCode,
): (node: Node) => OriginalRange {
  const nodes = nodesByStart(source, path);
  const trace = new TraceMap(lowered.map as never);
  const [loweredLineStarts, sourceLineStarts] = [lineStarts(lowered.code), lineStarts(source)];
  return ({ type, start }) => {
    const line = lineAt(loweredLineStarts, start);
    const original = originalPositionFor(trace, {
      line: line + 1,
      column: start - (loweredLineStarts[line] as number),
    });
    if (original.line === null) return null;
    const offset = (sourceLineStarts[original.line - 1] as number) + original.column;
    const originalNode = nodes.get(offset)?.find((each) => each.type === type);
    return originalNode === undefined ? null : [originalNode.start, headEnd(originalNode as unknown as Node, source)];
  };
}

/** Nodes of a file by their start offset. Of nodes with the same start, outer ones come first. */
function nodesByStart(source: string, path: string): Map<number, TsNode[]> {
  const { program } = parseSync(path, source, { lang: languageOf(path), preserveParens: true });
  const found = new Map<number, TsNode[]>();
  const pending = [program as unknown as TsNode];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const sameStart = found.get(node.start);
    if (sameStart === undefined) found.set(node.start, [node]);
    else sameStart.push(node);
    pending.push(...runtimeChildren(node));
  }
  return found;
}
