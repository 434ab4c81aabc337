// ARCHITECTURE.md names files and functions; these tests fail when one of them is moved or renamed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/node-release.mjs';
import { DEPENDENCIES } from './structure.ts';

const PAGE = 'ARCHITECTURE.md';

interface Item {
  readonly line: number;
  readonly text: string;
}

interface Walk {
  readonly title: string;
  readonly items: readonly Item[];
}

/** The sections of a page that describe walks, each with its numbered items on one line. */
function walksOf(page: string): Walk[] {
  const walks: { title: string; items: Item[] }[] = [];
  let items: Item[] = [];
  for (const [index, line] of page.split('\n').entries()) {
    const last = items.at(-1);
    if (line.startsWith('## ')) items = [];
    if (line.startsWith('## Walk: ')) walks.push({ title: line.slice('## Walk: '.length), items });
    else if (/^\d+\. /.test(line)) items.push({ line: index + 1, text: line.replace(/^\d+\. /, '') });
    else if (line.startsWith('  ') && last !== undefined)
      items[items.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
  }
  return walks;
}

const ITEM = /^`([^`]+)`((?: → `[^`]+`)+)(?:: [^`]*(?:`[^`]+`[^`]*)*)?$/;

/** @param definitionsIn returns the names that a file defines, or undefined if there is no such file */
function itemErrors({ line, text }: Item, definitionsIn: (file: string) => ReadonlySet<string> | undefined): string[] {
  const location = `${PAGE}:${line}`;
  const [, file = '', names = ''] = ITEM.exec(text) ?? [];
  if (file === '')
    return [`${location}: write the item as \`path/from/root.ts\` → \`functionName\`: clause, not ${text}`];
  const definitions = definitionsIn(file);
  if (definitions === undefined) return [`${location}: there is no file ${file}`];
  return [...names.matchAll(/`([^`]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !definitions.has(name))
    .map((name) => `${location}: ${file} defines no function, method or class ${name}`);
}

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

const FUNCTIONS = ['FunctionExpression', 'ArrowFunctionExpression', 'ClassExpression'];
const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

interface Definition {
  readonly name: string;
  /** True for functions, methods and classes; false for objects with methods. */
  readonly isCode: boolean;
}

function definitionOf(node: SyntaxNode): Definition | undefined {
  const { type } = node;
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return definition(node['id'], node);
  if (type === 'VariableDeclarator') return definition(node['id'], node['init']);
  const isMember = type === 'MethodDefinition' || type === 'PropertyDefinition' || type === 'Property';
  return isMember && node['computed'] !== true ? definition(node['key'], node['value']) : undefined;
}

function definition(key: unknown, value: unknown): Definition | undefined {
  if (!isNode(key) || !isNode(value)) return undefined;
  const isCode = value.type.endsWith('Declaration') || FUNCTIONS.includes(value.type);
  if (!isCode && value.type !== 'ObjectExpression') return undefined;
  if (key.type === 'Identifier') return { name: String(key['name']), isCode };
  return key.type === 'PrivateIdentifier' ? { name: `#${String(key['name'])}`, isCode } : undefined;
}

/**
 * Functions, methods and classes of a file, as 'evaluate', 'Recorder.#take', or 'installHooks.load' for an inner one.
 */
function definitionsOf(file: string, text: string): Set<string> {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const found = new Set<string>();
  const visit = (value: unknown, scope: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, scope);
    if (!isNode(value)) return;
    const defined = definitionOf(value);
    if (defined?.isCode === true) found.add(scope + defined.name);
    const inner = defined === undefined ? scope : `${scope}${defined.name}.`;
    for (const each of Object.values(value)) visit(each, inner);
  };
  visit(program, '');
  return found;
}

interface Row {
  readonly line: number;
  readonly folder: string;
  /** Names in the third column; empty if there is none. */
  readonly imports: readonly string[];
}

function packageRows(page: string): Row[] {
  return page.split('\n').flatMap((text, index) => {
    const [, folder, imports = ''] = /^\| \[`([^`]+)`\]\(\1\) \| [^|]+\|(?: ([^|]*)\|)?$/.exec(text) ?? [];
    return folder === undefined ? [] : [{ line: index + 1, folder, imports: imports.match(/[\w-]+/g) ?? [] }];
  });
}

const shortName = (folder: string) => folder.slice(folder.indexOf('/') + 1);

function tableErrors(
  rows: readonly Row[],
  folders: readonly string[],
  arrows: Readonly<Record<string, readonly string[]>>,
): string[] {
  const listed = rows.map(({ folder }) => folder);
  const above = new Set<string>();
  const errors = folders
    .filter((folder) => !listed.includes(folder))
    .map((folder) => `${PAGE}: the table of packages has no row for ${folder}`);
  for (const { line, folder } of rows) {
    const name = shortName(folder);
    if (!folders.includes(folder)) errors.push(`${PAGE}:${line}: there is no package ${folder}`);
    if (above.has(name)) errors.push(`${PAGE}:${line}: ${folder} has two rows`);
    for (const imported of arrows[name] ?? [])
      if (!above.has(imported)) errors.push(`${PAGE}:${line}: move ${folder} below ${imported}, which it imports`);
    above.add(name);
  }
  return errors;
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('ARCHITECTURE.md', () => {
  const page = read(PAGE);
  const walks = walksOf(page);
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const definitionsIn = (file: string): ReadonlySet<string> | undefined => {
    if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? definitionsOf(file, read(file)) : undefined);
    return known.get(file);
  };

  test('has the five walks', () => {
    expect(walks.map(({ title }) => title)).toEqual([
      'a host call',
      'a message and its answer',
      'a snapshot',
      'one statement back',
      'a file from `import` to transformed code',
    ]);
  });

  test.each(walks)('names only files and functions that exist in the walk: $title', ({ items }) => {
    expect(items.length).toBeGreaterThan(0);
    expect(items.flatMap((item) => itemErrors(item, definitionsIn))).toEqual([]);
  });

  test('names the imports of every package', () => {
    const named = packageRows(page).map(({ folder, imports }) => [shortName(folder), imports]);
    expect(Object.fromEntries(named)).toEqual(DEPENDENCIES);
  });

  test('lists every package below its dependencies', () => {
    const folders = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
    expect(tableErrors(packageRows(page), [...folders, 'apps/debugger'], DEPENDENCIES)).toEqual([]);
  });
});

describe('the check', () => {
  const source = `
export class Door { open() {} #lock = () => {}; static size = 1; }
export function build(): object { function inner() {} return { paint() {}, 'a b'() {}, ring: () => inner }; }
const knock = () => {}; const gate = hang({ swing() {} }); const bell = { press: () => {}, loud: true }; const Wall = class { lean() {} };
interface Roof { raise(): void } declare function later(): void;`;

  test('finds functions, methods and classes, with the names of enclosing ones', () => {
    const names =
      'Door Door.open Door.#lock build build.inner build.paint build.ring knock swing bell.press Wall Wall.lean';
    expect(definitionsOf('house.ts', source)).toEqual(new Set(names.split(' ')));
  });

  test('reports the line of a missing file, a missing function and a malformed item', () => {
    const [walk] = walksOf(
      [
        '## Walk: in',
        'One sentence.',
        '1. `house.ts` → `Door.open` →',
        '   `Door.shut`: the `door`',
        '2. `gone.ts` → `build`',
        '3. `house.ts`: enters',
        '## Else',
        '4. `gone.ts`',
      ].join('\n'),
    );
    const definitionsIn = (file: string) => (file === 'house.ts' ? definitionsOf(file, source) : undefined);
    expect(walk?.items.flatMap((item) => itemErrors(item, definitionsIn))).toEqual([
      'ARCHITECTURE.md:3: house.ts defines no function, method or class Door.shut',
      'ARCHITECTURE.md:5: there is no file gone.ts',
      'ARCHITECTURE.md:6: write the item as `path/from/root.ts` → `functionName`: clause, not `house.ts`: enters',
    ]);
  });

  test('reports missing, unknown, repeated and misplaced rows of the package table', () => {
    const rows = packageRows(
      ['roof', 'wall', 'moat', 'wall']
        .map((name) => `| [\`packages/${name}\`](packages/${name}) | a ${name} |`)
        .join('\n'),
    );
    const arrows = { floor: [], wall: [], roof: ['wall'] };
    expect(tableErrors(rows, ['packages/floor', 'packages/wall', 'packages/roof'], arrows)).toEqual([
      'ARCHITECTURE.md: the table of packages has no row for packages/floor',
      'ARCHITECTURE.md:1: move packages/roof below wall, which it imports',
      'ARCHITECTURE.md:3: there is no package packages/moat',
      'ARCHITECTURE.md:4: packages/wall has two rows',
    ]);
  });
});
