// Packages of a program that was recorded, beside what lies in their places now: a recording has the texts of those that were loaded, but where names
// lead is asked of the packages that are there, and with `--code current` they are what runs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '@turntable/recording';

export interface ChangedPackage {
  readonly name: string;
  readonly directory: string;
  readonly was: string;
  /** Undefined: it is not there. */
  readonly is: string | undefined;
}

export function changedPackages({ packages = [] }: Pick<Manifest, 'packages'>): ChangedPackage[] {
  return packages.flatMap((entry) => {
    const [url = '', was = ''] = entry.split(' ');
    const directory = fileURLToPath(url);
    const is = versionAt(directory);
    const [name = directory] = /(?:@[^/]+\/)?[^/]+$/.exec(directory.replaceAll('\\', '/').replace(/\/$/, '')) ?? [];
    return is === was ? [] : [{ name, directory, was, is }];
  });
}

/** In a list: `fastify 5.1.0 → 5.2.0`. */
export function changeText({ name, was, is }: ChangedPackage): string {
  return is === undefined ? `package ${name} ${was} is not there` : `package ${name} ${was} → ${is}`;
}

function versionAt(directory: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
