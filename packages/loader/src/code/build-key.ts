import { isTypeScript } from '../node/file-format.ts';
import type { CacheKey } from './cache-directory.ts';
import type { BuildRequest } from './transform-service.ts';

/** The key of a file's transformed code. It does not contain the restored functions: an entry may have more of them. */
export function buildKey(version: string, { path, source, kind, settings, restore, debug }: BuildRequest): CacheKey {
  const form = restore === undefined ? (kind ?? 'detect') : `${kind} restored ${JSON.stringify(restore.dead ?? [])}`;
  const debugText = debug === undefined ? '' : debug === true ? ' debug' : ` ${debug}`;
  const language = isTypeScript(path) ? `ts ${settings}` : 'js';
  const context = [version, process.version, process.arch, form + debugText, language, path].join('\n');
  return { context, source };
}
