// A temporary copy of the repository's files, with links to its packages in node_modules.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Copies tracked files, and new ones that Git does not ignore. Returns the directory of the copy. */
export function copyTree(root: string): string {
  const tree = mkdtempSync(join(tmpdir(), 'turntable-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const file of listed.split('\0')) {
    const source = join(root, file);
    if (file === '' || !existsSync(source)) continue;
    const target = join(tree, file);
    mkdirSync(dirname(target), { recursive: true });
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (lstatSync(source).isFile()) copyFileSync(source, target);
  }
  linkPackages(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Links of the workspace are relative, so they lead to the packages of the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === '.cache' || name === '.vite') continue;
    const source = join(from, name);
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), join(to, name));
    else if (name.startsWith('@')) linkPackages(source, join(to, name));
    else symlinkSync(source, join(to, name));
  }
}
