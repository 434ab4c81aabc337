import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cyclesOf,
  importsOf,
  readImports,
  shortestCycle,
  sourceFiles,
  type Import,
} from '../../scripts/import-graph.ts';
import { root } from '../../scripts/node-release.mjs';
import { DEPENDENCIES, CYCLES, FOLDERS, REEXPORTS, RUN_TIME_CYCLES, type AllowedCycle } from './structure.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly 'turntable-source': string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const KIND_NOTES = { static: '', dynamic: ' (dynamic import)', type: ' (types only)' } as const;
const arrowText = ({ from, line, file, specifier, kind }: Import) =>
  `${from}:${line} -> ${file ?? specifier}${KIND_NOTES[kind]}`;

/** Differences between the cycles of these imports and the allowed ones, with remedies. */
function cycleErrors(imports: readonly Import[], table: readonly AllowedCycle[]): string[] {
  const cycles = cyclesOf(imports).map((files) => new Set(files));
  const allowed = table.map(
    ({ folder, files }) =>
      new Set(
        files
          .trim()
          .split(/\s+/)
          .map((file) => `${folder}/${file}`),
      ),
  );
  const errors: string[] = [];
  for (const cycle of cycles) {
    const [known = new Set<string>()] = allowed.toSorted(
      (a, b) => b.intersection(cycle).size - a.intersection(cycle).size,
    );
    const added = cycle.difference(known);
    const isNew = added.size === cycle.size;
    for (const file of isNew ? [...added].slice(0, 1) : added) {
      const problem = isNew
        ? `${cycle.size} files are a new cycle`
        : `${file} is new in a cycle of ${cycle.size} files`;
      const arrows = shortestCycle(imports, file).map((each) => `\n  ${arrowText(each)}`);
      errors.push(`${problem}: remove one of these imports, or allow the cycle in structure.ts${arrows.join('')}`);
    }
  }
  const inCycles = new Set(cycles.flatMap((cycle) => [...cycle]));
  for (const file of allowed.flatMap((cycle) => [...cycle.difference(inCycles)])) {
    errors.push(`${file} is no longer in a cycle: remove it from structure.ts`);
  }
  return errors;
}

/** The package of a bare specifier: '@turntable/core' of '@turntable/core/undo'. */
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
const isBare = ({ specifier }: Import) => !/^(?:\.|node:)/.test(specifier) && !isBuiltin(specifier);
const folderOf = (file: string) => file.split('/', 2).join('/');
/** The name of a folder's package in structure.ts. */
const shortName = (folder: string) => folder.slice(folder.indexOf('/') + 1);

const manifests = new Map(
  ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => [folder, JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest]),
);
const folders = [...manifests.keys()];
const sources = folders.map((folder) => `${folder}/src`);
const imports = readImports(root, sourceFiles(root, sources));
const shortNames = new Map([...manifests].map(([folder, { name }]) => [name, shortName(folder)]));
/** The workspace package that is imported by name, if any. */
const workspacePackage = ({ specifier }: Import) => shortNames.get(packageOf(specifier));
const packageArrow = (each: Import) => `${shortName(folderOf(each.from))} -> ${workspacePackage(each)}`;

