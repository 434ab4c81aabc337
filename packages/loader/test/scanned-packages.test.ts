// The scanner finds in the files of published packages the requests that a parser finds.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, visitorKeys } from 'oxc-parser';
import { expect, it } from 'vitest';
import { quickScan, type ScannedRequest } from '../src/classification/quick-scan.ts';
import { scan, tokenScan } from '../src/classification/scan.ts';

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const PATTERNS = [
  'express/lib/*.js',
  'koa/lib/*.js',
  'ws/lib/*.js',
  'pg/lib/*.js',
  'handlebars/dist/cjs/**/*.js',
  'graphql/error/*.js',
  'graphql/utilities/*.{js,mjs}',
  'rxjs/dist/cjs/internal/*.js',
  'rxjs/dist/esm/internal/scheduler/*.js',
  'hono/dist/*.js',
  'zod/v4/core/*.js',
];

type Found = Pick<ScannedRequest, 'specifier' | 'kind' | 'line'> & { readonly isInFunction: boolean };

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** The requests of a file in the order of their words, as a parser finds them. */
function parsedRequests(file: string, source: string): Found[] {
  const found: (Found & { readonly start: number })[] = [];
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
  const visit = (node: Node, isInFunction: boolean): void => {
    const { type, start } = node;
    const add = (kind: Found['kind'], literal: unknown): void => {
      const { value } = (literal ?? {}) as { value?: unknown };
      if (typeof value === 'string') found.push({ specifier: value, kind, line: lineOf(start), isInFunction, start });
    };
    if (/^(?:ImportDeclaration|ExportAllDeclaration|ExportNamedDeclaration)$/.test(type)) add('import', node['source']);
    else if (type === 'ImportExpression') add('dynamic', node['source']);
    else if (type === 'CallExpression' && (node['callee'] as Node)['name'] === 'require')
      add('require', (node['arguments'] as Node[])[0]);
    const isFunction = /Function/.test(type);
    for (const key of visitorKeys[type] ?? [])
      for (const child of [node[key]].flat())
        if (typeof child === 'object' && child !== null) visit(child as Node, isInFunction || isFunction);
  };
  visit(parseSync(file, source).program as unknown as Node, false);
  return found
    .toSorted((a, b) => a.start - b.start)
    .map(({ specifier, kind, line, isInFunction }) => ({ specifier, kind, line, isInFunction }));
}

const files = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: NODE_MODULES }).toSorted());

it('finds the requests that a parser finds, and which of them are in functions', () => {
  expect(files.length).toBeGreaterThan(150);
  for (const file of files) {
    const source = readFileSync(join(NODE_MODULES, file), 'utf8');
    const expected = parsedRequests(file, source);
    const scans = { scan: scan(source).requests, tokenScan: tokenScan(source).requests };
    for (const [name, requests] of Object.entries(scans)) {
      const found = requests.map(({ specifier, kind, line, isLazy }) => ({
        specifier,
        kind,
        line,
        isInFunction: kind === 'dynamic' ? undefined : isLazy,
      }));
      expect(found, `${name} of ${file}`).toEqual(
        expected.map((request) => ({
          ...request,
          isInFunction: request.kind === 'dynamic' ? undefined : request.isInFunction,
        })),
      );
    }
  }
});

it('reads most files that request only files of their package quickly', () => {
  let quick = 0;
  for (const file of files)
    if (quickScan(readFileSync(join(NODE_MODULES, file), 'utf8'), () => 1) !== undefined) quick++;
  expect(quick).toBeGreaterThan(files.length / 2);
});
