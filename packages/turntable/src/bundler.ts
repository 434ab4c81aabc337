// Transforming at build time: plugins for Rollup and its like (Vite, Rolldown) and for esbuild. They look at finished chunks only, so
// that whatever else a build does is done, and leave the transformed code beside each. No bundler is imported here.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { detectFormat, formatOf, prebuild, prebuiltFileOf, type CodeKind } from '@turntable/loader';

interface OutputOptions {
  readonly dir?: string | undefined;
  readonly file?: string | undefined;
  readonly format?: string | undefined;
}

interface OutputFile {
  readonly type: string;
  readonly fileName: string;
}

/** As much of a Rollup plugin as this one is. */
export interface RollupPlugin {
  readonly name: string;
  writeBundle(this: unknown, options: OutputOptions, bundle: Readonly<Record<string, OutputFile>>): void;
}

const FORMATS: Readonly<Record<string, CodeKind>> = {
  es: 'module',
  esm: 'module',
  module: 'module',
  cjs: 'commonjs',
  commonjs: 'commonjs',
};

function writePrebuilt(file: string, kind: CodeKind | undefined): void {
  const source = readFileSync(file, 'utf8');
  const byFile = formatOf(file)?.format;
  const found = kind ?? (byFile === 'module' || byFile === 'commonjs' ? byFile : detectFormat(source));
  writeFileSync(prebuiltFileOf(file), prebuild(file, source, found));
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
        writePrebuilt(
          options.dir === undefined ? resolve(options.file ?? output.fileName) : join(options.dir, output.fileName),
          kind,
        );
      }
    },
  };
}

interface EsbuildBuild {
  readonly initialOptions: { metafile?: boolean; format?: string; absWorkingDir?: string; write?: boolean };
  onEnd(
    callback: (result: { readonly metafile?: { readonly outputs: Readonly<Record<string, unknown>> } }) => void,
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
        for (const output of Object.keys(metafile?.outputs ?? {})) {
          if (!/\.[cm]?js$/.test(output)) continue;
          const format = initialOptions.format;
          writePrebuilt(
            resolve(initialOptions.absWorkingDir ?? '.', output),
            format === undefined ? undefined : FORMATS[format],
          );
        }
      });
    },
  };
}
