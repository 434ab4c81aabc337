// The names that `import` can take from a CommonJS file: found by Node's lexer, through the same re-exports as in Node.
import { createRequire, isBuiltin } from 'node:module';
import { initSync, parse } from 'cjs-module-lexer';
import { extname } from 'node:path';
import { runAsTool } from '../realm/tool-code.ts';

initSync();

export function commonJsNames(source: string, filename: string, read: (filename: string) => string): Set<string> {
  return collectNames(source, filename, read, new Set());
}

function collectNames(
  source: string,
  filename: string,
  read: (filename: string) => string,
  visited: Set<string>,
): Set<string> {
  visited.add(filename);
  let lexed: ReturnType<typeof parse>;
  try {
    lexed = parse(source, filename);
  } catch {
    // As in Node, a file that cannot be lexed has no named exports.
    return new Set();
  }
  const names = new Set<string>(lexed.exports);
  if (lexed.reexports.length === 0) return names;
  const require = createRequire(filename);
  for (const specifier of lexed.reexports) {
    try {
      if (isBuiltin(specifier)) continue;
      const target = runAsTool(() => require.resolve(specifier));
      if (visited.has(target) || ['.json', '.node', '.mjs'].includes(extname(target))) continue;
      for (const name of collectNames(read(target), target, read, visited)) names.add(name);
    } catch {
      // As in Node, a re-export that cannot be found or read adds no names.
    }
  }
  return names;
}
