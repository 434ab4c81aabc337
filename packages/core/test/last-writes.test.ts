// The index of last writes names the statement that wrote a property, also when the property's key is computed after
// its object.
import { createRealm, LastWriteIndex } from '@turntable/core';
import { expect, test } from 'vitest';
import { manualHost } from './manual-host.ts';

function createIndex(): { index: LastWriteIndex; at(statement: number): void } {
  const index = new LastWriteIndex(createRealm(manualHost()), undefined);
  return { index, at: (statement) => index.setStatement(1, 1, statement, 'file.js', statement) };
}

test('knows who wrote a property whose key is computed after its object', () => {
  const { index, at } = createIndex();
  const order = { amount: 1, total: 2 };
  at(1);
  index.noteProperty(order, 'total');
  at(2);
  index.noteObject(order);
  index.noteKey('amount');
  expect(index.lastPropertyWrite(order, 'amount')?.site.number).toBe(2);
  expect(index.lastPropertyWrite(order, 'total')?.site.number).toBe(1);
});

test('gives each computed key to the object that was evaluated last', () => {
  const { index, at } = createIndex();
  const [outer, inner] = [
    { a: 1, b: 1 },
    { a: 1, b: 1 },
  ];
  at(3);
  index.noteObject(outer);
  at(4);
  index.noteObject(inner);
  index.noteKey('a');
  at(5);
  index.noteKey('b');
  const written = [outer, inner].map((object) => [
    index.lastPropertyWrite(object, 'a')?.site.number,
    index.lastPropertyWrite(object, 'b')?.site.number,
  ]);
  expect(written).toEqual([
    [undefined, 5],
    [4, undefined],
  ]);
});
