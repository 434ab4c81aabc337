// Settings for reading a TypeScript file: its language, by its name, and options of its project.

export interface TypeScriptOptions {
  /** `experimentalDecorators` of tsconfig.json. */
  readonly legacyDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  /** If false, fields are assigned in the constructor, as with `useDefineForClassFields: false`. */
  readonly useDefineForClassFields?: boolean;
  /** Whether metadata distinguishes `T | null` from `T`; by default true, as in TypeScript 6. */
  readonly strictNullChecks?: boolean;
  /** Whether imports of values that are only used as types stay. */
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

/** Language name for the parser. */
export function languageOf(path: string): 'ts' | 'tsx' {
  return path.endsWith('x') ? 'tsx' : 'ts';
}
