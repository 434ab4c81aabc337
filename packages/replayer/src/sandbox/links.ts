import { readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Maximum number of symbolic links in one path, as in Linux. */
const MAX_LINKS = 40;

/** Resolves the symbolic links of a path, which need not exist, and adds them to `links`. */
export function followLinks(path: string, links: Map<string, string>, depth = 0): string {
  const names = path.split('/');
  for (let count = 2; count <= names.length; count++) {
    const part = names.slice(0, count).join('/');
    const target = linkTarget(part);
    if (target === undefined || depth === MAX_LINKS) continue;
    links.set(part, target);
    return followLinks(resolve(dirname(part), target, ...names.slice(count)), links, depth + 1);
  }
  return path;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // A file or directory, or nothing.
    return undefined;
  }
}
