// V8's and Node's errors for files that cannot be loaded or have the wrong syntax.
import { compileFunction } from 'node:vm';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installedPackage, packageScope } from '../node/package-scope.ts';
import type { CodeKind } from '../code/transform-service.ts';
import { nativeSyntaxError } from './native-source.ts';

/** V8's syntax error for `source`; `transformError` if V8 accepts the source. */
export function syntaxError(
  filename: string,
  source: string,
  kind: CodeKind | undefined,
  transformError: unknown,
): unknown {
  if (kind === 'module') return nativeSyntaxError(source, pathToFileURL(filename).href) ?? transformError;
  try {
    compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename });
  } catch (error) {
    if (error instanceof Error) error.stack = `${error.stack}`.replace(/\n {4}at compileFunction \(node:vm.*\)/, '');
    return error;
  }
  return transformError;
}

/** Gives `error` Node's message for a name that a CommonJS module does not export. `line` is that of the import. */
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

export function lineAt(source: string, offset: number): string {
  const end = source.indexOf('\n', offset);
  return source.slice(source.lastIndexOf('\n', offset - 1) + 1, end === -1 ? source.length : end);
}

export function parseJson(source: string, filename: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    if (error instanceof Error) error.message = `${filename}: ${error.message}`;
    throw error;
  }
}

const warnedScopes: Set<string> = new Set();

/** Node's warning, once per package.json, that a file was found to be an ES module by its syntax. */
export function warnOfTypelessPackage(url: string, filename: string): void {
  const extension = extname(filename);
  if (extension !== '.js' && extension !== '.ts') return;
  const scope = packageScope(filename);
  if (scope === undefined || warnedScopes.has(scope.file) || installedPackage(filename) !== undefined) return;
  warnedScopes.add(scope.file);
  const message =
    `Module type of ${url} is not specified and it doesn't parse as CommonJS.\n` +
    'Reparsing as ES module because module syntax was detected. This incurs a performance overhead.\n' +
    `To eliminate this warning, add "type": "module" to ${scope.file}.`;
  process.emitWarning(message, { code: 'MODULE_TYPELESS_PACKAGE_JSON' });
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  require: 'replace require() with import',
  module: 'use export instead of module.exports/exports',
  exports: 'use export instead of module.exports/exports',
  __filename: 'use import.meta.filename instead',
  __dirname: 'use import.meta.dirname instead',
};

/** Node's explanation of `require is not defined` in an ES module (lib/internal/modules/esm/module_job.js). */
export function explainCommonJsName(reason: unknown, url: string, hasTopLevelAwait: boolean): void {
  if (!(reason instanceof ReferenceError)) return;
  const name = Object.keys(REPLACEMENTS).find((candidate) => reason.message === `${candidate} is not defined`);
  if (name === undefined) return;
  if (hasTopLevelAwait) {
    reason.message =
      `Cannot determine intended module format because both '${name}' and top-level await are present. If the code is intended ` +
      `to be CommonJS, wrap await in an async function. If the code is intended to be an ES module, ${REPLACEMENTS[name]}.`;
    Object.assign(reason, { code: 'ERR_AMBIGUOUS_MODULE_SYNTAX' });
    return;
  }
  reason.message += ' in ES module scope';
  if (name === 'require') reason.message += ', you can use import instead';
  if (!url.startsWith('file:') || !/\.js(?:\?[^#]*)?(?:#.*)?$/.test(url)) return;
  const scope = packageScope(fileURLToPath(url));
  if (scope?.type !== 'module') return;
  reason.message +=
    `\nThis file is being treated as an ES module because it has a '.js' file extension and '${scope.file}' contains ` +
    `"type": "module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
}
