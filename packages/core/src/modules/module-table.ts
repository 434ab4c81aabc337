// What the transform says about one module (`table.module` in docs/abi.md), and the shape of the code that comes with it.
// Plain data: a recording keeps it, and linking needs nothing else of the source.

export type ImportAttributes = Readonly<Record<string, string>>;

export interface ModuleRequest {
  readonly specifier: string;
  readonly attributes: ImportAttributes;
  /** Offset of the request in the source, -1 when it has none (dynamic import). */
  readonly start: number;
}

export interface ImportEntry {
  /** Index into `requests`. */
  readonly request: number;
  /** Exported name at the other side, `'*'` for the namespace. */
  readonly name: string;
  readonly local: string;
  /** A static member of a namespace: a missing name is no error, its cell holds `undefined`. */
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
  /** Variables of the top scope, in the order in which `scope` reads them. */
  readonly variables?: readonly string[];
}

export const NO_ATTRIBUTES: ImportAttributes = Object.freeze({ __proto__: null }) as unknown as ImportAttributes;

/** The table of code that imports and exports nothing: scripts and CommonJS. */
export function plainTable(kind: 'commonjs' | 'script'): ModuleTable {
  return { kind, async: false, requests: [], imports: [], exports: [], cells: [] };
}
