// Why a file cannot be loaded, in the engine's and Node's own words.
import { compileFunction } from 'node:vm';
import { pathToFileURL } from 'node:url';
import type { CodeKind } from '../code/transformer-port.ts';
import { nativeSyntaxError } from './native-text.ts';

/** If the engine agrees that there is an error. */
export function syntaxError(filename: string, source: string, kind: CodeKind | undefined, found: unknown): unknown {
  if (kind === 'module') return nativeSyntaxError(source, pathToFileURL(filename).href) ?? found;
  try {
    compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename });
  } catch (error) {
    if (error instanceof Error) error.stack = `${error.stack}`.replace(/\n {4}at compileFunction \(node:vm.*\)/, '');
    return error;
  }
  return found;
}

/** A CommonJS file is not to blame for what its text does not show. `line`: that of the import. */
export function explainedMissingExport(
  error: SyntaxError,
  name: string,
  specifier: string,
  line: string | undefined,
): SyntaxError {
  const pattern = line === undefined ? undefined : /{.*}/.exec(line)?.[0].replaceAll(/\s+as\s+/g, ': ');
  error.message =
    `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not support` +
    ' all module.exports as named exports.\nCommonJS modules can always be imported via the default export, for example using:' +
    `\n\nimport pkg from '${specifier}';\n${pattern === undefined ? '' : `const ${pattern} = pkg;\n`}`;
  return error;
}

export function lineAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, end === -1 ? text.length : end);
}

export function parseJson(text: string, filename: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof Error) error.message = `${filename}: ${error.message}`;
    throw error;
  }
}
