// `import.meta` of a transformed module: Node's properties in Node's order, with Node's resolver as `resolve`.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveImport } from '../node/resolution.ts';

const RESOLVABLE_ERRORS = new Set(['ERR_UNSUPPORTED_DIR_IMPORT', 'ERR_MODULE_NOT_FOUND']);

export function fillImportMeta(meta: Record<string, unknown>, url: string, isMain: boolean): void {
  if (url.startsWith('file:')) {
    const filename = fileURLToPath(url);
    meta['dirname'] = dirname(filename);
    meta['filename'] = filename;
  }
  meta['main'] = isMain;
  meta['resolve'] = function resolve(specifier: string): string {
    try {
      return resolveImport(`${specifier}`, url).url;
    } catch (error) {
      const { code, url: found } = error as { code?: string; url?: string };
      if (found !== undefined && RESOLVABLE_ERRORS.has(code ?? '')) return found;
      throw error;
    }
  };
  meta['url'] = url;
}
