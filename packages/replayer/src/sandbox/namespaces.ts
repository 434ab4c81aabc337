// Linux namespaces for a process that runs recorded code: what the programs that create them have in common.
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProcessLimits } from './process-limits.ts';

/** What a process in namespaces sees. The paths are at the same place as outside and contain no symbolic links. */
export interface SandboxView {
  /** Directory that the process sees as `/`. */
  readonly root: string;
  /** Working directory. */
  readonly cwd: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

export interface SandboxCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface Namespaces {
  /** Name of the program that creates them. */
  readonly program: 'bubblewrap' | 'unshare';
  /** Returns the command that runs this one in namespaces, without privileges. It expects an INFO_DESCRIPTOR. */
  isolate(command: SandboxCommand, view: SandboxView, limits: ProcessLimits): SandboxCommand;
}

/** The namespaces, or the reason why this machine has none. */
export type NamespaceSearch = { readonly namespaces: Namespaces } | { readonly problem: string };

/** Files of the system that Node needs: its libraries and the time zones. */
export const SYSTEM_PATHS: readonly string[] = [
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/usr/share/zoneinfo',
];

/** @param further directories that a user's search path may lack */
export function findProgram(name: string, further: readonly string[] = []): string | undefined {
  const directories = [...(process.env['PATH'] ?? '/usr/bin').split(delimiter), ...further];
  return directories
    .filter((path) => isAbsolute(path))
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}
