// What the system, or somebody in a terminal, has asked the application to open.
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

export const LINK_PROTOCOL = 'turntable:';

export interface OpenRequest {
  /** Of a recording; undefined, if somebody has to choose one. */
  readonly path: string | undefined;
  /** Whoever has written it has asked for it; of what came by a link nobody knows. */
  readonly isFromUser: boolean;
}

/** `turntable://open?recording=/a/b`; undefined of any other link: what a link means may depend on nobody's directory. */
export function pathOfLink(link: string): string | undefined {
  const url = parseUrl(link);
  const path = url?.protocol === LINK_PROTOCOL && url.host === 'open' ? url.searchParams.get('recording') : undefined;
  return path != null && isAbsolute(path) && !path.includes('\0') ? path : undefined;
}

/**
 * @param args of the process; the system's flags among them are none of ours
 * @param directory in which it was started
 * @param isPackaged before, the first argument is the application
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

/** Older Electrons have no `URL.canParse`. */
function parseUrl(link: string): URL | undefined {
  try {
    return new URL(link);
  } catch {
    return undefined;
  }
}
