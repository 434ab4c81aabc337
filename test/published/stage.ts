// Directory in which published tests run. It is outside of node_modules, so that the tests count as the program's own
// files, with links to the package. The file that they load with `require('../lib/request')` is therefore the one that
// `require('fastify')` loads.
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
import type { PublishedPackage } from './packages.ts';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface Stage {
  readonly directory: string;
  /** Test files, relative to `directory`. */
  readonly files: readonly string[];
  /** Excluded test files, with reasons. */
  readonly excludedFiles: readonly (readonly [file: string, reason: string])[];
}

export interface StageOptions {
  /** Gives the tests a Fastify with Turntable's plugin, which runs natively when it is recorded. */
  readonly plugin?: boolean;
  /** A node_modules directory with further packages. */
  readonly modules?: string | undefined;
}

/** @param parent an empty directory */
export function stagePackage(
  published: PublishedPackage,
  parent: string,
  { plugin = false, modules }: StageOptions = {},
): Stage {
  const directory = join(parent, 'package');
  const source = realpathSync(join(MODULES, published.name));
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(source)) {
    if (name === testFolderOf(published)) cpSync(join(source, name), join(directory, name), { recursive: true });
    else if (name !== 'node_modules') symlinkSync(join(source, name), join(directory, name));
  }
  symlinkSync(MODULES, join(directory, 'node_modules'));
  if (modules !== undefined) symlinkSync(resolve(modules), join(parent, 'node_modules'));
  if (plugin) addPlugin(directory, source);
  return filesIn(directory, published);
}

export function stageCheckout(published: PublishedPackage, checkout: string): Stage {
  return filesIn(join(realpathSync(checkout), published.checkoutPath ?? ''), published);
}

function filesIn(directory: string, published: PublishedPackage): Stage {
  const all = globSync(published.files, { cwd: directory }).toSorted();
  const excludedFiles = all.flatMap((file): (readonly [string, string])[] => {
    const reason = exclusionReason(published, directory, file);
    return reason === undefined ? [] : [[file, reason]];
  });
  const excludedNames = new Set(excludedFiles.map(([file]) => file));
  return { directory, files: all.filter((file) => !excludedNames.has(file)), excludedFiles };
}

function testFolderOf({ files }: PublishedPackage): string {
  return files.slice(0, files.indexOf('/'));
}

/** Reason to exclude a file: it is listed as excluded, or a required package is not installed. */
function exclusionReason(published: PublishedPackage, directory: string, file: string): string | undefined {
  const tests = testFolderOf(published);
  const below = file.slice(tests.length + 1);
  const [, reason] = Object.entries(published.excluded ?? {}).find(([prefix]) => below.startsWith(prefix)) ?? [];
  if (reason !== undefined) return reason;
  const needed = requiredPackages(join(directory, file), join(directory, tests), new Set());
  const missing = [...needed].filter((name) => !isInstalled(name, directory));
  return missing.length === 0 ? undefined : `needs ${missing.toSorted().join(', ')}`;
}

function isInstalled(name: string, directory: string): boolean {
  if (existsSync(join(directory, 'node_modules', name))) return true;
  const above = dirname(directory);
  return above !== directory && isInstalled(name, above);
}

const IMPORT_PATTERN = /(?:\brequire\(|\bfrom\s+|\bimport\(?\s*|\bproxyquire\()\s*['"]([^'"]+)['"]/g;

/** Packages required by a file and by the test files that it imports. The package's own dependencies are installed. */
function requiredPackages(path: string, tests: string, seen: Set<string>): Set<string> {
  const found = new Set<string>();
  if (seen.has(path)) return found;
  seen.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(IMPORT_PATTERN)) {
    if (name.startsWith('.')) {
      const beside = ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => resolve(dirname(path), name) + end);
      const file = beside.find((each) => existsSync(each) && statSync(each).isFile());
      if (file?.endsWith('js') === true && file.startsWith(tests))
        for (const each of requiredPackages(file, tests, seen)) found.add(each);
    } else if (/^(@[\w.-]+\/)?[\w.-]+/.test(name) && !isBuiltin(name)) {
      found.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return found;
}

function addPlugin(directory: string, source: string): void {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as object;
  const own = { ...manifest, dependencies: { fastify: '*', '@turntable/fastify': '*' } };
  for (const name of ['package.json', 'fastify.js']) rmSync(join(directory, name));
  writeFileSync(join(directory, 'package.json'), JSON.stringify(own));
  writeFileSync(join(directory, 'fastify.js'), FASTIFY_WITH_PLUGIN);
}

const FASTIFY_WITH_PLUGIN = `'use strict'
const Fastify = require('fastify')
const { turntable } = require('@turntable/fastify')
function fastify (...options) {
  const app = Fastify(...options)
  app.register(turntable)
  return app
}
module.exports = Object.assign(fastify, Fastify, { fastify, default: fastify })
`;
