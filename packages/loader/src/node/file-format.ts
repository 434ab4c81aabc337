// The language and module system of a file by Node's rules: the extension, `type` in package.json, or else the syntax.
import { extname } from 'node:path';
import { compileFunction } from 'node:vm';
import { packageScope } from './package-scope.ts';

export type Format = 'module' | 'commonjs' | 'json' | 'addon' | 'wasm' | 'other';

export interface FileFormat {
  readonly format: Format;
  readonly isTypeScript: boolean;
}

const FORMATS_BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  '.mjs': { format: 'module', isTypeScript: false },
  '.cjs': { format: 'commonjs', isTypeScript: false },
  '.mts': { format: 'module', isTypeScript: true },
  '.cts': { format: 'commonjs', isTypeScript: true },
  '.json': { format: 'json', isTypeScript: false },
  '.node': { format: 'addon', isTypeScript: false },
  '.wasm': { format: 'wasm', isTypeScript: false },
};
/** Extensions of TypeScript files, including `.tsx`, which Node refuses to load. */
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);

export function isTypeScript(filename: string): boolean {
  return TYPESCRIPT.has(extname(filename));
}

/** The format of a file by its name. Undefined if the package does not specify a format: then use `detectFormat`. */
export function formatOf(filename: string): FileFormat | undefined {
  const extension = extname(filename);
  const knownFormat = FORMATS_BY_EXTENSION[extension];
  if (knownFormat !== undefined) return knownFormat;
  const isTypeScriptFile = TYPESCRIPT.has(extension);
  if (extension !== '.js' && extension !== '.jsx' && extension !== '' && !isTypeScriptFile)
    return { format: 'other', isTypeScript: false };
  const type = packageScope(filename)?.type;
  return type === undefined ? undefined : { format: type, isTypeScript: isTypeScriptFile };
}

const COMMONJS_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const MODULE_ONLY_ERRORS = [
  'Cannot use import statement outside a module',
  "Unexpected token 'export'",
  "Cannot use 'import.meta' outside a module",
];
/** Errors of a CommonJS parse after which the source is tried as a module, which may have top-level `await`. */
const AMBIGUOUS_ERRORS = [
  "Identifier '__filename' has already been declared",
  "Identifier '__dirname' has already been declared",
  "Identifier 'exports' has already been declared",
  "Identifier 'module' has already been declared",
  "Identifier 'require' has already been declared",
  'await is only valid in async functions and the top level bodies of modules',
  'Unexpected reserved word',
];

/**
 * Only a text that matches can be a module: it has module syntax, or declares a name that is a parameter of CommonJS.
 */
const MODULE_SYNTAX_HINT =
  /\b(?:import|export|await)\b|\b(?:let|const|class)\b[^;=]*\b(?:require|module|exports|__filename|__dirname)\b|\\u/;

/** Detects the format by Node's algorithm (`containsModuleSyntax`). @param javascript source without types */
export function detectFormat(javascript: string): 'module' | 'commonjs' {
  // Recognises most CommonJS ten times faster than compiling it.
  if (!MODULE_SYNTAX_HINT.test(javascript)) return 'commonjs';
  const message = syntaxErrorMessage(javascript, COMMONJS_PARAMETERS);
  if (message === undefined) return 'commonjs';
  if (isModuleOnlyError(message)) return 'module';
  if (!AMBIGUOUS_ERRORS.some((known) => message.includes(known))) return 'commonjs';
  const wrapped = syntaxErrorMessage(`(async function() {${javascript}})();`, []);
  return wrapped === undefined || isModuleOnlyError(wrapped) ? 'module' : 'commonjs';
}

function isModuleOnlyError(message: string): boolean {
  return MODULE_ONLY_ERRORS.some((known) => message.includes(known));
}

function syntaxErrorMessage(code: string, parameters: string[]): string | undefined {
  try {
    compileFunction(code, parameters);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
