// What Node's resolver cannot find because there is no file, where the texts of the program come from its recording.
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RecordedSources } from '../code/recorded-sources.ts';
import { resolveImport, resolveRequire, type RequireOptions } from '../node/resolution.ts';

/** Behind what was asked for, by Node or by tools that know of TypeScript. */
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
/** Of JavaScript that has not been made yet, what it is to be made of. */
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

/** What Node resolves, or what it would if the file were there. */
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
  return [...PATH_ENDINGS.map((ending) => path + ending), ...sourcePaths].find(
    (file) => recordedSources?.has(file) === true,
  );
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
