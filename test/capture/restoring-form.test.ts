// The restoring form of all program fixtures, with everything selected, must compile, and every name that the transform
// introduces must be declared where it is used.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { transform, type CodeTable, type TransformOptions } from '@turntable/transform';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../programs/fixtures/', import.meta.url));
const files = globSync('**/*.{js,mjs,cjs,ts,mts,cts}', { cwd: root }).filter((file) => !file.includes('node_modules'));
const areas = Map.groupBy(files.toSorted(), (file) => file.split('/')[0] ?? '');

for (const [area, paths] of areas) {
  test.for(paths)(`restores all functions and classes of %s`, (file) => {
    const restored = restoringForm(readFileSync(join(root, file), 'utf8'), file);
    if (restored === undefined) return;
    expect(() => new Script(restored)).not.toThrow();
    expect(undeclared(restored)).toEqual([]);
  });
  test(`finds programs in ${area}`, () => expect(paths).not.toEqual([]));
}

describe('the scaffolding around a restored function', () => {
  test('keeps variables named like inherited object members', () => {
    const source = 'exports.has = (({ hasOwnProperty, valueOf }) => (o) => [hasOwnProperty.call(o), valueOf])({});';
    const code = restoringForm(source, 'a.cjs') ?? '';
    expect(() => new Script(code)).not.toThrow();
    expect(code).toMatch(/var hasOwnProperty, valueOf;/);
  });

  test('does not evaluate computed keys again', () => {
    const code = restoringForm("exports.o = { ['a' + b()]: function* () {}, async ['c' + d()]() {} };", 'a.cjs') ?? '';
    expect(code).not.toMatch(/[bd]\(\)/);
    expect(undeclared(code)).toEqual([]);
  });

  test('rejects a second `super()` in an arrow function', () => {
    const code =
      restoringForm('class B extends A { constructor() { super(); this.f = () => super(); } }', 'a.cjs') ?? '';
    expect(code).toMatch(/superAgain\)\(\)/);
  });

  test('keeps the home object of a suspended method that uses `super`', () => {
    const { functions } = tableOf('exports.o = { async m() { await 0; return super.m(); } };', 'a.cjs') as CodeTable;
    const { slots, points } = functions[0]?.step ?? { slots: [], points: [] };
    expect(points.map(({ live }) => live.map((slot) => slots[slot]))).toEqual([['this', '$$o0']]);
  });
});

function optionsFor(source: string, path: string): TransformOptions {
  const isModule = /\.m[jt]s$/.test(path) || (!/\.c[jt]s$/.test(path) && /^(import|export)\s/m.test(source));
  return { path, kind: isModule ? 'module' : 'commonjs', lenient: true };
}

/** Returns undefined for a file that is not transformed. */
function tableOf(source: string, path: string): CodeTable | undefined {
  try {
    return transform(source, optionsFor(source, path)).table;
  } catch {
    return undefined;
  }
}

function restoringForm(source: string, path: string): string | undefined {
  const table = tableOf(source, path);
  if (table === undefined) return undefined;
  // Methods are restored with their class.
  const functions = table.functions.flatMap(({ member }, ordinal) => (member === null ? [ordinal] : []));
  const restore = { functions, classes: [...table.classes.keys()] };
  return transform(source, { ...optionsFor(source, path), restore }).code;
}

/** Temporaries of each factory that neither the factory nor the head of the file declares. */
function undeclared(code: string): string[] {
  const [head = '', ...factories] = code.split(/\n(?=\d+: \(\$\$k)/);
  const headNames = declared(head);
  return factories.flatMap((factory) => {
    const factoryNames = declared(factory);
    const used = new Set([...factory.matchAll(/\$\$t\d+/g)].map(([name]) => name));
    return [...used]
      .filter((name) => !factoryNames.has(name) && !headNames.has(name))
      .map((name) => `${name}: ${factory}`);
  });
}

function declared(code: string): Set<string> {
  const lists = [...code.matchAll(/\b(?:let|const|var) ([^;=]*?)[;=]/g)];
  return new Set(lists.flatMap(([, names = '']) => names.split(',').map((name) => name.trim())));
}
