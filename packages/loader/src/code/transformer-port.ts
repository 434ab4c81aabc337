// The interface of the transform for loading code. `transformer.ts` implements it.
import type { SourceMapObject } from '@turntable/transform/source-map';
import type { TransformService } from './transform-service.ts';

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

export interface Transformer extends Pick<TransformService, 'build' | 'lower'> {
  /** Part of the key of every cached entry. */
  readonly version: string;
  /** Whether `build` writes the cache. */
  readonly writesCache: boolean;
  /** The source map of code that was transformed from `source`, now or earlier. */
  readMap(mapText: string, code: string, source: string, path: string): SourceMapObject;
  /** The settings that decide how a file is transformed. */
  settings(path: string): string;
}

/** Top-level variables that may be assigned after initialisation. */
export function mutableVariables({ scopes }: TransformedTable): string[] {
  return (scopes[0]?.variables ?? []).flatMap(({ name, storage }) => (storage === 'local' ? [] : [name]));
}
