// What the system, or somebody in a terminal, has asked the application to open.
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

export const LINK = 'turntable:';

export interface Wanted {
  /** Of a recording; undefined, if somebody has to choose one. */
  readonly place: string | undefined;
  /** Whoever has written it has asked for it; of what came by a link nobody knows. */
  readonly isAskedFor: boolean;
}

/** `turntable://open?recording=/a/b`; undefined of any other link: what a link means may depend on nobody's directory. */
export function placeOfLink(link: string): string | undefined {
  const url = parsed(link);
  const place = url?.protocol === LINK && url.host === 'open' ? url.searchParams.get('recording') : undefined;
  return place != null && isAbsolute(place) && !place.includes('\0') ? place : undefined;
}

/**
 * @param args of the process; the system's flags among them are none of ours
 * @param directory in which it was started
 * @param isPackaged before, the first argument is the application
 */
export function wantedBy(args: readonly string[], directory: string, isPackaged: boolean): Wanted {
  const link = args.find((arg) => arg.startsWith(LINK));
  if (link !== undefined) return { place: placeOfLink(link), isAskedFor: false };
  const given = args.slice(1).filter((arg) => !arg.startsWith('-'));
  const place = given
    .slice(isPackaged ? 0 : 1)
    .map((arg) => resolve(directory, arg))
    .find((each) => existsSync(each));
  return { place, isAskedFor: place !== undefined };
}

/** Older Electrons have no `URL.canParse`. */
function parsed(link: string): URL | undefined {
  try {
    return new URL(link);
  } catch {
    return undefined;
  }
}
