// What Node's resolver cannot find because there is no file, where the texts of the program come from its recording.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordedTexts } from '../code/code.ts';
import { resolveImport, resolveRequire } from './resolution.ts';

/** Behind what `require` was given. */
const ENDINGS = ['', '.js', '.json', '/index.js'];

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
    if (url?.startsWith('file:') !== true || recorded?.has(fileURLToPath(url)) !== true) throw error;
    return { url, shortCircuit: true };
  }
}

export function resolveRequireOrRecorded(id: string, from: NodeModule, recorded: RecordedTexts | undefined): string {
  try {
    return resolveRequire(id, from);
  } catch (error) {
    const place = /^(?:\.\.?)?\//.test(id) ? resolve(from.path, id) : undefined;
    const found = place === undefined ? undefined : ENDINGS.find((ending) => recorded?.has(place + ending) === true);
    if (place === undefined || found === undefined) throw error;
    return place + found;
  }
}
