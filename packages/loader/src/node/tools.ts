// The transform and the parser, loaded when the first file needs them: a program that is all in the cache never pays for them.
// They are ours and not the program's: no hook looks at them, no tool of the program's loads them, and `require.cache` does not show them.
import { createRequire } from 'node:module';
import type * as Parser from 'oxc-parser';
import type * as Transform from '@turntable/transform';
import { readFileSync } from '../files.ts';
import { compile, withLoader } from './file-loaders.ts';
import { forgetting } from './resolution.ts';
import { whileForeign } from '../realm/foreign-code.ts';
import { packageScope } from './package-scope.ts';

const requireHere = createRequire(import.meta.url);
const known: { transform?: typeof Transform; parser?: typeof Parser } = {};
let loading = false;

/** For hooks: what is asked for now is not the program's. */
export function isLoadingTools(): boolean {
  return loading;
}

export function transformTools(): typeof Transform {
  return (known.transform ??= load('@turntable/transform') as typeof Transform);
}

export function parserTools(): typeof Parser {
  return (known.parser ??= load('oxc-parser') as typeof Parser);
}

function load(specifier: string): unknown {
  loading = true;
  try {
    return forgetting(() => whileForeign(() => withLoader(loadOurs, () => requireHere(specifier) as unknown)));
  } finally {
    loading = false;
  }
}

/** As Node does it where nobody has taken its place. */
function loadOurs(module: NodeModule, filename: string): void {
  const isModule = filename.endsWith('.mjs') || packageScope(filename)?.type === 'module';
  const format = `${isModule ? 'module' : 'commonjs'}${filename.endsWith('.ts') ? '-typescript' : ''}`;
  compile(module, readFileSync(filename, 'utf8'), filename, format);
}
