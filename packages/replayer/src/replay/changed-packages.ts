// Compares the recorded versions of a program's packages with the installed ones. A recording contains the loaded
// files, but module resolution uses the installed packages, and `--code current` runs them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '@turntable/recording';

export interface ChangedPackage {
  readonly name: string;
  readonly directory: string;
  readonly recordedVersion: string;
  /** Undefined if the package is not installed. */
  readonly currentVersion: string | undefined;
}

export function findChangedPackages({ packages = [] }: Pick<Manifest, 'packages'>): ChangedPackage[] {
  return packages.flatMap((entry) => {
    const [url = '', recordedVersion = ''] = entry.split(' ');
    const directory = fileURLToPath(url);
    const currentVersion = installedVersionAt(directory);
    const [name = directory] = /(?:@[^/]+\/)?[^/]+$/.exec(directory.replaceAll('\\', '/').replace(/\/$/, '')) ?? [];
    return currentVersion === recordedVersion ? [] : [{ name, directory, recordedVersion, currentVersion }];
  });
}

/** Text for a list: `fastify 5.1.0 → 5.2.0`. */
export function packageChangeText({ name, recordedVersion, currentVersion }: ChangedPackage): string {
  return currentVersion === undefined
    ? `package ${name} ${recordedVersion} is not installed`
    : `package ${name} ${recordedVersion} → ${currentVersion}`;
}

function installedVersionAt(directory: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
