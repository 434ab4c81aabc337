// The import graph of our own sources: which file imports which, at which line, and whether only for its types. Its
// cycles are the strongly connected components of more than one file.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** When the imported file is evaluated: before the importing one, on demand, or never. */
export type ImportKind = 'static' | 'dynamic' | 'type';

export interface Import {
  /** The importing file. Paths are relative to the root of the workspace. */
  readonly from: string;
  readonly line: number;
  readonly kind: ImportKind;
  /** As written: './jobs.ts', '@turntable/core', 'ws'. */
  readonly specifier: string;
  /** The imported file, if the specifier is relative. */
  readonly file: string | undefined;
  /** The importing file exports something of the imported one under its own name. */
  readonly isReexport: boolean;
}

/** The TypeScript files below these folders, sorted. */
export function sourceFiles(root: string, folders: readonly string[]): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[cm]?tsx?$/.test(file))
      .map((file) => join(folder, file));
  return folders.flatMap(inFolder).toSorted();
}

export function readImports(root: string, files: readonly string[]): Import[] {
  return files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** All imports of one source file: statements, re-exports, `import(…)`, and `import('…')` in types. */
export function importsOf(from: string, text: string): Import[] {
  const { program, errors } = parseSync(from, text);
  if (errors[0] !== undefined) throw new Error(`${from}: ${errors[0].message}`);
  const imports: Import[] = [];
  const bindings = new Map<string, number>();
  const exported = new Set<string>();

  const add = (start: number, kind: ImportKind, specifier: string, isReexport = false): void => {
    const line = text.slice(0, start).split('\n').length;
    const file = specifier.startsWith('.') ? join(dirname(from), specifier) : undefined;
    imports.push({ from, line, kind, specifier, file, isReexport });
  };
  // `import { type T } from './t.ts'` still evaluates './t.ts' (verbatimModuleSyntax); only `import type` does not.
  const kindOf = (kind: 'type' | 'value' | undefined): ImportKind => (kind === 'type' ? 'type' : 'static');
  new Visitor({
    ImportDeclaration(node) {
      for (const { local } of node.specifiers) bindings.set(local.name, imports.length);
      add(node.start, kindOf(node.importKind), node.source.value);
    },
    ExportAllDeclaration(node) {
      add(node.start, kindOf(node.exportKind), node.source.value, true);
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) return add(node.start, kindOf(node.exportKind), node.source.value, true);
      for (const { local } of node.specifiers) if (local.type === 'Identifier') exported.add(local.name);
    },
    ImportExpression({ start, source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') add(start, 'dynamic', source.value);
    },
    TSImportType(node) {
      add(node.start, 'type', node.source.value);
    },
  }).visit(program);

  const reexported = new Set([...exported].map((name) => bindings.get(name)));
  return imports.map((each, index) => (reexported.has(index) ? { ...each, isReexport: true } : each));
}

/**
 * The cycles of these imports, each sorted, the largest first. Dynamic imports close no cycle: they are evaluated after
 * all of its files.
 */
export function cyclesOf(imports: readonly Import[]): string[][] {
  const importsFrom = arrowsByFile(imports);
  // Tarjan, "Depth-first search and linear graph algorithms" (1972).
  const cycles: string[][] = [];
  const indices = new Map<string, number>();
  const stack: string[] = [];
  const visit = (from: string): number => {
    const index = indices.size;
    let low = index;
    indices.set(from, index);
    stack.push(from);
    for (const { file } of importsFrom.get(from) ?? []) {
      const known = indices.get(file);
      if (known === undefined) low = Math.min(low, visit(file));
      else if (stack.includes(file)) low = Math.min(low, known);
    }
    if (low === index) {
      const component = stack.splice(stack.indexOf(from));
      if (component.length > 1) cycles.push(component.toSorted());
    }
    return low;
  };
  for (const file of importsFrom.keys()) if (!indices.has(file)) visit(file);
  return cycles.toSorted((a, b) => b.length - a.length || a.join().localeCompare(b.join()));
}

type FileImport = Import & { readonly file: string };

function arrowsByFile(imports: readonly Import[]): Map<string, FileImport[]> {
  const isArrow = (each: Import): each is FileImport => each.file !== undefined && each.kind !== 'dynamic';
  return Map.groupBy(imports.filter(isArrow), ({ from }) => from);
}

/** The fewest imports that lead from a file back to itself; empty if it is in no cycle. */
export function shortestCycle(imports: readonly Import[], start: string): Import[] {
  const importsFrom = arrowsByFile(imports);
  const reached = new Map<string, Import[]>([[start, []]]);
  for (const [from, path] of reached) {
    for (const arrow of importsFrom.get(from) ?? []) {
      if (arrow.file === start) return [...path, arrow];
      if (!reached.has(arrow.file)) reached.set(arrow.file, [...path, arrow]);
    }
  }
  return [];
}
