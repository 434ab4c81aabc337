// Bundles Turntable for processes that live for a fraction of a second. Run from sources, such a process would spend
// most of its time finding and reading a hundred modules. The bundle is placed beside the built files, because the
// loader treats files there as its own. It belongs to one test run, so that edits during the run do not change the code
// between two processes of a program.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export interface InterruptionBundle {
  /** For `--import`: the loader alone, and the loader with the interruption hook. */
  readonly register: string;
  readonly preload: string;
  /** Entry point of a process that resumes. */
  readonly resume: string;
  /** Directory of Node's compile cache. */
  readonly compileCache: string;
  remove(): void;
}

const PREFIX = 'interruption-';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

export async function bundleTurntable(): Promise<InterruptionBundle> {
  const built = join(root, 'packages/turntable/dist');
  removeLeftovers(built);
  const home = join(built, `${PREFIX}${process.pid}`);
  // Files of a package read the manifest from the parent of their folder.
  const directory = join(home, 'dist');
  mkdirSync(directory, { recursive: true });
  copyFileSync(join(root, 'packages/turntable/package.json'), join(home, 'package.json'));
  await write(directory, {
    register: join(root, 'packages/turntable/src/register.ts'),
    preload: join(FOLDER, 'preload.ts'),
    resume: join(FOLDER, 'resume.ts'),
  });
  // The loader loads each Node shim as a separate file.
  const shims = join(root, 'packages/loader/src/node-shims');
  const names = readdirSync(shims).map((name) => [name.replace('.ts', ''), join(shims, name)]);
  await write(join(directory, 'node-shims'), Object.fromEntries(names));
  // The loader imports the transform by its package name.
  const transform = join(directory, 'node_modules/@turntable/transform');
  await write(join(transform, 'dist'), {
    index: join(root, 'packages/transform/src/index.ts'),
    'source-map': join(root, 'packages/transform/src/source-map.ts'),
  });
  const manifest = {
    name: '@turntable/transform',
    version: '0.0.0-interruption',
    type: 'module',
    exports: { '.': './dist/index.js', './source-map': './dist/source-map.js' },
  };
  writeFileSync(join(transform, 'package.json'), JSON.stringify(manifest));
  return {
    register: join(directory, 'register.js'),
    preload: join(directory, 'preload.js'),
    resume: join(directory, 'resume.js'),
    compileCache: join(directory, 'compiled'),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

async function write(directory: string, input: Record<string, string>): Promise<void> {
  const bundle = await rolldown({
    input,
    external: (id) => /^[^./]/.test(id) && (!/^@?turntable\b/.test(id) || id === '@turntable/transform'),
    platform: 'node',
    resolve: { conditionNames: ['turntable-source', 'import', 'node'] },
    treeshake: false,
  });
  await bundle.write({ dir: directory, chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
}

/** Removes bundles of runs that were killed. */
function removeLeftovers(built: string): void {
  for (const name of existsSync(built) ? readdirSync(built) : []) {
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))))
      rmSync(join(built, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
