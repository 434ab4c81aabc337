import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { createMarks } from '@turntable/core';

/** What a membrane meets. */
const OBJECTS: Readonly<Record<string, () => object>> = {
  'an object': () => ({ a: 1 }),
  'a frozen object': () => Object.freeze({ a: 1 }),
  'an object without prototype': () => Object.create(null) as object,
  'a list': () => [1, 2],
  'a function': () => () => 1,
  'a class': () => class {},
  bytes: () => Buffer.from('ab'),
  'an error': () => new Error('x'),
  'a Proxy that refuses everything': () =>
    new Proxy(
      {},
      new Proxy(
        {},
        {
          get() {
            throw new Error('a trap was called');
          },
        },
      ),
    ),
};

for (const [name, make] of Object.entries(OBJECTS))
  it(`a mark stands on ${name}, and nobody can tell`, () => {
    const marks = createMarks<number>();
    const object = make();
    const shown = name.includes('Proxy') ? '' : inspect(object, { showHidden: true });
    expect(marks.of(object)).toBe(undefined);
    marks.put(object, 1);
    expect(marks.of(object)).toBe(1);
    marks.put(object, 2);
    expect(marks.of(object)).toBe(2);
    expect(createMarks<number>().of(object)).toBe(undefined);
    if (shown !== '') expect(inspect(object, { showHidden: true })).toBe(shown);
  });

it('what inherits from something marked is not marked', () => {
  const marks = createMarks<number>();
  const above = {};
  marks.put(above, 1);
  expect(marks.of(Object.create(above) as object)).toBe(undefined);
});
