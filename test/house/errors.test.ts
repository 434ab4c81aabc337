// Checks the error tables of the packages against their sources, and docs/errors.md against the tables.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { ERROR_TABLES, EXPLAINED_ERRORS } from '../../packages/turntable/src/error-tables.ts';
import { errorPage } from '../../scripts/error-page.ts';
import { root } from '../../scripts/node-release.mjs';

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly operator?: string;
}

interface CodeUse {
  readonly code: string;
  readonly file: string;
  /** Whether the code is given to an error or warning, not compared or part of a type or list. */
  readonly isThrown: boolean;
}

/** All codes in string literals of a source text. */
function codesIn(file: string, text: string): CodeUse[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const uses: CodeUse[] = [];
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, parent);
    else if (typeof value === 'object' && value !== null && 'type' in value) {
      const node = value as Node;
      if (node.type === 'Literal' && typeof node.value === 'string' && /^TT_[A-Z_]+$/.test(node.value))
        uses.push({ code: node.value, file, isThrown: isThrowing(parent) });
      for (const child of Object.values(node)) visit(child, node);
    }
  };
  visit(program, undefined);
  return uses;
}

const READING_PARENTS: ReadonlySet<string> = new Set(['TSLiteralType', 'ArrayExpression', 'SwitchCase']);

function isThrowing(parent: Node | undefined): boolean {
  const isComparison = parent?.type === 'BinaryExpression' && /^[!=]==?$/.test(parent.operator ?? '');
  return parent !== undefined && !isComparison && !READING_PARENTS.has(parent.type);
}

const TABLE_FILE = /\/error-table\.ts$/;
const sources = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !TABLE_FILE.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
const uses = sources.flatMap(({ file, text }) => (text.includes('TT_') ? codesIn(file, text) : []));
const codes = EXPLAINED_ERRORS.map(({ code }) => code);

describe('the error tables', () => {
  test('have every code of the sources', () => {
    expect(uses.filter(({ code }) => !codes.includes(code)).map(({ code, file }) => `${file}: ${code}`)).toEqual([]);
  });

  test('have only codes that are thrown or warned with', () => {
    const thrown = new Set(uses.filter(({ isThrown }) => isThrown).map(({ code }) => code));
    expect(codes.filter((code) => !thrown.has(code))).toEqual([]);
  });

  test('have each code once', () => {
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });

  test('are all collected', () => {
    const files = globSync('packages/*/src/error-table.ts', { cwd: root });
    const names = files.map((file) => {
      const manifest = readFileSync(join(root, file, '../../package.json'), 'utf8');
      return (JSON.parse(manifest) as { name: string }).name;
    });
    expect(Object.keys(ERROR_TABLES).toSorted()).toEqual(names.toSorted());
  });

  test('are imported at run time only by `turntable explain`', () => {
    const importing = sources.filter(({ text }) => /^import \{.*error-table\.ts'/m.test(text));
    expect(importing.map(({ file }) => file)).toEqual(['packages/turntable/src/error-tables.ts']);
  });

  test.each(EXPLAINED_ERRORS)('have messages of $code that are in the sources', ({ messages }) => {
    const pieces = messages.flatMap((message) => message.split(/\b[A-Z][A-Z0-9_]*\b|[:;,.] | or /));
    const wanted = pieces.map((piece) => piece.trim()).filter((piece) => piece.length >= MIN_PIECE_CHARS);
    expect(wanted.filter((piece) => !isInSources(piece))).toEqual([]);
  });

  test.each(EXPLAINED_ERRORS)('describe $code in sentences of the right number', ({ meaning, cause, remedy }) => {
    const sentences = (text: string) => text.split(/(?<=\.)\s(?=\p{Lu}|`)/u);
    for (const text of [meaning, cause, remedy]) expect(text).toMatch(/\.$/);
    expect(sentences(meaning).length).toBeLessThanOrEqual(2);
    expect(sentences(cause).length).toBeLessThanOrEqual(2);
    expect(sentences(remedy).length).toBeLessThanOrEqual(2);
  });
});

const MIN_PIECE_CHARS = 10;
/** The sources without escapes and with joined strings. */
const literalText = sources
  .map(({ text }) => text)
  .join('\n')
  .replaceAll(/\\(['"`])/g, '$1')
  .replaceAll(/['"`] \+\s+['"`]/g, '');

/** Whether a piece of a message is in the sources, in one string or in two. */
function isInSources(piece: string): boolean {
  if (literalText.includes(piece)) return true;
  return [...piece.matchAll(/ /g)].some(
    ({ index }) => literalText.includes(piece.slice(0, index)) && literalText.includes(piece.slice(index + 1)),
  );
}

test('docs/errors.md agrees with the tables', async () => {
  await expect(errorPage()).toMatchFileSnapshot(join(root, 'docs/errors.md'));
});

describe('the check', () => {
  test('distinguishes codes that are thrown from codes that are read', () => {
    const text = `
      type Code = 'TT_TYPE';
      const read = error.code === 'TT_COMPARED' || ['TT_LISTED'].includes(error.code);
      throw new OurError(isBad ? 'TT_CHOSEN' : 'TT_OTHER', 'text');
      process.emitWarning('text', { code: 'TT_WARNED' });
      class Failure { code = 'TT_FIELD' as const; }`;
    const thrown = codesIn('a.ts', text).filter(({ isThrown }) => isThrown);
    expect(thrown.map(({ code }) => code)).toEqual(['TT_CHOSEN', 'TT_OTHER', 'TT_WARNED', 'TT_FIELD']);
  });
});
