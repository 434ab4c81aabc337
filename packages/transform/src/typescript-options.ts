// Settings for reading a TypeScript file: the language, which the file name determines, and options of its project.

export interface TypeScriptOptions {
  /** Whether decorators are the legacy ones: `experimentalDecorators` of tsconfig.json. */
  readonly legacyDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  /** If false, fields are assigned in the constructor, as by tsc with `useDefineForClassFields: false`. */
  readonly useDefineForClassFields?: boolean;
  /** Whether metadata distinguishes `T | null` from `T`. True by default, as in TypeScript 6. */
  readonly strictNullChecks?: boolean;
  /** Whether an import is kept even if it is used only as a type. */
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

/** Language of a TypeScript file, as the parser calls it. */
export function languageOf(path: string): 'ts' | 'tsx' {
  return path.endsWith('x') ? 'tsx' : 'ts';
}
