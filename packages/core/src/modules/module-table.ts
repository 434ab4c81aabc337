// The transform's description of a module (`table.module` in docs/internals/abi.md). It is plain data that recordings keep.
// Linking needs nothing else of the source.

export type ImportAttributes = Readonly<Record<string, string>>;

export interface ModuleRequest {
  readonly specifier: string;
  readonly attributes: ImportAttributes;
  /** Offset of the request in the source; -1 for a dynamic import. */
  readonly start: number;
}

export interface ImportEntry {
  /** Index of the import's request in `requests`. */
  readonly request: number;
  /** Exported name in the other module; `'*'` for its namespace. */
  readonly name: string;
  readonly local: string;
  /** Whether this is a static member of a namespace. If the name does not exist, its cell holds `undefined`. */
  readonly optional?: boolean;
}

export type ExportEntry =
  | { readonly exported: string; readonly cell: string }
  | { readonly exported: string; readonly request: number; readonly name: string }
  | { readonly exported: null; readonly request: number };

export interface ModuleTable {
  readonly kind: 'module' | 'commonjs' | 'script';
  readonly async: boolean;
  readonly requests: readonly ModuleRequest[];
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly cells: readonly string[];
  /** Variables of the top scope, in the order of `readScope`. */
  readonly variables?: readonly string[];
}

export const NO_ATTRIBUTES: ImportAttributes = Object.freeze({ __proto__: null }) as unknown as ImportAttributes;

/** Table of code without imports and exports: scripts and CommonJS. */
export function plainTable(kind: 'commonjs' | 'script'): ModuleTable {
  return { kind, async: false, requests: [], imports: [], exports: [], cells: [] };
}
