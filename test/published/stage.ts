// Where published tests are run: a directory outside of node_modules, in which they are the program's own files, beside links to the package that they are of. So what
// they load by `require('../lib/request')` is the very file that `require('fastify')` loads.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Published } from './packages.ts';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface Stage {
  readonly directory: string;
  /** In it. */
  readonly files: readonly string[];
  /** Files that are not run, with the reason. */
  readonly without: readonly (readonly [file: string, why: string])[];
}

export interface StageOptions {
  /** Its tests get a Fastify that has the plugin of Turntable, and runs outside where it is recorded. */
  readonly plugin?: boolean;
  /** A directory of packages besides those that are installed here. */
  readonly modules?: string | undefined;
}

/** `place`: a directory that is empty. */
export function stage(published: Published, place: string, { plugin = false, modules }: StageOptions = {}): Stage {
  const directory = join(place, 'package');
  const home = realpathSync(join(MODULES, published.name));
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(home)) {
    if (name === testsOf(published)) cpSync(join(home, name), join(directory, name), { recursive: true });
    else if (name !== 'node_modules') symlinkSync(join(home, name), join(directory, name));
  }
  symlinkSync(MODULES, join(directory, 'node_modules'));
  if (modules !== undefined) symlinkSync(resolve(modules), join(place, 'node_modules'));
  if (plugin) withPlugin(directory, home);
  return filesIn(directory, published);
}

export function stageOfCheckout(published: Published, checkout: string): Stage {
  return filesIn(join(realpathSync(checkout), published.within ?? ''), published);
}

function filesIn(directory: string, published: Published): Stage {
  const all = globSync(published.files, { cwd: directory }).toSorted();
  const without = all.flatMap((file): (readonly [string, string])[] => {
    const why = whyNot(published, directory, file);
    return why === undefined ? [] : [[file, why]];
  });
  const left = new Set(without.map(([file]) => file));
  return { directory, files: all.filter((file) => !left.has(file)), without };
}

function testsOf({ files }: Published): string {
  return files.slice(0, files.indexOf('/'));
}

/** Why a file is not run: the list says so, or it asks for a package that is not there. */
function whyNot(published: Published, directory: string, file: string): string | undefined {
  const tests = testsOf(published);
  const below = file.slice(tests.length + 1);
  const [, why] = Object.entries(published.without ?? {}).find(([prefix]) => below.startsWith(prefix)) ?? [];
  if (why !== undefined) return why;
  const needed = packagesOf(join(directory, file), join(directory, tests), new Set());
  const missing = [...needed].filter((name) => !isInstalled(name, directory));
  return missing.length === 0 ? undefined : `needs ${missing.toSorted().join(', ')}`;
}

function isInstalled(name: string, directory: string): boolean {
  if (existsSync(join(directory, 'node_modules', name))) return true;
  const above = dirname(directory);
  return above !== directory && isInstalled(name, above);
}

const IMPORTED = /(?:\brequire\(|\bfrom\s+|\bimport\(?\s*|\bproxyquire\()\s*['"]([^'"]+)['"]/g;

/** By what stands in it, and in the files of the tests that it imports; what the package itself needs is there. */
function packagesOf(path: string, tests: string, seen: Set<string>): Set<string> {
  const found = new Set<string>();
  if (seen.has(path)) return found;
  seen.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(IMPORTED)) {
    if (name.startsWith('.')) {
      const beside = ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => resolve(dirname(path), name) + end);
      const file = beside.find((each) => existsSync(each) && statSync(each).isFile());
      if (file?.endsWith('js') === true && file.startsWith(tests))
        for (const each of packagesOf(file, tests, seen)) found.add(each);
    } else if (/^(@[\w.-]+\/)?[\w.-]+/.test(name) && !isBuiltin(name)) {
      found.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return found;
}

function withPlugin(directory: string, home: string): void {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object;
  const own = { ...manifest, dependencies: { fastify: '*', '@turntable/fastify': '*' } };
  for (const name of ['package.json', 'fastify.js']) rmSync(join(directory, name));
  writeFileSync(join(directory, 'package.json'), JSON.stringify(own));
  writeFileSync(join(directory, 'fastify.js'), WITH_PLUGIN);
}

const WITH_PLUGIN = `'use strict'
const Fastify = require('fastify')
const { turntable } = require('@turntable/fastify')
function fastify (...options) {
  const app = Fastify(...options)
  app.register(turntable)
  return app
}
module.exports = Object.assign(fastify, Fastify, { fastify, default: fastify })
`;
