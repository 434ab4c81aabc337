// What an expression leads to: its last step, and the expression of where that begins.
import { expect, test } from 'vitest';
import { lastStepOf } from '../src/replay-process/last-step.ts';

test.each([
  ['total', { is: 'variable', name: 'total' }],
  [' this ', { is: 'variable', name: 'this' }],
  ['this.sum', { is: 'property', of: 'this', name: 'sum' }],
  ['order.items[2].price', { is: 'property', of: 'order.items[2]', name: 'price' }],
  ['order . items', { is: 'property', of: 'order', name: 'items' }],
  ['order?.items', { is: 'property', of: 'order', name: 'items' }],
  ['order?.[0]', { is: 'element', of: 'order', key: '0' }],
  ['a["x]y"]', { is: 'element', of: 'a', key: '"x]y"' }],
  ["a['\\']']", { is: 'element', of: 'a', key: "'\\']'" }],
  ['a[b[1]]', { is: 'element', of: 'a', key: 'b[1]' }],
  ['this.#name', { is: 'private', of: 'this', name: 'name' }],
  ['this.#name.length', { is: 'property', of: 'this.#name', name: 'length' }],
  ["stock.get('tea')", { is: 'entry', of: 'stock', key: "'tea'" }],
  ['this.names.has(f(1, 2))', { is: 'entry', of: 'this.names', key: 'f(1, 2)' }],
  ['(a ?? b).c', { is: 'property', of: '(a ?? b)', name: 'c' }],
  ['list().first', { is: 'property', of: 'list()', name: 'first' }],
])('%s', (text, step) => {
  expect(lastStepOf(text)).toEqual(step);
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
])('%s leads nowhere', (text) => {
  expect(lastStepOf(text)).toBe(undefined);
});
