// Transformation at build time, as plugins for Rollup, Rolldown and Vite, and for esbuild. The plugins transform
// finished chunks, after all other build steps. This module imports no bundler.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  detectFormat,
  formatOf,
  installedPackage,
  loaderOptions,
  matches,
  mapToOriginal,
  prebuild,
  prebuiltFileOf,
  readSourceMap,
  transformErrorOf,
  type CodeKind,
  type LoaderOptions,
  type MappedLocation,
} from '@turntable/loader';

interface OutputOptions {
  readonly dir?: string | undefined;
  readonly file?: string | undefined;
  readonly format?: string | undefined;
}

interface OutputFile {
  readonly type: string;
  readonly fileName: string;
  /** The modules of a chunk; undefined for other files. */
  readonly moduleIds?: readonly string[];
}

/** Options that decide which code is capturable and which is left native. Defaults are in turntable.config. */
export interface BundlerOptions {
  /** Code to treat as the program's own: names of packages, or parts of file paths with a slash. */
  readonly include?: readonly string[];
  /** Code to treat as dependencies, in the same form. */
  readonly exclude?: readonly string[];
}

interface RollupError {
  readonly message: string;
  readonly id: string;
  readonly loc: MappedLocation;
}

interface RollupContext {
  error(error: RollupError): never;
}

/** The part of Rollup's plugin interface that this plugin uses. */
export interface RollupPlugin {
  readonly name: string;
  writeBundle(
    this: RollupContext | undefined,
    options: OutputOptions,
    bundle: Readonly<Record<string, OutputFile>>,
  ): void;
}

const FORMATS: Readonly<Record<string, CodeKind>> = {
  es: 'module',
  esm: 'module',
  module: 'module',
  cjs: 'commonjs',
  commonjs: 'commonjs',
};

/** Code that cannot be transformed. It is located in its source if there is a source map, otherwise in the bundle. */
interface TransformFailure extends MappedLocation {
  readonly text: string;
}

interface BundledFile {
  readonly file: string;
  readonly kind: CodeKind | undefined;
  /** The source files of the chunk; undefined if the build does not know them. */
  readonly modules: readonly string[] | undefined;
}

function writePrebuilt({ file, kind, modules }: BundledFile, options: LoaderOptions): TransformFailure | undefined {
  const source = readFileSync(file, 'utf8');
  const detectedByName = formatOf(file)?.format;
  const format =
    kind ?? (detectedByName === 'module' || detectedByName === 'commonjs' ? detectedByName : detectFormat(source));
  const map = readSourceMap(file, source);
  const isDependencyAt = (position: Omit<MappedLocation, 'file'>): boolean => {
    const original = mapToOriginal(map, position);
    return original !== undefined && isDependency(original.file, options);
  };
  try {
    writeFileSync(prebuiltFileOf(file), prebuild(file, source, format, isDependencyAt));
    return undefined;
  } catch (error) {
    if (!isTransformError(error)) throw error;
    if (map !== undefined || error.code !== 'TT_REFUSED' || modules === undefined)
      return failureOf(error, mapToOriginal(map, error));
    // Without a source map the origin is unknown. It is a dependency if no file of the program itself has such code.
    for (const module of modules) {
      if (isDependency(module, options)) continue;
      if (!existsSync(module)) return failureOf(error);
      const ownFailure = transformErrorOf(module, () => false);
      if (ownFailure !== undefined) return failureOf(isTransformError(ownFailure) ? ownFailure : error);
    }
    writeFileSync(
      prebuiltFileOf(file),
      prebuild(file, source, format, () => true),
    );
    return undefined;
  }
}

function failureOf(error: TransformError, original?: MappedLocation): TransformFailure {
  const { path: file, line, column, message } = error;
  return { ...(original ?? { file, line, column }), text: message.slice(message.indexOf(': ') + 2) };
}

