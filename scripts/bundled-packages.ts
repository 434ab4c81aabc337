// Bundles the packages of this workspace for processes that tests start (export condition `turntable-bundled`), each
// into a file or two: loading hundreds of modules would take longer than most of these processes run.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { entriesOf, writeBundle, type Manifest } from './package-bundle.ts';

/** Folder of the bundle in each package. */
const FOLDER = 'bundled';
const DIGEST = 'digest';
/** Internals by package that tests need in the same bundle, although no entry point exports them. */
const INTERNALS: Readonly<Record<string, string>> = {
  turntable: 'test/engine/machinery.ts',
  '@turntable/recording': 'packages/recording/src/file-operations.ts',
};

/** Bundles the packages that are not up to date. @param digest digest of all sources and manifests */
export async function bundlePackages(root: string, digest: string): Promise<void> {
  for (const file of globSync('packages/*/package.json', { cwd: root })) {
    const packageDirectory = join(root, file, '..');
    if (digestIn(join(packageDirectory, FOLDER)) === digest) continue;
    const staging = join(packageDirectory, `${FOLDER}-${process.pid}`);
    await bundlePackage(packageDirectory, JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest, staging);
    writeFileSync(join(staging, DIGEST), digest);
    rmSync(join(packageDirectory, FOLDER), { recursive: true, force: true });
    renameSync(staging, join(packageDirectory, FOLDER));
  }
}

function digestIn(directory: string): string | undefined {
  const file = join(directory, DIGEST);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

async function bundlePackage(packageDirectory: string, manifest: Manifest, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const entries = entriesOf(manifest, 'src');
  const programs = entriesOf({ ...manifest, exports: null }, 'dist').map((file) =>
    file.replace('dist', 'src').replace(/js$/, 'ts'),
  );
  const internals = INTERNALS[manifest.name];
  const input = [...new Set([...entries, ...programs])].map((file) => join(packageDirectory, file));
  if (internals !== undefined) input.push(join(packageDirectory, '../..', internals));
  await writeBundle({ input, directory: target, sourcemap: false });
  // Node shims are part of the program and are loaded file by file.
  const shims = globSync('src/node-shims/*.ts', { cwd: packageDirectory });
  if (shims.length === 0) return;
  mkdirSync(join(target, 'node-shims'));
  const { outputFiles } = await build({
    entryPoints: shims.map((file) => join(packageDirectory, file)),
    outdir: join(target, 'node-shims'),
    target: 'esnext',
    write: false,
  });
  for (const { path, text } of outputFiles) writeFileSync(path, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
}
