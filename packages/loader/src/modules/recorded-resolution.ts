// Resolution of files that exist only in a recording, which Node's resolver cannot find.
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RecordedSources } from '../code/recorded-sources.ts';
import { realpathSync } from '../files.ts';
import { resolveImport, resolveRequire, type RequireOptions } from '../node/resolution.ts';

/** Endings that Node, or a tool for TypeScript, appends to a specifier. */
const PATH_ENDINGS = [
  '',
  '.js',
  '.json',
  '/index.js',
  '.ts',
  '.tsx',
  '.jsx',
  '.cts',
  '.mts',
  '/index.ts',
  '/index.tsx',
];
/** Extensions of the sources that a missing JavaScript file may be generated from. */
const SOURCE_EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.cjs': ['.cts'],
  '.mjs': ['.mts'],
};

export function resolveImportOrRecorded(
  specifier: string,
  parentURL: string,
  recordedSources: RecordedSources | undefined,
): string {
  return resolveOrRecorded(() => resolveImport(specifier, parentURL), recordedSources).url;
}

/** Node's resolution. If Node finds no file, a recorded file at the path that Node tried. */
export function resolveOrRecorded<R extends { readonly url: string }>(
  resolve: () => R,
  recordedSources: RecordedSources | undefined,
): R | { url: string; shortCircuit: true } {
  try {
    return resolve();
  } catch (error) {
    const { url } = error as { url?: string };
    const found = url?.startsWith('file:') === true ? recordedFileAt(fileURLToPath(url), recordedSources) : undefined;
    if (found === undefined) throw error;
    return { url: pathToFileURL(found).href, shortCircuit: true };
  }
}

function recordedFileAt(path: string, recordedSources: RecordedSources | undefined): string | undefined {
  const extension = extname(path);
  const sourcePaths = (SOURCE_EXTENSIONS[extension] ?? []).map(
    (sourceExtension) => path.slice(0, -extension.length) + sourceExtension,
  );
  const found = [...PATH_ENDINGS.map((ending) => path + ending), ...sourcePaths].find(
    (file) => recordedSources?.has(file) === true,
  );
  if (found !== undefined) return found;
  const realPath = join(realDirectory(dirname(path)), basename(path));
  return realPath === path ? undefined : recordedFileAt(realPath, recordedSources);
}

/** The directory behind symbolic links, such as that of a package of the same repository. */
function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

export function resolveRequireOrRecorded(
  id: string,
  from: NodeModule,
  recordedSources: RecordedSources | undefined,
  options?: RequireOptions,
): string {
  try {
    return resolveRequire(id, from, options);
  } catch (error) {
    const path = /^(?:\.\.?)?\//.test(id) ? resolve(from.path, id) : undefined;
    const found = path === undefined ? undefined : recordedFileAt(path, recordedSources);
    if (found === undefined) throw error;
    return found;
  }
}
