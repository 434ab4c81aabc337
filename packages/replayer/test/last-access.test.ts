// Tests the last access of expressions.
import { expect, test } from 'vitest';
import { parseLastAccess } from '../src/replay-process/last-access.ts';

test.each([
  ['total', { kind: 'variable', name: 'total' }],
  [' this ', { kind: 'variable', name: 'this' }],
  ['this.sum', { kind: 'property', target: 'this', name: 'sum' }],
  ['order.items[2].price', { kind: 'property', target: 'order.items[2]', name: 'price' }],
  ['order . items', { kind: 'property', target: 'order', name: 'items' }],
  ['order?.items', { kind: 'property', target: 'order', name: 'items' }],
  ['order?.[0]', { kind: 'element', target: 'order', key: '0' }],
  ['a["x]y"]', { kind: 'element', target: 'a', key: '"x]y"' }],
  ["a['\\']']", { kind: 'element', target: 'a', key: "'\\']'" }],
  ['a[b[1]]', { kind: 'element', target: 'a', key: 'b[1]' }],
  ['this.#name', { kind: 'private', target: 'this', name: 'name' }],
  ['this.#name.length', { kind: 'property', target: 'this.#name', name: 'length' }],
  ["stock.get('tea')", { kind: 'entry', target: 'stock', key: "'tea'" }],
  ['this.names.has(f(1, 2))', { kind: 'entry', target: 'this.names', key: 'f(1, 2)' }],
  ['(a ?? b).c', { kind: 'property', target: '(a ?? b)', name: 'c' }],
  ['list().first', { kind: 'property', target: 'list()', name: 'first' }],
])('parses the last access of %s', (text, access) => {
  expect(parseLastAccess(text)).toEqual(access);
});

test.each([
  '',
  'a + b',
  'a.b + c.d',
  '1',
  'a.',
  'a[',
  'a[]',
  'a()',
  'a.get()',
  '"a".length',
  'a b',
  '!a',
  '(a + b)',
  'x.f(1)',
])('%s has no last access', (text) => {
  expect(parseLastAccess(text)).toBe(undefined);
});
