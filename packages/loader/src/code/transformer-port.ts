// The interface of the transform for loading code. `transformer.ts` implements it.
import type { SourceMapObject } from '@turntable/transform/source-map';

export type CodeKind = 'module' | 'commonjs';

export interface TransformerOptions {
  readonly path: string;
  readonly kind: CodeKind;
  /** Whether refused syntax stays unchanged at a location. By default it does in installed packages only. */
  readonly isLenientAt?: (location: { readonly line: number; readonly column: number }) => boolean;
  /** Settings from a recording, instead of the result of `settings`. */
  readonly settings?: string | undefined;
  /** The functions and classes that the restoring form of the code returns (docs/internals/abi.md). */
  readonly restore?: {
    readonly functions: readonly number[];
    readonly classes: readonly number[];
    readonly dead?: readonly string[];
  };
  /** Whether to add probes and write barriers (docs/internals/abi.md), or only `barriers`. */
  readonly debug?: boolean | 'barriers';
}

interface TransformedTable {
  readonly id: string;
  readonly module: unknown;
  /** The first scope is that of the file. */
  readonly scopes: readonly { readonly variables: readonly { readonly name: string; readonly storage: string }[] }[];
}

export interface Transformed {
  readonly code: string;
  /** Input of `Transformer.readMap`. */
  readonly mapText: string;
  readonly table: TransformedTable;
  /** The text that positions in the table refer to: the file's own or, for TypeScript, the lowered text. */
  readonly source: string;
}

export interface Transformer {
  /** Part of the key of every cached entry. */
  readonly version: string;
  transform(source: string, options: TransformerOptions): Transformed;
  /** The source map of code that was transformed from `source`, now or earlier. */
  readMap(mapText: string, code: string, source: string, path: string): SourceMapObject;
  /** JavaScript of a TypeScript file. */
  lower(source: string, path: string, settings?: string): string;
  /** The settings that decide how a file is transformed. */
  settings(path: string): string;
}

/** Top-level variables that may be assigned after initialisation. */
export function mutableVariables({ scopes }: TransformedTable): string[] {
  return (scopes[0]?.variables ?? []).flatMap(({ name, storage }) => (storage === 'local' ? [] : [name]));
}
