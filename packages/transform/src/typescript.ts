// The user's TypeScript: enums, namespaces, parameter properties, legacy decorators and their metadata become JavaScript
// before the transform proper sees the file.

import remapping from '@jridgewell/remapping';
import { type HelperMode, transformSync } from 'oxc-transform';
import { placeOf, TransformError } from './errors.ts';
import { rewriteTypeScript } from './typescript-rewrite.ts';

export interface TypeScriptOptions {
  /** `experimentalDecorators` of tsconfig.json. */
  readonly legacyDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  /** `false`: fields are assigned in the constructor, as with `useDefineForClassFields: false`. */
  readonly useDefineForClassFields?: boolean;
  /** Whether metadata tells `T | null` from `T`; the default is `true`, as in TypeScript 6. */
  readonly strictNullChecks?: boolean;
  /** Imports of values that are only used as types stay. */
  readonly verbatimModuleSyntax?: boolean;
  readonly jsx?: 'automatic' | 'classic';
  readonly jsxDevelopment?: boolean;
  readonly jsxImportSource?: string | undefined;
  readonly jsxFactory?: string | undefined;
  readonly jsxFragmentFactory?: string | undefined;
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

/** What may need `rewriteTypeScript`; a false alarm costs a parse. */
const NAMESPACE = /\b(?:namespace|module)\s+[\p{ID_Start}$_][\p{ID_Continue}$.\s]*\{/u;
const ACCESSOR = /\baccessor\s+[\p{ID_Start}$_#['"\d]/u;
/** Not in the usual places of comments and strings. */
const DECORATOR = /(?<!(?:\*|\/\/)[ \t]*|[\w'"`.-])@[\p{ID_Start}$_(]/u;

export function lowerTypeScript(
  source: string,
  path: string,
  options: TypeScriptOptions,
): { code: string; map: object } {
  if (!NAMESPACE.test(source) && !ACCESSOR.test(source) && !DECORATOR.test(source)) {
    const erased = eraseTypes(source, path, options);
    // Decorators in unusual places show in what they became.
    if (!erased.code.includes('babelHelpers.decorate')) return erased;
  }
  const rewritten = rewriteTypeScript(source, path, options);
  if (rewritten === null) return eraseTypes(source, path, options);
  const erased = eraseRewritten(rewritten.text, source, path, options);
  return { code: erased.code, map: remapping([erased.map as never, rewritten.map as never], () => null) };
}

/** Errors name the place in the original. */
function eraseRewritten(
  text: string,
  source: string,
  path: string,
  options: TypeScriptOptions,
): { code: string; map: object } {
  try {
    return eraseTypes(text, path, options);
  } catch (error) {
    eraseTypes(source, path, options);
    throw error;
  }
}

function eraseTypes(source: string, path: string, options: TypeScriptOptions): { code: string; map: object } {
  const result = transformSync(path, source, {
    lang: path.endsWith('x') ? 'tsx' : 'ts',
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
    const at = error.labels[0]?.start ?? 0;
    throw new TransformError('TT_SYNTAX', error.message, { path, ...placeOf(source, at) });
  }
  return { code: result.code, map: (result.map ?? {}) as object };
}
