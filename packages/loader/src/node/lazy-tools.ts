// The transform and the parser, loaded when the first file needs them, so that a program whose files are all cached
// pays nothing. They are hidden from the program: no hook sees them, no tool of the program loads them, and
// `require.cache` does not contain them.
import { createRequire } from 'node:module';
import type * as Parser from 'oxc-parser';
import type * as Transform from '@turntable/transform';
import { readFileSync } from '../files.ts';
import { compile, withLoader } from './file-loaders.ts';
import { withoutRequireCache } from './resolution.ts';
import { runAsTool } from '../realm/tool-code.ts';
import { packageScope } from './package-scope.ts';

const nativeRequire = createRequire(import.meta.url);
const loadedTools: { transform?: typeof Transform; parser?: typeof Parser } = {};
let isLoading = false;

/** Whether a tool is being loaded: modules requested meanwhile are not the program's, and hooks must ignore them. */
export function isLoadingTools(): boolean {
  return isLoading;
}

export function loadTransform(): typeof Transform {
  return (loadedTools.transform ??= loadTool('@turntable/transform') as typeof Transform);
}

export function loadParser(): typeof Parser {
  return (loadedTools.parser ??= loadTool('oxc-parser') as typeof Parser);
}

function loadTool(specifier: string): unknown {
  isLoading = true;
  try {
    return withoutRequireCache(() =>
      runAsTool(() => withLoader(loadTurntableFile, () => nativeRequire(specifier) as unknown)),
    );
  } finally {
    isLoading = false;
  }
}

/** Compiles and runs a file of Turntable or of its tools, as Node's loaders do. */
function loadTurntableFile(module: NodeModule, filename: string): void {
  const isModule = filename.endsWith('.mjs') || packageScope(filename)?.type === 'module';
  const format = `${isModule ? 'module' : 'commonjs'}${filename.endsWith('.ts') ? '-typescript' : ''}`;
  compile(module, readFileSync(filename, 'utf8'), filename, format);
}
