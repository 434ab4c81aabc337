// Parses requests to open recordings: command lines and `turntable:` links.
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

export const LINK_PROTOCOL = 'turntable:';

export interface OpenRequest {
  /** The path of the recording; undefined if the user has to choose one. */
  readonly path: string | undefined;
  /** Whether the user typed the path; false for a link, which may come from anyone. */
  readonly isFromUser: boolean;
}

/** Returns the path in `turntable://open?recording=/a/b`; undefined for any other link and for relative paths. */
export function pathOfLink(link: string): string | undefined {
  const url = parseUrl(link);
  const path = url?.protocol === LINK_PROTOCOL && url.host === 'open' ? url.searchParams.get('recording') : undefined;
  return path != null && isAbsolute(path) && !path.includes('\0') ? path : undefined;
}

/**
 * @param args arguments of the process; arguments starting with `-` are ignored
 * @param directory the directory in which the process was started
 * @param isPackaged whether the application is packaged; otherwise the first argument is the application's path
 */
export function parseOpenRequest(args: readonly string[], directory: string, isPackaged: boolean): OpenRequest {
  const link = args.find((arg) => arg.startsWith(LINK_PROTOCOL));
  if (link !== undefined) return { path: pathOfLink(link), isFromUser: false };
  const positional = args.slice(1).filter((arg) => !arg.startsWith('-'));
  const path = positional
    .slice(isPackaged ? 0 : 1)
    .map((arg) => resolve(directory, arg))
    .find((each) => existsSync(each));
  return { path, isFromUser: path !== undefined };
}

/** Parses a URL; undefined if it is invalid. Older versions of Electron do not have `URL.canParse`. */
function parseUrl(link: string): URL | undefined {
  try {
    return new URL(link);
  } catch {
    return undefined;
  }
}
