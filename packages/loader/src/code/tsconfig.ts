// The settings in the nearest tsconfig.json that affect the behaviour of emitted code. All other settings (types,
// paths, output) concern only tsc: modules are resolved as by Node.
//
// Settings that tsconfig.json leaves out have the defaults of TypeScript 6 and later. Without a tsconfig.json,
// decorators are legacy decorators with metadata. A solution that only refers to other projects counts as none.
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { TypeScriptOptions } from '@turntable/transform';
import { readFileSync, statSync } from '../files.ts';
import { LoaderError } from '../errors.ts';
import { runAsTool } from '../realm/tool-code.ts';
import { installedPackage } from '../node/package-scope.ts';
import { describeJsonError, parseSettings, locationOfKey } from '../settings/settings-json.ts';

type CompilerOptions = Readonly<Record<string, unknown>>;

const NO_OPTIONS: TypeScriptOptions = {};
const optionsByDirectory: Map<string, TypeScriptOptions> = new Map();

/** The options for a TypeScript file. Installed packages cannot set them. */
export function typeScriptOptions(filename: string): TypeScriptOptions {
  return installedPackage(filename) === undefined ? optionsOfDirectory(dirname(filename)) : NO_OPTIONS;
}

function optionsOfDirectory(directory: string): TypeScriptOptions {
  const known = optionsByDirectory.get(directory);
  if (known !== undefined) return known;
  const file = join(directory, 'tsconfig.json');
  const parent = dirname(directory);
  const options = isFile(file)
    ? isSolutionConfig(file)
      ? NO_OPTIONS
      : toTypeScriptOptions(readCompilerOptions(file, []))
    : parent === directory
      ? NO_OPTIONS
      : optionsOfDirectory(parent);
  optionsByDirectory.set(directory, options);
  return options;
}

/** Whether the file only refers to other projects. */
function isSolutionConfig(file: string): boolean {
  const { files, references } = readConfig(file) as { files?: unknown; references?: unknown };
  return Array.isArray(files) && files.length === 0 && Array.isArray(references);
}

function toTypeScriptOptions(compilerOptions: CompilerOptions): TypeScriptOptions {
  const { experimentalDecorators, emitDecoratorMetadata, useDefineForClassFields, verbatimModuleSyntax } =
    compilerOptions;
  const { strict, strictNullChecks, target, jsx, jsxImportSource, jsxFactory, jsxFragmentFactory } = compilerOptions;
  const stringOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    legacyDecorators: experimentalDecorators === true,
    emitDecoratorMetadata: emitDecoratorMetadata === true,
    useDefineForClassFields: (useDefineForClassFields ?? hasNativeFields(stringOrUndefined(target))) === true,
    strictNullChecks: (strictNullChecks ?? strict ?? true) === true,
    verbatimModuleSyntax: verbatimModuleSyntax === true,
    jsx: stringOrUndefined(jsx)?.toLowerCase() === 'react' ? 'classic' : 'automatic',
    jsxDevelopment: stringOrUndefined(jsx)?.toLowerCase() === 'react-jsxdev',
    jsxImportSource: stringOrUndefined(jsxImportSource),
    jsxFactory: stringOrUndefined(jsxFactory),
    jsxFragmentFactory: stringOrUndefined(jsxFragmentFactory),
  };
}

/** Whether a target has native class fields, which ES2022 introduced. */
function hasNativeFields(target: string | undefined): boolean {
  const year = /^es(?:6|5|3|(\d{4}))$/i.exec(target ?? '');
  return year === null || Number(year[1] ?? 0) >= 2022;
}

function readCompilerOptions(file: string, extendingFiles: readonly string[]): CompilerOptions {
  const extendingFile = extendingFiles.at(-1);
  if (extendingFiles.includes(file)) {
    throw extendsError(extendingFile ?? file, `"extends" leads back to ${file}; remove an "extends" of this cycle`);
  }
  const { extends: bases, compilerOptions: ownOptions } = readConfig(file) as {
    extends?: unknown;
    compilerOptions?: CompilerOptions;
  };
  const list: unknown[] = Array.isArray(bases) ? bases : bases === undefined ? [] : [bases];
  const inherited = list.map((base) => readCompilerOptions(extendedFile(base, file), [...extendingFiles, file]));
  return Object.assign({}, ...inherited, ownOptions) as CompilerOptions;
}

function readConfig(file: string): object {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
    const value = parseSettings(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    const { message, location } = describeJsonError(error, file, text);
    throw new LoaderError('TT_TSCONFIG', `this tsconfig.json is not valid: ${message}`, { location });
  }
}

function extendsError(file: string, message: string): LoaderError {
  return new LoaderError('TT_TSCONFIG', message, {
    location: locationOfKey(file, readFileSync(file, 'utf8'), 'extends'),
  });
}

function extendedFile(base: unknown, file: string): string {
  if (typeof base === 'string') {
    const resolved =
      isAbsolute(base) || /^\.\.?(?:[/\\]|$)/.test(base)
        ? firstFile(resolve(dirname(file), base))
        : extendedFileInPackage(base, file);
    if (resolved !== undefined) return resolved;
  }
  throw extendsError(
    file,
    `"extends" names ${JSON.stringify(base)}, which does not exist; correct the path or install the package`,
  );
}

function extendedFileInPackage(base: string, file: string): string | undefined {
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    const path = join(directory, 'node_modules', base);
    const found = firstFile(path) ?? configNamedInManifest(path) ?? firstFile(join(path, 'tsconfig.json'));
    if (found !== undefined) return found;
    if (directory === dirname(directory)) break;
  }
  try {
    return runAsTool(() => createRequire(file).resolve(base));
  } catch {
    return undefined;
  }
}

/** The file that the `tsconfig` field of a package.json names; undefined if there is none. */
function configNamedInManifest(directory: string): string | undefined {
  try {
    const { tsconfig } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { tsconfig?: unknown };
    return typeof tsconfig === 'string' ? firstFile(join(directory, tsconfig)) : undefined;
  } catch {
    return undefined;
  }
}

function firstFile(path: string): string | undefined {
  return [path, `${path}.json`].find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
