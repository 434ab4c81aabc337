import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMap, transform, type SourceMapObject } from '@turntable/transform';

const folder = fileURLToPath(new URL('golden/', import.meta.url));

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length };
}

/** Emitted code adds keywords. */
const KEYWORDS = new Set(
  'async await break case class const continue default export for function if import let new of return switch yield'.split(
    ' ',
  ),
);

/** Words that stand once in the source and once in the code, with their offsets in both. */
function uniqueWords(source: string, code: string): { word: string; from: number; to: number }[] {
  const once = (text: string): Map<string, number> => {
    const found = new Map<string, number>();
    for (const match of text.matchAll(/[A-Za-z]\w*/g)) found.set(match[0], found.has(match[0]) ? -1 : match.index);
    return found;
  };
  const inCode = once(code);
  return [...once(source)]
    .map(([word, from]) => ({ word, from, to: inCode.get(word) ?? -1 }))
    .filter(({ from, to }) => from >= 0 && to >= 0);
}

function trace(map: SourceMapObject, code: string, offset: number): { line: number | null; column: number | null } {
  const { line, column } = lineAndColumn(code, offset);
  const found = originalPositionFor(new TraceMap(map as never), { line, column });
  return { line: found.line, column: found.column };
}

describe('the source map', () => {
  it.each(readdirSync(folder).filter((name) => /^(async|closures|generators|top).*\.m?js$/.test(name)))(
    'leads every word of %s back to its place',
    (name) => {
      const source = readFileSync(folder + name, 'utf8');
      const { code, map } = transform(source, { path: name, kind: name.endsWith('.mjs') ? 'module' : 'commonjs' });
      const words = uniqueWords(source, code).filter(({ word }) => !KEYWORDS.has(word));
      expect(words.length).toBeGreaterThan(1);
      for (const { word, from, to } of words) {
        expect({ word, ...trace(map, code, to) }).toEqual({ word, ...lineAndColumn(source, from) });
      }
    },
  );

  it('maps lowered TypeScript to the original text', () => {
    const source =
      'interface Unused { a: string }\nenum Colour { Red }\nexport function paint(x: Colour): never {\n  throw new RangeError(String(x));\n}\n';
    const { code, map } = transform(source, { path: 'paint.ts', kind: 'module' });
    expect(trace(map, code, code.indexOf('RangeError'))).toEqual({ line: 4, column: 12 });
    expect(map.sourcesContent).toEqual([source]);
  });

  it.each(['a.js', 'a.ts'])('of %s can be made later from its stored text', (path) => {
    const source =
      '#!/usr/bin/env node\nlet n = 0;\nexport const f = async (\n  x = "→") => { await x; return () => n++; };\n';
    const { code, map, mapText, source: mappedSource } = transform(source, { path, kind: 'module' });
    const later = readMap(mapText, code, mappedSource, path);
    expect(later.mappings).toBe(map.mappings);
    expect(later.sources).toEqual(map.sources);
    expect(map.mappings.length).toBeGreaterThan(20);
  });
});
