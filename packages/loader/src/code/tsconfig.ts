// What the nearest tsconfig.json decides about the behaviour of emitted code. Everything else in it (types, paths, output) is
// tsc's business: modules are resolved as Node resolves them.
//
// The defaults for what a tsconfig.json leaves out are those of TypeScript 6 and later. Without one, decorators are legacy ones
// with metadata; a solution that only refers to other projects counts as none.
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { TypeScriptOptions } from '@turntable/transform';
import { readFileSync, statSync } from '../files.ts';
import { LoaderError } from '../errors.ts';
import { whileForeign } from '../realm/foreign-code.ts';
import { installedPackage } from '../node/package-scope.ts';
import { jsonProblem, parseSettings, placeOfKey } from '../settings/settings-text.ts';

type CompilerOptions = Readonly<Record<string, unknown>>;

const NONE: TypeScriptOptions = {};
const known: Map<string, TypeScriptOptions> = new Map();

/** Of a TypeScript file; those of installed packages have no say. */
export function typeScriptOptions(filename: string): TypeScriptOptions {
  return installedPackage(filename) === undefined ? optionsOfDirectory(dirname(filename)) : NONE;
}

function optionsOfDirectory(directory: string): TypeScriptOptions {
  const before = known.get(directory);
  if (before !== undefined) return before;
  const file = join(directory, 'tsconfig.json');
  const above = dirname(directory);
  const options = isFile(file)
    ? isSolution(file)
      ? NONE
      : optionsFrom(compilerOptions(file, []))
    : above === directory
      ? NONE
      : optionsOfDirectory(above);
  known.set(directory, options);
  return options;
}

/** Only names other projects. */
function isSolution(file: string): boolean {
  const { files, references } = readConfig(file) as { files?: unknown; references?: unknown };
  return Array.isArray(files) && files.length === 0 && Array.isArray(references);
}

function optionsFrom(given: CompilerOptions): TypeScriptOptions {
  const { experimentalDecorators, emitDecoratorMetadata, useDefineForClassFields, verbatimModuleSyntax } = given;
  const { strict, strictNullChecks, target, jsx, jsxImportSource, jsxFactory, jsxFragmentFactory } = given;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    legacyDecorators: experimentalDecorators === true,
    emitDecoratorMetadata: emitDecoratorMetadata === true,
    useDefineForClassFields: (useDefineForClassFields ?? definesFields(text(target))) === true,
    strictNullChecks: (strictNullChecks ?? strict ?? true) === true,
    verbatimModuleSyntax: verbatimModuleSyntax === true,
    jsx: text(jsx)?.toLowerCase() === 'react' ? 'classic' : 'automatic',
    jsxDevelopment: text(jsx)?.toLowerCase() === 'react-jsxdev',
    jsxImportSource: text(jsxImportSource),
    jsxFactory: text(jsxFactory),
    jsxFragmentFactory: text(jsxFragmentFactory),
  };
}

/** Since ES2022 the language has fields of its own. */
function definesFields(target: string | undefined): boolean {
  const year = /^es(?:6|5|3|(\d{4}))$/i.exec(target ?? '');
  return year === null || Number(year[1] ?? 0) >= 2022;
}

function compilerOptions(file: string, extending: readonly string[]): CompilerOptions {
  const from = extending.at(-1);
  if (extending.includes(file)) {
    throw extendsError(from ?? file, `"extends" leads back to ${file}; break the circle`);
  }
  const { extends: bases, compilerOptions: own } = readConfig(file) as {
    extends?: unknown;
    compilerOptions?: CompilerOptions;
  };
  const list: unknown[] = Array.isArray(bases) ? bases : bases === undefined ? [] : [bases];
  const inherited = list.map((base) => compilerOptions(baseFile(base, file), [...extending, file]));
  return Object.assign({}, ...inherited, own) as CompilerOptions;
}

function readConfig(file: string): object {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
    const value = parseSettings(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    const { message, place } = jsonProblem(error, file, text);
    throw new LoaderError('TT_TSCONFIG', `this tsconfig.json is not valid: ${message}`, { place });
  }
}

function extendsError(file: string, message: string): LoaderError {
  return new LoaderError('TT_TSCONFIG', message, { place: placeOfKey(file, readFileSync(file, 'utf8'), 'extends') });
}

function baseFile(base: unknown, file: string): string {
  if (typeof base === 'string') {
    const found =
      isAbsolute(base) || /^\.\.?(?:[/\\]|$)/.test(base)
        ? firstFile(resolve(dirname(file), base))
        : baseInPackage(base, file);
    if (found !== undefined) return found;
  }
  throw extendsError(file, `"extends" names ${JSON.stringify(base)}, which is not there; correct it or install it`);
}

function baseInPackage(base: string, file: string): string | undefined {
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    const path = join(directory, 'node_modules', base);
    const found = firstFile(path) ?? manifestBase(path) ?? firstFile(join(path, 'tsconfig.json'));
    if (found !== undefined) return found;
    if (directory === dirname(directory)) break;
  }
  try {
    return whileForeign(() => createRequire(file).resolve(base));
  } catch {
    return undefined;
  }
}

/** `tsconfig` of a package's manifest. */
function manifestBase(directory: string): string | undefined {
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
