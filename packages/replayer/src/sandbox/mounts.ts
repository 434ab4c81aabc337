// The mounts that this process sees. The sandbox binds parts of them.
import { readFileSync } from 'node:fs';

export interface Mount {
  /** Directory or file at which it is mounted. */
  readonly path: string;
  readonly options: ReadonlySet<string>;
}

/** The mounts that this process sees, the later ones over the earlier ones. */
export function readMounts(): Mount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, , , , path, options] = line.split(' ');
    if (path === undefined || options === undefined) return [];
    return [{ path: unescapeMountPath(path), options: new Set(options.split(',')) }];
  });
}

/** The mount that a path without symbolic links is in. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let nearest: Mount | undefined;
  for (const mount of mounts)
    if (isBelow(path, mount.path) && mount.path.length >= (nearest?.path.length ?? 0)) nearest = mount;
  return nearest;
}

/** Whether a path is a directory or in it. */
export function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** A path as in /etc/fstab. */
export function escapeMountPath(path: string): string {
  return path.replaceAll(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescapeMountPath(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
