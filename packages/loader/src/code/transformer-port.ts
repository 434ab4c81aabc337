// What loading code needs of a transform: `transformer.ts` implements it for the program's code.
import type { SourceMapObject } from '@turntable/transform/source-map';

export type CodeKind = 'module' | 'commonjs';

export interface TransformerOptions {
  readonly path: string;
  readonly kind: CodeKind;
  /** Where what would be refused is left as it is; without it, where an installed package has written it. */
  readonly isLenientAt?: (location: { readonly line: number; readonly column: number }) => boolean;
  /** What `settings` has answered elsewhere, in the place of what it would answer here. */
  readonly settings?: string | undefined;
  /** For the form that restores (docs/abi.md). */
  readonly restore?: {
    readonly functions: readonly number[];
    readonly classes: readonly number[];
    readonly dead?: readonly string[];
  };
  /** With a probe before each statement (docs/abi.md). */
  readonly debug?: boolean | 'barriers';
}

interface TransformedTable {
  readonly id: string;
  readonly module: unknown;
  /** The first one is the file's own. */
  readonly scopes: readonly { readonly variables: readonly { readonly name: string; readonly storage: string }[] }[];
}

export interface Transformed {
  readonly code: string;
  /** What `Transformer.readMap` makes the source map of. */
  readonly mapText: string;
  readonly table: TransformedTable;
  /** What positions in the table refer to. */
  readonly source: string;
}

export interface Transformer {
  /** A part of what every cached entry was made of. */
  readonly version: string;
  transform(source: string, options: TransformerOptions): Transformed;
  /** The map of code, transformed now or earlier from `source`. */
  readMap(mapText: string, code: string, source: string, path: string): SourceMapObject;
  /** JavaScript of a TypeScript file. */
  lower(source: string, path: string, settings?: string): string;
  /** What besides text and path decides how a file is transformed. */
  settings(path: string): string;
}

/** Top-level variables that are not set once and for all. */
export function mutableVariables({ scopes }: TransformedTable): string[] {
  return (scopes[0]?.variables ?? []).flatMap(({ name, storage }) => (storage === 'local' ? [] : [name]));
}