/** Whether a module is not of the program itself. A name that starts with NUL is of a module made by the build. */
function isDependency(file: string, { include, exclude }: LoaderOptions): boolean {
  const name = installedPackage(file)?.name;
  if (matches(exclude, file, name) !== undefined) return true;
  if (matches(include, file, name) !== undefined) return false;
  return name !== undefined || file.startsWith('\0');
}

interface TransformError {
  readonly message: string;
  readonly code: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

function isTransformError(error: unknown): error is TransformError {
  return error instanceof SyntaxError && ((error as { code?: string }).code ?? '').startsWith('TT_') && 'line' in error;
}

/** Plugin for Rollup, Rolldown and Vite. */
export function turntable(options: BundlerOptions = {}): RollupPlugin {
  const settings = loaderOptions(options);
  return {
    name: 'turntable',
    writeBundle(output, bundle) {
      const format = output.format ?? 'es';
      const kind = FORMATS[format];
      if (kind === undefined) {
        throw new TypeError(
          `turntable/bundler: output of format "${format}" cannot be loaded by Node; use "es" or "cjs"`,
        );
      }
      for (const { type, fileName, moduleIds } of Object.values(bundle)) {
        if (type !== 'chunk') continue;
        const file = output.dir === undefined ? resolve(output.file ?? fileName) : join(output.dir, fileName);
        const failure = writePrebuilt({ file, kind, modules: moduleIds?.map(withoutQuery) }, settings);
        if (failure !== undefined) failBuild(this, failure);
      }
    },
  };
}

/** Removes the query that Vite's plugins append to file names. */
function withoutQuery(id: string): string {
  return id.replace(/\?.*$/s, '');
}

function failBuild(context: RollupContext | undefined, { file, line, column, text }: TransformFailure): never {
  const message = `${file}:${line}:${column}: ${text}`;
  if (context === undefined) throw new SyntaxError(message);
  // Rollup counts columns from 0.
  return context.error({ message, id: file, loc: { file, line, column: column - 1 } });
}

interface EsbuildMessage {
  readonly text: string;
  readonly location: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly lineText: string;
  };
}

interface EsbuildMetafile {
  readonly outputs: Readonly<Record<string, { readonly inputs?: Readonly<Record<string, unknown>> }>>;
}

interface EsbuildBuild {
  readonly initialOptions: { metafile?: boolean; format?: string; absWorkingDir?: string; write?: boolean };
  onEnd(
    callback: (result: { readonly metafile?: EsbuildMetafile | undefined }) => {
      errors: EsbuildMessage[];
    },
  ): void;
}

/** The part of esbuild's plugin interface that this plugin uses. */
export interface EsbuildPlugin {
  readonly name: string;
  setup(build: EsbuildBuild): void;
}

/** Plugin for esbuild. The build must write its output to files. */
export function turntableEsbuild(options: BundlerOptions = {}): EsbuildPlugin {
  const settings = loaderOptions(options);
  return {
    name: 'turntable',
    setup(build) {
      const { initialOptions } = build;
      if (initialOptions.write === false)
        throw new TypeError('turntable/bundler: esbuild must write its output to files: remove write: false');
      initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const errors: EsbuildMessage[] = [];
        const path = (name: string): string => resolve(initialOptions.absWorkingDir ?? '.', name);
        for (const [output, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
          if (!/\.[cm]?js$/.test(output)) continue;
          const format = initialOptions.format;
          const kind = format === undefined ? undefined : FORMATS[format];
          const modules = inputs === undefined ? undefined : Object.keys(inputs).map(path);
          const failure = writePrebuilt({ file: path(output), kind, modules }, settings);
          if (failure !== undefined) errors.push(esbuildMessage(failure));
        }
        return { errors };
      });
    },
  };
}

function esbuildMessage({ file, line, column, text }: TransformFailure): EsbuildMessage {
  let lineText = '';
  try {
    lineText = readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
  } catch {
    // If the source is not a file, its text is unknown.
  }
  // esbuild counts columns from 0.
  return { text, location: { file, line, column: column - 1, lineText } };
}
