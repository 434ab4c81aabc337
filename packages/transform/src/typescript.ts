// The user's TypeScript: enums, namespaces, parameter properties, legacy decorators and their metadata become JavaScript
// before the transform proper sees the file.

import { type HelperMode, transformSync } from 'oxc-transform';
import { placeOf, TransformError } from './errors.ts';

export interface TypeScriptOptions {
  /** `experimentalDecorators` of tsconfig.json. */
  readonly legacyDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  /** `false`: fields are assigned in the constructor, as with `useDefineForClassFields: false`. */
  readonly useDefineForClassFields?: boolean;
  readonly jsxImportSource?: string;
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

export function lowerTypeScript(
  source: string,
  path: string,
  options: TypeScriptOptions,
): { code: string; map: object } {
  const result = transformSync(path, source, {
    lang: path.endsWith('x') ? 'tsx' : 'ts',
    sourcemap: true,
    target: 'esnext',
    typescript: {
      onlyRemoveTypeImports: false,
      removeClassFieldsWithoutInitializer: options.useDefineForClassFields === false,
    },
    assumptions: { setPublicClassFields: options.useDefineForClassFields === false },
    decorator: {
      legacy: options.legacyDecorators ?? true,
      emitDecoratorMetadata: options.emitDecoratorMetadata ?? true,
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
