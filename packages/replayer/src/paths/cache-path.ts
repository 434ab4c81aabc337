// Where Turntable keeps for itself, until the next time, what it has made of somebody's recordings.
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Beside transformed code where its place is said; nowhere with a key, since what is kept is not sealed. @param name of what is kept */
export function turntableCachePath(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const {
    TURNTABLE_CACHE: cache,
    TURNTABLE_KEY: key,
    XDG_CACHE_HOME: xdgCacheHome,
    LOCALAPPDATA: localAppData,
  } = environment;
  if (cache === 'off' || (key !== undefined && key !== '')) return undefined;
  if (cache !== undefined && cache !== '') return join(cache, name);
  const userCaches = process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : join(homedir(), '.cache');
  return join((process.platform === 'win32' ? localAppData : xdgCacheHome) || userCaches, 'turntable', name);
}
