// What Node's resolver cannot find because there is no file, where the texts of the program come from its recording.
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RecordedTexts } from '../code/recorded-texts.ts';
import { resolveImport, resolveRequire, type RequireOptions } from '../node/resolution.ts';

/** Behind what was asked for, by Node or by tools that know of TypeScript. */
const ENDINGS = ['', '.js', '.json', '/index.js', '.ts', '.tsx', '.jsx', '.cts', '.mts', '/index.ts', '/index.tsx'];
/** Of JavaScript that has not been made yet, what it is to be made of. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.cjs': ['.cts'],
  '.mjs': ['.mts'],
};

export function resolveImportOrRecorded(
  specifier: string,
  parentURL: string,
  recorded: RecordedTexts | undefined,
): string {
  return orRecorded(() => resolveImport(specifier, parentURL), recorded).url;
}

/** What Node resolves, or what it would if the file were there. */
export function orRecorded<R extends { readonly url: string }>(
  resolve: () => R,
  recorded: RecordedTexts | undefined,
): R | { url: string; shortCircuit: true } {
  try {
    return resolve();
  } catch (error) {
    const { url } = error as { url?: string };
    const found = url?.startsWith('file:') === true ? recordedAt(fileURLToPath(url), recorded) : undefined;
    if (found === undefined) throw error;
    return { url: pathToFileURL(found).href, shortCircuit: true };
  }
}

function recordedAt(place: string, recorded: RecordedTexts | undefined): string | undefined {
  const extension = extname(place);
  const written = (WRITTEN[extension] ?? []).map((each) => place.slice(0, -extension.length) + each);
  return [...ENDINGS.map((ending) => place + ending), ...written].find((file) => recorded?.has(file) === true);
}

export function resolveRequireOrRecorded(
  id: string,
  from: NodeModule,
  recorded: RecordedTexts | undefined,
  options?: RequireOptions,
): string {
  try {
    return resolveRequire(id, from, options);
  } catch (error) {
    const place = /^(?:\.\.?)?\//.test(id) ? resolve(from.path, id) : undefined;
    const found = place === undefined ? undefined : recordedAt(place, recorded);
    if (found === undefined) throw error;
    return found;
  }
}
