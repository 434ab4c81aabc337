// In which language and module system a file is written: Node's rules (extension, `type` of the package, else its syntax).
import { extname } from 'node:path';
import { compileFunction } from 'node:vm';
import { packageScope } from './package-scope.ts';

export type Format = 'module' | 'commonjs' | 'json' | 'addon' | 'wasm' | 'other';

export interface FileFormat {
  readonly format: Format;
  readonly typescript: boolean;
}

const FIXED: Readonly<Record<string, FileFormat>> = {
  '.mjs': { format: 'module', typescript: false },
  '.cjs': { format: 'commonjs', typescript: false },
  '.mts': { format: 'module', typescript: true },
  '.cts': { format: 'commonjs', typescript: true },
  '.json': { format: 'json', typescript: false },
  '.node': { format: 'addon', typescript: false },
  '.wasm': { format: 'wasm', typescript: false },
};
/** Lowered by the transform though Node itself would refuse them. */
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);

export function isTypeScript(filename: string): boolean {
  return TYPESCRIPT.has(extname(filename));
}

/** `undefined`: the package does not say, ask `detectFormat`. */
export function formatOf(filename: string): FileFormat | undefined {
  const extension = extname(filename);
  const fixed = FIXED[extension];
  if (fixed !== undefined) return fixed;
  const typescript = TYPESCRIPT.has(extension);
  if (extension !== '.js' && extension !== '.jsx' && extension !== '' && !typescript)
    return { format: 'other', typescript: false };
  const type = packageScope(filename)?.type;
  return type === undefined ? undefined : { format: type, typescript };
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const ONLY_IN_MODULES = [
  'Cannot use import statement outside a module',
  "Unexpected token 'export'",
  "Cannot use 'import.meta' outside a module",
];
/** Errors that may as well come from a module with top-level `await`. */
const PERHAPS_IN_MODULES = [
  "Identifier '__filename' has already been declared",
  "Identifier '__dirname' has already been declared",
  "Identifier 'exports' has already been declared",
  "Identifier 'module' has already been declared",
  "Identifier 'require' has already been declared",
  'await is only valid in async functions and the top level bodies of modules',
  'Unexpected reserved word',
];

/** Without any of these no text is a module: module syntax, and names that are parameters only of CommonJS. */
const PERHAPS_MODULE =
  /\b(?:import|export|await)\b|\b(?:let|const|class)\b[^;=]*\b(?:require|module|exports|__filename|__dirname)\b|\\u/;

/** `javascript` must be free of types. Node's algorithm (`containsModuleSyntax`). */
export function detectFormat(javascript: string): 'module' | 'commonjs' {
  // Most CommonJS shows at a glance, which is ten times faster than compiling it.
  if (!PERHAPS_MODULE.test(javascript)) return 'commonjs';
  const message = syntaxError(javascript, PARAMETERS);
  if (message === undefined) return 'commonjs';
  if (onlyInModules(message)) return 'module';
  if (!PERHAPS_IN_MODULES.some((known) => message.includes(known))) return 'commonjs';
  const wrapped = syntaxError(`(async function() {${javascript}})();`, []);
  return wrapped === undefined || onlyInModules(wrapped) ? 'module' : 'commonjs';
}

function onlyInModules(message: string): boolean {
  return ONLY_IN_MODULES.some((known) => message.includes(known));
}

function syntaxError(code: string, parameters: string[]): string | undefined {
  try {
    compileFunction(code, parameters);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
