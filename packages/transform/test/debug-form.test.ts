/*
 * Debug mode changes nothing but by its probes and barriers: without them its code is that of a recording, the form that restores included, and the tables
 * are equal except for the statements. So a state of either form resumes in the other.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { transform, type TransformOptions, type TransformResult } from '@turntable/transform';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = [
  ...globSync('test/programs/fixtures/**/*.{js,mjs,cjs,ts,mts,cts}', { cwd: root }),
  ...globSync('bench/awfy/{programs,micro}/*.ts', { cwd: root }),
  ...globSync('packages/transform/test/golden/*.{js,mjs}', { cwd: root }),
].filter((file) => !file.includes('node_modules'));
const folders = Map.groupBy(files.toSorted(), (file) => file.split('/').slice(0, 4).join('/'));

type Tree = { readonly type: string; readonly [key: string]: unknown };

describe('debug code without its probes equals recorded code', () => {
  test.for([...folders])('%s', ([, paths]) => {
    for (const [index, file] of paths.entries()) {
      const source = readFileSync(join(root, file), 'utf8');
      const options = optionsFor(source, file);
      const plain = tryTransform(source, options);
      if (plain === undefined) continue;
      const debug = transform(source, { ...options, debug: true });
      expectSame(file, plain, debug);
      expect(probesIn(debug), file).toBe(debug.table.statements.length);
      // Of some: the form is made by the same emitters, which is what takes its time here.
      if (index % 5 !== 0) continue;
      // Methods of classes come with their class.
      const functions = plain.table.functions.flatMap(({ member }, ordinal) => (member === null ? [ordinal] : []));
      const restore = { functions, classes: [...plain.table.classes.keys()] };
      expectSame(
        file,
        transform(source, { ...options, restore }),
        transform(source, { ...options, restore, debug: true }),
      );
    }
  });
});

describe('code without probes', () => {
  const statementsOf = (source: string): number =>
    transform(source, { path: 'a.cjs', kind: 'commonjs', lenient: true, debug: true }).table.statements.length;

  test('a file that uses their names stays unchanged', () => {
    expect(statementsOf('typeof window;')).toBe(1);
    expect(statementsOf('typeof tt$c;')).toBe(0);
  });

  test('names inside `with` are looked up in the order of the program', () => {
    expect(statementsOf('with (o) { a(); b(() => c()); }')).toBe(1);
  });
});

function optionsFor(source: string, path: string): TransformOptions {
  const isModule = /\.m[jt]s$/.test(path) || (!/\.c[jt]s$/.test(path) && /^(import|export)\s/m.test(source));
  return { path, kind: isModule ? 'module' : 'commonjs', lenient: true };
}

/** Nothing for a file that is not to be transformed. */
function tryTransform(source: string, options: TransformOptions): TransformResult | undefined {
  try {
    return transform(source, options);
  } catch {
    return undefined;
  }
}

function expectSame(file: string, plain: TransformResult, debug: TransformResult): void {
  expect(plain.table.statements).toEqual([]);
  expect({ ...debug.table, statements: [] }, file).toEqual(plain.table);
  expect(JSON.stringify(withoutProbes(treeOf(debug.code))), file).toBe(
    JSON.stringify(withoutProbes(treeOf(plain.code))),
  );
}

