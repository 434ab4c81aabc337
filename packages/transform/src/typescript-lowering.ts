// Lowers the user's TypeScript: enums, namespaces, parameter properties, legacy decorators and their metadata become
// JavaScript before the transform reads the file.

import remapping from '@jridgewell/remapping';
import { type HelperMode, transformSync } from 'oxc-transform';
import { TransformError } from './transform-error.ts';
import { locationAt } from './lines.ts';
import { languageOf, type TypeScriptOptions } from './typescript-options.ts';
import { rewriteTypeScript } from './typescript-rewrite.ts';

/** Words that may need `rewriteTypeScript`, with patterns for the text around them. A false match costs a parse. */
const REWRITTEN_WORDS: readonly (readonly [word: string, before: RegExp, after: RegExp])[] = [
  ['namespace', /(?:^|[\s;{}/])$/, /[ \t]+[^;=()'"{}\n]+\s*\{/y],
  ['module', /(?:^|[\s;{}/])$/, /[ \t]+[^;=()'"{}\n]+\s*\{/y],
  ['accessor', /(?:^|[\s;{}/)])$/, /\s+(?:[^\s;=()'"{}.,:*]|['"])/y],
  ['require', /\bimport\s+[^\s;=()'"{}]+\s*=\s*$/, /\s*\(/y],
];
/** Number of characters before a word that `before` is applied to. */
const LOOKBEHIND_LENGTH = 100;

/** Text before an `@` that is part of an address, package name or comment tag, and not a decorator. */
const INSIDE_TEXT = /[\w'"`.*-]$|\/\/$/;
const INSIDE_COMMENT = /\*$|\/\/$/;

export interface LoweredCode {
  readonly code: string;
  /** Source map, made at the first read. */
  readonly map: object;
}

/** Turns TypeScript into JavaScript. @param kind module system of the file, if known */
export function lowerTypeScript(
  source: string,
  path: string,
  options: TypeScriptOptions,
  kind?: 'module' | 'commonjs',
): LoweredCode {
  if (!mayBeRewritten(source)) {
    const erased = eraseTypes(source, path, options, kind);
    // If a decorator was overlooked, the lowered code calls its helper.
    if (!erased.code.includes('babelHelpers.decorate')) return erased;
  }
  const rewritten = rewriteTypeScript(source, path, options, kind === 'module');
  if (rewritten === null) return eraseTypes(source, path, options, kind);
  const erased = eraseRewritten(rewritten.text, source, path, options, kind);
  return {
    code: erased.code,
    get map(): object {
      return remapping([erased.map as never, rewritten.map as never], () => null);
    },
  };
}

function mayBeRewritten(source: string): boolean {
  return REWRITTEN_WORDS.some((each) => hasWord(source, ...each)) || hasDecorator(source);
}

function hasWord(source: string, word: string, before: RegExp, after: RegExp): boolean {
  for (let offset = source.indexOf(word); offset !== -1; offset = source.indexOf(word, offset + 1)) {
    after.lastIndex = offset + word.length;
    if (after.test(source) && before.test(source.slice(Math.max(0, offset - LOOKBEHIND_LENGTH), offset))) return true;
  }
  return false;
}

/** Whether a source has an `@` that may start a decorator. Common comments and strings are excluded. */
function hasDecorator(source: string): boolean {
  for (let offset = source.indexOf('@'); offset !== -1; offset = source.indexOf('@', offset + 1)) {
    if (!/[^\s\d\])}>'"`,;:=/*@.-]/.test(source.charAt(offset + 1))) continue;
    let previous = offset - 1;
    while (previous >= 0 && (source[previous] === ' ' || source[previous] === '\t')) previous--;
    const insidePattern = previous === offset - 1 ? INSIDE_TEXT : INSIDE_COMMENT;
    if (!insidePattern.test(source.slice(Math.max(0, previous - 1), previous + 1))) return true;
  }
  return false;
}

/** Erases the types of rewritten code. Errors have the position in the original source. */
function eraseRewritten(
  text: string,
  source: string,
  path: string,
  options: TypeScriptOptions,
  kind: 'module' | 'commonjs' | undefined,
): LoweredCode {
  try {
    return eraseTypes(text, path, options, kind);
  } catch (error) {
    eraseTypes(source, path, options, kind);
    throw error;
  }
}

function eraseTypes(
  source: string,
  path: string,
  options: TypeScriptOptions,
  kind: 'module' | 'commonjs' | undefined,
): LoweredCode {
  const result = transformSync(path, source, {
    lang: languageOf(path),
    ...(kind === undefined ? {} : { sourceType: kind }),
    sourcemap: true,
    target: 'esnext',
    typescript: {
      onlyRemoveTypeImports: options.verbatimModuleSyntax === true,
      removeClassFieldsWithoutInitializer: options.useDefineForClassFields === false,
    },
    assumptions: { setPublicClassFields: options.useDefineForClassFields === false },
    decorator: {
      legacy: options.legacyDecorators ?? true,
      emitDecoratorMetadata: options.emitDecoratorMetadata ?? true,
    },
    jsx: {
      runtime: options.jsx ?? 'automatic',
      development: options.jsxDevelopment === true,
      ...(options.jsxImportSource === undefined ? {} : { importSource: options.jsxImportSource }),
      ...(options.jsxFactory === undefined ? {} : { pragma: options.jsxFactory }),
      ...(options.jsxFragmentFactory === undefined ? {} : { pragmaFrag: options.jsxFragmentFactory }),
    },
    helpers: { mode: 'External' as HelperMode },
  });
  const error = result.errors.find((each) => each.severity === 'Error');
  if (error !== undefined) {
    const offset = error.labels[0]?.start ?? 0;
    throw new TransformError('TT_SYNTAX', error.message, { path, ...locationAt(source, offset) });
  }
  return {
    code: result.code,
    get map(): object {
      return result.map ?? {};
    },
  };
}
