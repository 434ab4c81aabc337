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

/** With `plugin` its tests get a Fastify that has the plugin of Turntable, and runs outside where it is recorded. */
export function stage(published: Published, directory: string, { plugin = false } = {}): Stage {
  const home = realpathSync(join(MODULES, published.name));
  const [tests = ''] = published.files.split('/', 1);
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(home)) {
    if (name === tests) cpSync(join(home, name), join(directory, name), { recursive: true });
    else if (name !== 'node_modules') symlinkSync(join(home, name), join(directory, name));
  }
  symlinkSync(MODULES, join(directory, 'node_modules'));
  if (plugin) withPlugin(directory, home);
  const all = globSync(published.files, { cwd: directory }).toSorted();
  const without = all.flatMap((file): (readonly [string, string])[] => {
    const why = whyNot(published, directory, file);
    return why === undefined ? [] : [[file, why]];
  });
  const left = new Set(without.map(([file]) => file));
  return { directory, files: all.filter((file) => !left.has(file)), without };
}

/** Why a file is not run: the list says so, or it asks for a package that is not installed here. */
function whyNot({ files, without = {} }: Published, directory: string, file: string): string | undefined {
  const [tests = ''] = files.split('/', 1);
  const below = file.slice(tests.length + 1);
  const [, why] = Object.entries(without).find(([prefix]) => below.startsWith(prefix)) ?? [];
  if (why !== undefined) return why;
  const missing = [...packagesOf(join(directory, file), new Set())].filter((name) => !existsSync(join(MODULES, name)));
  return missing.length === 0 ? undefined : `needs ${missing.toSorted().join(', ')}`;
}

const IMPORTED = /(?:\brequire\(|\bfrom\s+|\bimport\(?\s*|\bproxyquire\()\s*['"]([^'"]+)['"]/g;

/** By what stands in it, and in the files beside it that it imports. */
function packagesOf(path: string, seen: Set<string>): Set<string> {
  const found = new Set<string>();
  if (seen.has(path)) return found;
  seen.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(IMPORTED)) {
    if (name.startsWith('.')) {
      const beside = ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => resolve(dirname(path), name) + end);
      const file = beside.find((each) => existsSync(each) && statSync(each).isFile());
      // What the package itself needs is installed with it.
      if (file !== undefined && !realpathSync(file).includes('node_modules') && file.endsWith('js'))
        for (const each of packagesOf(file, seen)) found.add(each);
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
