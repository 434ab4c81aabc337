// The functions that need the parser, which is native code. They run in this process (local-transform-service.ts) or in
// another one (remote-transform-service.ts).
import type { InputCode, ListedFunction } from '@turntable/transform';
import type { CacheKey } from './cache-directory.ts';
import type { CacheEntry } from './code-cache.ts';
import type { RuntimeTransform } from './runtime-code.ts';

export type CodeKind = 'module' | 'commonjs';

/** The functions and classes that the restoring form of code can return (docs/internals/abi.md). */
export interface RestorableParts {
  readonly functions: readonly number[];
  readonly classes: readonly number[];
}

export interface CodeRestoreOptions extends RestorableParts {
  readonly dead?: readonly string[];
}

/** A file to transform. */
export interface BuildRequest {
  readonly path: string;
  readonly source: string;
  /** Undefined: detected from the syntax. */
  readonly kind: CodeKind | undefined;
  /** Result of `Transformer.settings`. */
  readonly settings: string;
  readonly restore?: CodeRestoreOptions | undefined;
  /** Whether refused syntax stays unchanged. By default it does in installed packages only. */
  readonly isLenient?: boolean;
  /** Whether to add probes and write barriers (docs/internals/abi.md), or only `barriers`. */
  readonly debug?: boolean | 'barriers' | undefined;
}

type RuntimeTransformParameters = Parameters<RuntimeTransform>;

/** Source that a program compiles at run time. */
export interface RuntimeBuildRequest {
  readonly source: RuntimeTransformParameters[0];
  readonly options: RuntimeTransformParameters[1];
  /** Whether the code has probes. */
  readonly debug: boolean;
}

/** Names that an ES module exports. */
export interface FileExports {
  readonly names: readonly string[];
  /** Specifiers of the `export *` declarations. */
  readonly all: readonly string[];
}

export interface TransformService {
  /** Whether the service, and not its user, writes the cache of transformed code. */
  readonly writesCache: boolean;
  build(request: BuildRequest): CacheEntry;
  buildRuntimeCode(request: RuntimeBuildRequest): ReturnType<RuntimeTransform>;
  /** JavaScript of a TypeScript file. */
  lower(source: string, path: string, settings: string): string;
  /** Code of a console input; undefined if it is not valid. @param reader as of `toPlainExpression` */
  toConsoleInput(text: string, reader: string): InputCode | undefined;
  /** Removes the types of an expression, and lets it read private members through the function named `reader`. */
  toPlainExpression(text: string, reader: string): string;
  /** Names of variables that an expression uses and does not declare; undefined if the text is not an expression. */
  freeNames(text: string): readonly string[] | undefined;
  exportsOf(path: string, source: string): FileExports;
  /** Lists the named functions of a file; empty if it is not code. */
  functionsOf(path: string, source: string): readonly ListedFunction[];
  /** Writes a verdict to the cache, if the service writes the cache. */
  cacheVerdict(cacheKey: CacheKey, verdict: unknown): void;
}
