// Transforming at build time: plugins for Rollup and its like (Vite, Rolldown) and for esbuild. They look at finished chunks only, so
// that whatever else a build does is done, and leave the transformed code beside each. No bundler is imported here.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  detectFormat,
  formatOf,
  originalPlace,
  prebuild,
  prebuiltFileOf,
  readSourceMap,
  type CodeKind,
  type Place,
} from '@turntable/loader';

interface OutputOptions {
  readonly dir?: string | undefined;
  readonly file?: string | undefined;
  readonly format?: string | undefined;
}

interface OutputFile {
  readonly type: string;
  readonly fileName: string;
}

interface RollupError {
  readonly message: string;
  readonly id: string;
  readonly loc: Place;
}

interface RollupContext {
  error(error: RollupError): never;
}

/** As much of a Rollup plugin as this one is. */
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

/** What cannot be transformed, told with its place in the source if the bundle has a source map, else in the bundle. */
interface Refusal extends Place {
  readonly text: string;
}

function writePrebuilt(file: string, kind: CodeKind | undefined): Refusal | undefined {
  const source = readFileSync(file, 'utf8');
  const byFile = formatOf(file)?.format;
  const found = kind ?? (byFile === 'module' || byFile === 'commonjs' ? byFile : detectFormat(source));
  let bytes: Buffer;
  try {
    bytes = prebuild(file, source, found);
  } catch (error) {
    if (!isTransformError(error)) throw error;
    const { line, column, message } = error;
    const place = originalPlace(readSourceMap(file, source), error) ?? { file, line, column };
    return { ...place, text: message.slice(message.indexOf(': ') + 2) };
  }
  writeFileSync(prebuiltFileOf(file), bytes);
  return undefined;
}

interface TransformErrorLike {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

function isTransformError(error: unknown): error is TransformErrorLike {
  return error instanceof SyntaxError && ((error as { code?: string }).code ?? '').startsWith('TT_') && 'line' in error;
}

/** For `plugins` of Rollup, Rolldown and Vite. */
export function turntable(): RollupPlugin {
  return {
    name: 'turntable',
    writeBundle(options, bundle) {
      const format = options.format ?? 'es';
      const kind = FORMATS[format];
      if (kind === undefined) {
        throw new TypeError(
          `turntable/bundler: output of format "${format}" cannot be loaded by Node; use "es" or "cjs"`,
        );
      }
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        const refusal = writePrebuilt(
          options.dir === undefined ? resolve(options.file ?? output.fileName) : join(options.dir, output.fileName),
          kind,
        );
        if (refusal !== undefined) failBuild(this, refusal);
      }
    },
  };
}

function failBuild(context: RollupContext | undefined, { file, line, column, text }: Refusal): never {
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

interface EsbuildBuild {
  readonly initialOptions: { metafile?: boolean; format?: string; absWorkingDir?: string; write?: boolean };
  onEnd(
    callback: (result: { readonly metafile?: { readonly outputs: Readonly<Record<string, unknown>> } | undefined }) => {
      errors: EsbuildMessage[];
    },
  ): void;
}

export interface EsbuildPlugin {
  readonly name: string;
  setup(build: EsbuildBuild): void;
}

/** For `plugins` of esbuild; its output has to go to files. */
export function turntableEsbuild(): EsbuildPlugin {
  return {
    name: 'turntable',
    setup(build) {
      const { initialOptions } = build;
      if (initialOptions.write === false)
        throw new TypeError(
          'turntable/bundler: esbuild is told to write no files (write: false); there is nothing to put transformed code beside',
        );
      initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const errors: EsbuildMessage[] = [];
        for (const output of Object.keys(metafile?.outputs ?? {})) {
          if (!/\.[cm]?js$/.test(output)) continue;
          const format = initialOptions.format;
          const refusal = writePrebuilt(
            resolve(initialOptions.absWorkingDir ?? '.', output),
            format === undefined ? undefined : FORMATS[format],
          );
          if (refusal !== undefined) errors.push(esbuildMessage(refusal));
        }
        return { errors };
      });
    },
  };
}

function esbuildMessage({ file, line, column, text }: Refusal): EsbuildMessage {
  let lineText = '';
  try {
    lineText = readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
  } catch {
    // A source that is no file is named without its text.
  }
  // esbuild counts columns from 0.
  return { text, location: { file, line, column: column - 1, lineText } };
}
