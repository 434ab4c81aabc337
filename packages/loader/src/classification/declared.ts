// What packages say of themselves and of those that they work with: `"turntable": { "devices": […] }` in a package's own package.json names packages
// (`pino`, `@fastify/*`) that stay native in a recorded thread when the program's package depends on who says so, and files of its own (`./dist/outside.js`).
import { dirname, join } from 'node:path';
import { existsSync } from '../files.ts';
import { packageScope } from '../node/package-scope.ts';

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

export class DeclaredDevices {
  /** Of packages of the program, by their directories. */
  readonly #asked = new Set<string>();
  /** Who says so, by what is named. */
  readonly #names = new Map<string, string>();
  readonly #prefixes: (readonly [prefix: string, by: string])[] = [];

  /** A file of the program: what its package depends on may say something. */
  meet(filename: string): void {
    const scope = packageScope(filename);
    if (scope === undefined || this.#asked.has(scope.directory)) return;
    this.#asked.add(scope.directory);
    const names = DEPENDENCIES.flatMap((kind) => Object.keys((scope.fields[kind] ?? {}) as object));
    for (const name of new Set(names)) {
      const manifest = manifestOf(name, scope.directory);
      if (manifest === undefined) continue;
      for (const device of devicesOf(packageScope(manifest)?.fields))
        if (device.endsWith('/*')) this.#prefixes.push([device.slice(0, -1), name]);
        else if (!device.startsWith('./')) this.#names.set(device, name);
    }
  }

  /** Who says that the package is a device. */
  saidOf(name: string): string | undefined {
    return this.#names.get(name) ?? this.#prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
  }

  /** Whether a package says so of its own file; its name then. */
  saidOfFile(filename: string): string | undefined {
    const scope = packageScope(filename);
    const isNamed = devicesOf(scope?.fields).some(
      (device) => device.startsWith('./') && join(scope?.directory ?? '', device) === filename,
    );
    return isNamed ? scope?.name : undefined;
  }
}

function devicesOf(fields: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const own = fields?.['turntable'] as { readonly devices?: unknown } | null | undefined;
  const devices: unknown = typeof own === 'object' ? own?.devices : undefined;
  return Array.isArray(devices) ? devices.filter((each) => typeof each === 'string') : [];
}

function manifestOf(name: string, from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const manifest = join(directory, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return manifest;
    if (dirname(directory) === directory) return undefined;
  }
}