describe('the sources', () => {
  test('have no unlisted cycle of files at run time', () => {
    const atRunTime = imports.filter(({ kind }) => kind === 'static');
    expect(cycleErrors(atRunTime, RUN_TIME_CYCLES)).toEqual([]);
  });

  test('have no unlisted cycle of files with types', () => {
    expect(cycleErrors(imports, CYCLES)).toEqual([]);
  });

  test('import other packages only along an arrow', () => {
    const forbidden = imports.filter((each) => {
      const target = workspacePackage(each);
      return target !== undefined && !DEPENDENCIES[shortName(folderOf(each.from))]?.includes(target);
    });
    expect(forbidden.map((each) => `structure.ts has no arrow for ${arrowText(each)}`)).toEqual([]);
  });

  test('use every listed arrow between packages', () => {
    const used = new Set(imports.map(packageArrow));
    const listed = Object.entries(DEPENDENCIES).flatMap(([from, targets]) =>
      targets.map((target) => `${from} -> ${target}`),
    );
    expect(listed.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  test('have downward arrows only: each row names packages of rows above it', () => {
    const order = Object.keys(DEPENDENCIES);
    expect(order.toSorted()).toEqual(folders.map(shortName).toSorted());
    for (const [from, targets] of Object.entries(DEPENDENCIES)) {
      expect(order.slice(0, order.indexOf(from)), from).toEqual(expect.arrayContaining([...targets]));
    }
  });

  test('import other packages by name, never by path', () => {
    const byPath = imports.filter(({ from, file }) => file !== undefined && folderOf(file) !== folderOf(from));
    expect(byPath.map(arrowText)).toEqual([]);
  });

  test.each(Object.entries(FOLDERS))('import in %s from the same folder or from folders below', (name, order) => {
    const levelOf = (file: string): number => order.indexOf(file.split('/')[3] ?? '');
    const upward = imports.filter(
      ({ from, file }) =>
        from.startsWith(`packages/${name}/src/`) &&
        levelOf(from) !== -1 &&
        file?.startsWith(`packages/${name}/src/`) === true &&
        levelOf(file) > levelOf(from),
    );
    expect(upward.map(arrowText)).toEqual([]);
  });

  test('re-export through public entry points only what is listed', () => {
    const doors = new Set(
      [...manifests].flatMap(([folder, manifest]) =>
        Object.values(manifest.exports ?? {}).map((each) => join(folder, each['turntable-source'])),
      ),
    );
    const listed = new Set(REEXPORTS.map(({ from, exported }) => `${from} -> ${exported}`));
    const found = imports
      .filter((each) => each.isReexport && doors.has(each.from) && workspacePackage(each) !== undefined)
      .map((each) => ({ arrow: packageArrow(each), text: arrowText(each) }));
    expect(found.filter(({ arrow }) => !listed.has(arrow)).map(({ text }) => text)).toEqual([]);
    expect(listed.difference(new Set(found.map(({ arrow }) => arrow)))).toEqual(new Set());
  });
});

describe.each(folders)('%s', (folder) => {
  const { dependencies, peerDependencies, devDependencies } = manifests.get(folder) as Manifest;
  const needed = new Set(
    imports.filter((each) => folderOf(each.from) === folder && isBare(each)).map((each) => packageOf(each.specifier)),
  );

  test('depends on exactly the packages that its sources import', () => {
    // Applications are bundled, so their imports are needed at build time only.
    if (folder.startsWith('apps/'))
      expect(Object.keys(devDependencies ?? {})).toEqual(expect.arrayContaining([...needed]));
    else expect(Object.keys({ ...dependencies, ...peerDependencies }).toSorted()).toEqual([...needed].toSorted());
  });
});

describe('the check', () => {
  const graph = (files: Record<string, string>) =>
    Object.entries(files).flatMap(([name, text]) => importsOf(name, text));

  test('names every arrow of a new cycle, with its line and whether it is type-only', () => {
    const files = {
      'p/a.ts': "import './x.ts';\nimport { b } from './b.ts';",
      'p/b.ts': "export type { C } from './c.ts';",
      'p/c.ts': "type A = typeof import('./a.ts');",
    };
    expect(cycleErrors(graph(files), [])).toEqual([
      '3 files are a new cycle: remove one of these imports, or allow the cycle in structure.ts\n' +
        '  p/a.ts:2 -> p/b.ts\n  p/b.ts:1 -> p/c.ts (types only)\n  p/c.ts:1 -> p/a.ts (types only)',
    ]);
  });

  test('names the file that extends a listed cycle, and files that have left it', () => {
    const files = {
      'p/a.ts': "import './b.ts'",
      'p/b.ts': "import './a.ts'; import './c.ts'",
      'p/c.ts': "import './a.ts'",
    };
    const listed = [{ folder: 'p', files: 'a.ts b.ts gone.ts', reason: '' }];
    expect(cycleErrors(graph(files), listed)).toEqual([
      'p/c.ts is new in a cycle of 3 files: remove one of these imports, or allow the cycle in structure.ts\n' +
        '  p/c.ts:1 -> p/a.ts\n  p/a.ts:1 -> p/b.ts\n  p/b.ts:1 -> p/c.ts',
      'p/gone.ts is no longer in a cycle: remove it from structure.ts',
    ]);
    expect(cycleErrors(graph(files), [{ folder: 'p', files: 'a.ts b.ts\n c.ts', reason: '' }])).toEqual([]);
  });

  test('recognizes all forms of imports, and that a value import of only types is still evaluated', () => {
    const text = `
import { type T } from './inline.ts'; import type { U } from './type.ts'; import './effect.ts';
export * from './all.ts'; export type * from './all-types.ts';
import { v, w } from '@turntable/v'; export { v };
const later = () => import('./later.ts'); type Q = import('./query.ts').Q;`;
    expect(importsOf('p/src/a.ts', text).map(arrowText)).toEqual([
      'p/src/a.ts:2 -> p/src/inline.ts',
      'p/src/a.ts:2 -> p/src/type.ts (types only)',
      'p/src/a.ts:2 -> p/src/effect.ts',
      'p/src/a.ts:3 -> p/src/all.ts',
      'p/src/a.ts:3 -> p/src/all-types.ts (types only)',
      'p/src/a.ts:4 -> @turntable/v',
      'p/src/a.ts:5 -> p/src/later.ts (dynamic import)',
      'p/src/a.ts:5 -> p/src/query.ts (types only)',
    ]);
    const reexports = importsOf('p/src/a.ts', text).filter((each) => each.isReexport);
    expect(reexports.map(({ specifier }) => specifier)).toEqual(['./all.ts', './all-types.ts', '@turntable/v']);
  });

  test('ignores dynamic imports in cycles', () => {
    expect(cyclesOf(graph({ 'a.ts': "import './b.ts'", 'b.ts': "await import('./a.ts')" }))).toEqual([]);
  });
});
