/*
 * An expression of a TypeScript class has the same value when it is compiled outside of both.
 */
import { runInThisContext } from 'node:vm';
import { toPlainExpression } from '@turntable/transform';
import { expect, test } from 'vitest';

class Purse {
  #coins = 1;
  inside = { list: [1, 2] };
  static readers = {
    coins: {
      has: (o: object): boolean => #coins in o,
      get: (o: Purse): unknown => o.#coins,
      set: (o: Purse, value: never): void => void (o.#coins = value),
    },
    doubled: {
      has: (o: object): boolean => #doubled in o,
      get: (o: Purse): unknown => o.#doubled,
      set: (): void => {},
    },
  };
  #doubled(by = 2): number {
    return this.#coins * by;
  }
}

function read(object: Purse | undefined, name: string, use: string, isOptional: boolean): unknown {
  if (isOptional && object === undefined) return undefined;
  const { has, get, set } = Purse.readers[name.slice(1) as 'coins' | 'doubled'];
  const purse = object as Purse;
  if (use === 'in') return has(purse);
  if (use === 'method') return (get(purse) as () => unknown).bind(purse);
  return use === 'value' ? get(purse) : { get v() { return get(purse); }, set v(value) { set(purse, value as never); } }; // prettier-ignore
}

test.each<[text: string, value: unknown]>([
  ['p.#coins', 1],
  ['[p][0].#coins + (() => p)().#coins', 2],
  ['p?.#coins', 1],
  ['none?.#coins', undefined],
  ['#coins in p && !(#coins in {})', true],
  ['p.#doubled(3)', 3],
  ['(p).#doubled()', 2],
  ['p.#coins = 4', 4],
  ['(p.#coins += 2, p.#coins++, p.#coins)', 4],
  ['([p.#coins, { x: p.#coins = 9 }] = [5, {}], p.#coins)', 9],
  ['`${p.#coins}#coins`', '1#coins'],
  ['new (class { #coins = 7; get() { return this.#coins; } })().get()', 7],
  ['(p as Purse).#coins!', 1],
  ['(p.inside as { list: number[] }).list.map((x: number, i?: number): number => x * 2)', [2, 4]],
  ['new Map<string, number>([["a", 1]]).size satisfies number', 1],
  ['(<Purse>p).inside.list[0]', 1],
  ['p.inside.list.length < 3 > (0)', true],
])('%s', (text, value) => {
  const run = runInThisContext(`(function (p, none, read) { return (${toPlainExpression(text, 'read')}\n); })`) as (
    ...args: unknown[]
  ) => unknown;
  expect(run(new Purse(), undefined, read)).toEqual(value);
});

test('a text that is no expression stays unchanged', () => {
  for (const text of ['1 as', 'p.#', ') + (']) expect(toPlainExpression(text, 'read')).toBe(text);
});
