// The transform and the parser, loaded when the first file needs them: a program that is all in the cache never pays for them.
// They are ours and not the program's: no hook looks at them, no tool of the program's loads them, and `require.cache` does not show them.
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

/** For hooks: what is asked for now is not the program's. */
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

/** As Node does it where nobody has taken its place. */
function loadTurntableFile(module: NodeModule, filename: string): void {
  const isModule = filename.endsWith('.mjs') || packageScope(filename)?.type === 'module';
  const format = `${isModule ? 'module' : 'commonjs'}${filename.endsWith('.ts') ? '-typescript' : ''}`;
  compile(module, readFileSync(filename, 'utf8'), filename, format);
}
