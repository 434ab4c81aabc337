/*
 * The files of a test262 checkout that count. The list of directories is fixed, so that the denominator depends only on
 * the checkout and on the running Node.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFrontmatter } from './frontmatter.ts';

const builtins = [
  'Promise',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Array',
  'Function',
  'GeneratorFunction',
  'GeneratorPrototype',
  'AsyncFunction',
  'AsyncGeneratorFunction',
  'AsyncGeneratorPrototype',
  'AsyncIteratorPrototype',
  'ArrayIteratorPrototype',
  'MapIteratorPrototype',
  'SetIteratorPrototype',
  'Error',
  'Proxy',
  'Reflect',
  'Symbol',
];

const roots = ['test/language', ...builtins.map((name) => `test/built-ins/${name}`)];

/** Sorted paths relative to the checkout; `only` keeps those that contain it. */
export function listSuite(suite: string, only: string | undefined): string[] {
  if (!existsSync(join(suite, 'harness', 'assert.js'))) {
    throw new Error(`${suite} is no test262 checkout (no harness/assert.js): pass its path with --suite`);
  }
  const paths: string[] = [];
  for (const root of roots) {
    for (const entry of readdirSync(join(suite, root), { recursive: true, encoding: 'utf8' })) {
      const path = `${root}/${entry}`;
      if (!path.endsWith('.js') || path.includes('_FIXTURE')) continue;
      if (only !== undefined && !path.includes(only)) continue;
      if (path.startsWith('test/language/module-code/') && isNegativeSyntax(join(suite, path))) continue;
      paths.push(path);
    }
  }
  return paths.sort();
}

function isNegativeSyntax(file: string): boolean {
  return parseFrontmatter(readFileSync(file, 'utf8')).negative?.phase === 'parse';
}
