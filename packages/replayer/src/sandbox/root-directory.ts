// The root directory that an isolated process sees. It has the files of the program, empty, so that module resolution
// gives the recorded results. Their texts are in the recording.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TemporaryDirectory } from '../paths/recording-directory.ts';

export interface RootEntries {
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** Targets of symbolic links, by path. */
  readonly links: ReadonlyMap<string, string>;
}

interface Root {
  readonly directory: TemporaryDirectory;
  /** Paths of the entries that were created. */
  readonly created: Set<string>;
}

/** Roots of this process by recording. They are deleted when it ends. */
const roots = new Map<string, Root>();

/** Returns the root directory for a recording, after adding the entries that it lacks. */
export function rootDirectory(recording: string, { directories, files, links }: RootEntries): string {
  let root = roots.get(recording);
  if (root === undefined) roots.set(recording, (root = { directory: new TemporaryDirectory(), created: new Set() }));
  const rootPath = root.directory.path;
  const { created } = root;
  const create = (path: string, make: (path: string) => void): void => {
    if (created.has(path)) return;
    created.add(path);
    try {
      mkdirSync(join(rootPath, dirname(path)), { recursive: true });
      make(join(rootPath, path));
    } catch {
      // It exists, or a hostile manifest contradicts itself.
    }
  };
  for (const [path, target] of links) create(path, (inRoot) => symlinkSync(target, inRoot));
  for (const path of directories) create(path, (inRoot) => mkdirSync(inRoot));
  for (const path of files) create(path, (inRoot) => writeFileSync(inRoot, '', { flag: 'wx' }));
  return rootPath;
}
