import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { createHiddenField } from '@turntable/core';

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
  it(`a mark can be set on ${name} without a visible change`, () => {
    const marks = createHiddenField<number>();
    const object = make();
    const shown = name.includes('Proxy') ? '' : inspect(object, { showHidden: true });
    expect(marks.get(object)).toBe(undefined);
    marks.set(object, 1);
    expect(marks.get(object)).toBe(1);
    marks.set(object, 2);
    expect(marks.get(object)).toBe(2);
    expect(createHiddenField<number>().get(object)).toBe(undefined);
    if (shown !== '') expect(inspect(object, { showHidden: true })).toBe(shown);
  });

it('an object that inherits from a marked one is not marked', () => {
  const marks = createHiddenField<number>();
  const above = {};
  marks.set(above, 1);
  expect(marks.get(Object.create(above) as object)).toBe(undefined);
});
