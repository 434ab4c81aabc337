// Cache directory for files that Turntable derives from recordings.
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Path of a cache, in the configured directory or in the user's cache directory. Undefined if caching is off, or if
 * recordings are sealed with a key, because cached files are not sealed.
 * @param name name of the cache
 */
export function turntableCachePath(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const { TURNTABLE_CACHE: cache, TURNTABLE_KEY: key, XDG_CACHE_HOME: xdgCache, LOCALAPPDATA: appData } = environment;
  if (cache === 'off' || (key !== undefined && key !== '')) return undefined;
  if (cache !== undefined && cache !== '') return join(cache, name);
  const userCaches = process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : join(homedir(), '.cache');
  return join((process.platform === 'win32' ? appData : xdgCache) || userCaches, 'turntable', name);
}