/** The code has every number of the table. */
function probesIn({ code }: TransformResult): number {
  return new Set([...code.matchAll(/tt\$h\("[^"]*", (\d+)/g)].map(([, number]) => Number(number))).size;
}

function treeOf(code: string): Tree {
  const { program, errors } = parseSync('code.js', code, { sourceType: 'script', preserveParens: false });
  expect(errors).toEqual([]);
  return program as unknown as Tree;
}

// ── Trees without probes ─────────────────────────────────────────────────────────────────────────────────────────────────

const BODIES = new Set(['consequent', 'alternate', 'body']);
const WITH_BODIES = /^(If|For|ForIn|ForOf|While|DoWhile)Statement$/;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** In a `catch` without a parameter, or with a pattern. */
const CAUGHT = 'tt$x';

function isCaughtHook(value: unknown): boolean {
  return isTree(value) && value.type === 'CallExpression' && (value['callee'] as Tree)['name'] === 'tt$e';
}

function isProbe(value: unknown): boolean {
  if (!isTree(value) || value.type !== 'LogicalExpression' || !isTree(value['left'])) return false;
  const { name, argument } = value['left'];
  return name === 'tt$s' || name === 'tt$w' || (isTree(argument) && argument['name'] === 'tt$c');
}

/** `$$F.kept = { … }`. */
function keepsVariables(value: unknown): boolean {
  return isTree(value) && value.type === 'AssignmentExpression' && isKept(value['left']);
}

function isKept(value: unknown): boolean {
  return isTree(value) && ((value['property'] ?? {}) as Tree)['name'] === 'kept';
}

/** A statement that restores kept variables, or copies them before a block with the same names. */
function restoresVariables({ type, test, consequent, alternate, declarations }: Tree): boolean {
  if (type === 'VariableDeclaration') {
    const [{ id }] = declarations as [Tree];
    return /^\$\$F\d+$/.test(String((id as Tree)['name']));
  }
  if (type !== 'IfStatement') return false;
  return isKept((test as Tree)['left']) || (alternate === null && ((consequent as Tree)['body'] as [])?.length === 0);
}

/** The receiver of a method that does not use it. */
function isReceiverOfDebugMode({ id, init }: Tree): boolean {
  return (id as Tree)['name'] === '$$this' && init === null;
}

/** Also without empty statements, and with blocks only where they make a difference. */
function withoutProbes(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => asStatements(withoutProbes(each)));
  if (!isTree(value)) return typeof value === 'bigint' ? String(value) : value;
  if (value.type === 'SequenceExpression') {
    const parts = withoutFieldValue((value['expressions'] as Tree[]).filter((each) => !isProbe(each)));
    const rest = parts.map(withoutProbes) as Tree[];
    const expressions = rest.flatMap((each) => (each.type === value.type ? (each['expressions'] as Tree[]) : [each]));
    return expressions.length === 1 ? expressions[0] : { type: value.type, expressions };
  }
  if (value.type === 'TryStatement' && reportsCallEnd(value['finalizer']))
    return value['handler'] === null
      ? { ...(withoutProbes(value['block']) as Tree), type: REPORTED_STATEMENTS }
      : withoutProbes({ ...value, finalizer: null });
  const innerHandler = value.type === 'CatchClause' ? innerCatch(value) : undefined;
  if (innerHandler !== undefined) return withoutProbes(innerHandler);
  const unwrapped = value.type === 'CallExpression' ? withoutBarrier(value) : value;
  if (unwrapped !== value) return withoutProbes(unwrapped);
  if (value.type === 'VariableDeclaration') {
    const declarations = (value['declarations'] as Tree[]).filter((each) => !isReceiverOfDebugMode(each));
    if (declarations.length < (value['declarations'] as Tree[]).length)
      return declarations.length === 0 ? { type: 'EmptyStatement' } : withoutProbes({ ...value, declarations });
  }
  const copy: Record<string, unknown> & { type: string } = { type: value.type };
  for (const [key, child] of Object.entries(value)) {
    // A pattern with a barrier in it is written out.
    if (key === 'start' || key === 'end' || key === 'shorthand') continue;
    const isBody = WITH_BODIES.test(value.type) && BODIES.has(key) && isTree(child);
    copy[key] = withoutProbes(isBody && child.type !== 'BlockStatement' ? block(child) : child);
  }
  if (value.type === 'ObjectExpression')
    copy['properties'] = (copy['properties'] as Tree[]).filter(
      ({ key }) => (key as Tree | undefined)?.['name'] !== 'field',
    );
  if (value.type === 'CallExpression')
    copy['arguments'] = (copy['arguments'] as Tree[]).filter((each) => !keepsVariables(each));
  if (value.type === 'ArrowFunctionExpression') Object.assign(copy, withExpressionBody(copy));
  if (value.type === 'ForStatement' && isAlwaysTrue(value['test'])) copy['test'] = null;
  if (value.type === 'CatchClause' && (value['param'] as Tree | null)?.['name'] === CAUGHT) copy['param'] = null;
  return copy;
}

/** Statements of a function, without the `try` that reports the end of its call. */
const REPORTED_STATEMENTS = 'ReportedStatements';

/** `tt$r = value, tt$r`: the value. */
function withoutFieldValue(expressions: Tree[]): Tree[] {
  const [assignment] = expressions;
  const isFieldValue = assignment?.type === 'AssignmentExpression' && (assignment['left'] as Tree)['name'] === 'tt$r';
  return isFieldValue ? [assignment['right'] as Tree] : expressions;
}

function reportsCallEnd(finalizer: unknown): boolean {
  const [statement] = isTree(finalizer) ? (finalizer['body'] as Tree[]) : [];
  const { right } = (statement?.['expression'] ?? {}) as { right?: Tree };
  return right?.type === 'CallExpression' && (right['callee'] as Tree)['name'] === 'tt$u';
}

/** `=> { return value; }` as `=> value`, and `=> { if (test) return first; return second; }` as `=> test ? first : second`. */
function withExpressionBody({ body }: Record<string, unknown>): object {
  const list = isTree(body) && body.type === 'BlockStatement' ? (body['body'] as Tree[]) : [];
  const [first, second] = list;
  const value = (statement: unknown): unknown =>
    isTree(statement) && statement.type === 'ReturnStatement' ? statement['argument'] : null;
  if (list.length === 1 && value(first) !== null) return { expression: true, body: value(first) };
  const [consequent] = (first?.['consequent'] as { body?: Tree[] } | undefined)?.body ?? [];
  const alternate = value(second);
  if (list.length !== 2 || first?.type !== 'IfStatement' || alternate === null) return {};
  const { test } = first;
  return { expression: true, body: { type: 'ConditionalExpression', test, consequent: value(consequent), alternate } };
}

/** What a barrier is given, it answers. What sets variables of the top scope, and what private members are fields, is for the log alone. */
function withoutBarrier(call: Tree): Tree {
  const { name, property } = call['callee'] as Tree;
  const args = call['arguments'] as Tree[];
  if (/^tt\$[oikpd]$/.test(String(name))) return args[0] as Tree;
  if ((property as Tree | undefined)?.['name'] === 'scope' && args.length === 4)
    return { ...call, arguments: args.slice(0, args[1]?.type === 'UnaryExpression' ? 1 : 2) };
  return call;
}

/** `catch (tt$x) { tt$e(tt$x); try { throw tt$x; } catch ({ at }) { … } }`: the inner one. */
function innerCatch({ param, body }: Tree): unknown {
  const [, innerTry] = (body as Tree)['body'] as (Tree | undefined)[];
  const [thrown] = innerTry?.type === 'TryStatement' ? ((innerTry['block'] as Tree)['body'] as Tree[]) : [];
  const isRethrow = thrown?.type === 'ThrowStatement' && (thrown['argument'] as Tree)['name'] === CAUGHT;
  return isRethrow && (param as Tree | null)?.['name'] === CAUGHT ? innerTry?.['handler'] : undefined;
}

const block = (statement: Tree): Tree => ({ type: 'BlockStatement', body: [statement] });

/** The test of a loop with an empty head: `(probe, true)`, in a step `$$pc !== 0 || (probe, true)`. */
function isAlwaysTrue(test: unknown): boolean {
  if (!isTree(test)) return false;
  if (test.type === 'LogicalExpression') return isAlwaysTrue(test['right']);
  const [first, second] = test.type === 'SequenceExpression' ? (test['expressions'] as Tree[]) : [];
  return isProbe(first) && second?.['value'] === true;
}

const IGNORED = [isProbe, isCaughtHook, keepsVariables];

function asStatements(value: unknown): unknown[] {
  if (!isTree(value)) return [value];
  if (value.type === 'EmptyStatement' || restoresVariables(value)) return [];
  if (value.type === REPORTED_STATEMENTS) return value['body'] as Tree[];
  if (value.type === 'ExpressionStatement' && IGNORED.some((isIgnored) => isIgnored(value['expression']))) return [];
  if (value.type !== 'BlockStatement') return [value];
  const body = value['body'] as Tree[];
  return body.some(({ type, kind }) => type.endsWith('Declaration') && kind !== 'var') ? [value] : body;
}
