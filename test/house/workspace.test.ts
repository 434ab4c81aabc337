import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/node-release.mjs';
import { ownDirectories, ownPackages } from '../../packages/loader/src/own-packages.ts';
import { ownPackageNames } from '../../scripts/own-package-names.ts';

interface Manifest {
  name: string;
  version: string;
  license: string;
  engines: { node: string };
  exports?: Record<string, Record<string, string>>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifestOf = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest;
/** These files may contain comments, but no string with one. */
const referencesOf = (path: string) =>
  (JSON.parse(read(path).replaceAll(/^\s*\/\/.*$/gm, '')) as { references: { path: string }[] }).references
    .map((reference) => reference.path)
    .filter((each) => !each.endsWith('.json'));

const workspace = manifestOf('.');
const folders = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((folder) => existsSync(join(root, folder, 'package.json')));

describe('the workspace', () => {
  test('locks packages by name and hash, without the URL of a registry', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    for (const [path, entry] of Object.entries(packages)) {
      if (!path.includes('node_modules/') || entry.link === true) continue;
      expect(entry, path).not.toHaveProperty('resolved');
      expect(entry, path).toHaveProperty('integrity');
    }
  });

  test('uses import.meta.url only at the root of a package with several entry points, since bundles flatten folders', () => {
    const folded = globSync('packages/{replayer,turntable}/src/*/**/*.ts', { cwd: root });
    expect(folded.filter((file) => read(file).includes('import.meta.url'))).toEqual([
      'packages/replayer/src/thread/probes.ts',
    ]);
  });

  test('has a current list of the packages that run beside a program', () => {
    expect(read('packages/loader/src/own-package-names.ts'), 'npm run build writes them').toBe(ownPackageNames());
  });

  test('treats no package that runs beside a program as code of the program', () => {
    const found = ownPackages().map(([name]) => name);
    const beside = folders.filter((folder) => found.includes(manifestOf(folder).name));
    // Debug adapters run in processes without a program; @turntable/fastify is part of one.
    const others = folders.filter((folder) => !beside.includes(folder));
    expect(others).toEqual(['packages/dap', 'packages/devtools', 'packages/fastify']);
    const own = ownDirectories();
    const targets = beside.flatMap((folder) =>
      Object.values(manifestOf(folder).exports ?? {})
        .flatMap((conditions) => Object.values(conditions))
        .map((target) => join(root, folder, target))
        .filter((target) => existsSync(target)),
    );
    expect(targets.filter((target) => !own.some((directory) => target.startsWith(join(directory, '/'))))).toEqual([]);
  });

  test('bundles every file that threads and processes start with', () => {
    const started = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/\bprogramFileUrl\('([\w-]+)'/g)].map(
        ([, name = '']) => [file.split('/', 2).join('/'), name] as const,
      ),
    );
    expect(started.map(([, name]) => name)).toContain('actor-worker');
    const missing = started.filter(([folder, name]) => {
      const { exports = {} } = manifestOf(folder);
      return exports[name === 'index' ? '.' : `./${name}`]?.['turntable-source'] !== `./src/${name}.ts`;
    });
    expect(missing).toEqual([]);
  });

  test('locks what the manifests require, as `npm ci` expects', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Manifest> };
    for (const folder of folders) {
      const { dependencies, devDependencies } = manifestOf(folder);
      expect(packages[folder]?.dependencies, folder).toEqual(dependencies);
      expect(packages[folder]?.devDependencies, folder).toEqual(devDependencies);
    }
    expect(packages['']?.devDependencies).toEqual(workspace.devDependencies);
  });

  test('uses one version of each package', () => {
    const versions = new Map<string, Set<string>>();
    for (const { dependencies, devDependencies } of [workspace, ...folders.map(manifestOf)]) {
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
      }
    }
    expect([...versions].filter(([, each]) => each.size > 1)).toEqual([]);
  });

  test('checks the types of every package', () => {
    expect(referencesOf('tsconfig.json').toSorted()).toEqual(['apps/debugger', ...folders]);
    expect(referencesOf('tsconfig.tests.json').toSorted()).toEqual(folders);
  });

  test('requires the same Node.js versions in all packages', () => {
    expect(workspace.engines.node).toMatch(/24.*26/);
    for (const folder of folders) expect(manifestOf(folder).engines, folder).toEqual(workspace.engines);
  });
});

describe.each(folders)('%s', (folder) => {
  const manifest = manifestOf(folder);

  test('has the version and the licence of the workspace', () => {
    expect(manifest).toMatchObject({ version: workspace.version, license: 'Apache-2.0' });
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
  });

  test('depends on workspace packages by that version, and on others by an exact version', () => {
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      if (name === 'turntable' || name.startsWith('@turntable/')) expect(range, name).toBe(workspace.version);
      else expect(range, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test('references the types of exactly the packages that it depends on', () => {
    const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) =>
      /^(?:@turntable\/|turntable$)/.test(name),
    );
    const references = referencesOf(join(folder, 'tsconfig.json')).map((path) => manifestOf(join(folder, path)).name);
    expect(references.toSorted()).toEqual(dependencies.toSorted());
  });
});
