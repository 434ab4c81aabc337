import { isTypeScript } from '../node/file-format.ts';
import type { CacheKey } from './cache-directory.ts';
import type { BuildRequest } from './transform-service.ts';

/** The key of a file's transformed code. It does not contain the restored functions: an entry may have more of them. */
export function buildKey(
  version: string,
  { path, source, kind, settings, restore, isLenient, debug }: BuildRequest,
): CacheKey {
  const form = restore === undefined ? (kind ?? 'detect') : `${kind} restored ${JSON.stringify(restore.dead ?? [])}`;
  const debugText = debug === undefined ? '' : debug === true ? ' debug' : ` ${debug}`;
  const language = isTypeScript(path) ? `ts ${settings}` : 'js';
  const lenientText = isLenient === true ? ' lenient' : '';
  const context = [version, process.version, process.arch, form + debugText + lenientText, language, path].join('\n');
  return { context, source };
}
