// How a TypeScript file is read: its language by its name, and the settings of its project.

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

/** As the parser calls it. */
export function languageOf(path: string): 'ts' | 'tsx' {
  return path.endsWith('x') ? 'tsx' : 'ts';
}
