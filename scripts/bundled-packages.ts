// The packages of this workspace as processes have them that tests start (the export condition `turntable-bundled`): made of the sources as they are, a file or two
// for each, since from hundreds a process needs longer to begin than most tests have it run.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { entriesOf, writeBundle, type Manifest } from './package-bundle.ts';

/** In each package, beside its sources. */
const FOLDER = 'bundled';
const DIGEST = 'digest';
/** What tests have of packages in the same form, though there is no door to it, by the package. */
const INNER: Readonly<Record<string, string>> = { turntable: 'test/engine/machinery.ts' };

/** Makes them, unless they are those of these sources. `digest`: of all sources and manifests. */
export async function bundlePackages(root: string, digest: string): Promise<void> {
  for (const file of globSync('packages/*/package.json', { cwd: root })) {
    const place = join(root, file, '..');
    if (digestIn(join(place, FOLDER)) === digest) continue;
    const next = join(place, `${FOLDER}-${process.pid}`);
    await bundlePackage(place, JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest, next);
    writeFileSync(join(next, DIGEST), digest);
    rmSync(join(place, FOLDER), { recursive: true, force: true });
    renameSync(next, join(place, FOLDER));
  }
}

/** Test processes resolve packages to their sources, but what this starts must be bundled: `replayer` starts what it is itself. */
async function bundleInner(root: string, file: string, into: string): Promise<void> {
  const replayer = /^@turntable\/replayer\/([\w-]+)$/;
  await writeBundle({
    input: [join(root, file)],
    into,
    sourcemap: false,
    fileOf: (specifier) => {
      const [, door] = replayer.exec(specifier) ?? [];
      return door && join(root, `packages/replayer/${FOLDER}/${door}.js`);
    },
  });
}

function digestIn(directory: string): string | undefined {
  const file = join(directory, DIGEST);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

async function bundlePackage(place: string, manifest: Manifest, into: string): Promise<void> {
  rmSync(into, { recursive: true, force: true });
  const doors = entriesOf(manifest, 'src');
  const programs = entriesOf({ ...manifest, exports: null }, 'dist').map((file) =>
    file.replace('dist', 'src').replace(/js$/, 'ts'),
  );
  const input = [...new Set([...doors, ...programs])].map((file) => join(place, file));
  await writeBundle({ input, into, sourcemap: false });
  const inner = INNER[manifest.name];
  if (inner !== undefined) await bundleInner(join(place, '../..'), inner, into);
  // What runs inside the program is loaded file by file, as the program's own files are.
  const inside = globSync('src/inside/*.ts', { cwd: place });
  if (inside.length === 0) return;
  mkdirSync(join(into, 'inside'));
  const { outputFiles } = await build({
    entryPoints: inside.map((file) => join(place, file)),
    outdir: join(into, 'inside'),
    target: 'esnext',
    write: false,
  });
  for (const { path, text } of outputFiles) writeFileSync(path, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
}
