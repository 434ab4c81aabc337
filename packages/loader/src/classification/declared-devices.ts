// Devices that packages declare: `"turntable": { "devices": […] }` in a package.json names packages (`pino`,
// `@fastify/*`) that stay native in a recorded thread if the program's package depends on the declaring package, and
// files of the declaring package itself (`./dist/outside.js`).
import { dirname, join } from 'node:path';
import { existsSync } from '../files.ts';
import { packageScope } from '../node/package-scope.ts';

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

export class DeclaredDevices {
  /** Directories of packages whose dependencies have been read. */
  readonly #visitedPackages = new Set<string>();
  /** Name of the declaring package, by name of the declared package. */
  readonly #declarers = new Map<string, string>();
  readonly #prefixDeclarers: (readonly [prefix: string, declarer: string])[] = [];

  /** Reads the device declarations of the packages on which a program file's package depends. */
  addProgramFile(filename: string): void {
    const scope = packageScope(filename);
    if (scope === undefined || this.#visitedPackages.has(scope.directory)) return;
    this.#visitedPackages.add(scope.directory);
    const names = DEPENDENCIES.flatMap((kind) => Object.keys((scope.fields[kind] ?? {}) as object));
    for (const name of new Set(names)) {
      const manifest = manifestFileOf(name, scope.directory);
      if (manifest === undefined) continue;
      for (const device of devicesOf(packageScope(manifest)?.fields))
        if (device.endsWith('/*')) this.#prefixDeclarers.push([device.slice(0, -1), name]);
        else if (!device.startsWith('./')) this.#declarers.set(device, name);
    }
  }

  /** The package that declares `name` a device, if any. */
  declarerOf(name: string): string | undefined {
    return this.#declarers.get(name) ?? this.#prefixDeclarers.find(([prefix]) => name.startsWith(prefix))?.[1];
  }

  /** The name of the file's package if that package declares the file a device. */
  declarerOfFile(filename: string): string | undefined {
    const scope = packageScope(filename);
    const isDeclared = devicesOf(scope?.fields).some(
      (device) => device.startsWith('./') && join(scope?.directory ?? '', device) === filename,
    );
    return isDeclared ? scope?.name : undefined;
  }
}

/** The devices that a package.json declares: packages, and its own files as `./file`. */
export function devicesOf(fields: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const settings = fields?.['turntable'] as { readonly devices?: unknown } | null | undefined;
  const devices: unknown = typeof settings === 'object' ? settings?.devices : undefined;
  return Array.isArray(devices) ? devices.filter((device) => typeof device === 'string') : [];
}

function manifestFileOf(name: string, directory: string): string | undefined {
  for (let current = directory; ; current = dirname(current)) {
    const file = join(current, 'node_modules', name, 'package.json');
    if (existsSync(file)) return file;
    if (dirname(current) === current) return undefined;
  }
}
