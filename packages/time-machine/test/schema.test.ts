// The validator against Ajv, with the same schemas: both accept the same values, among valid, nearly valid and random
// ones.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { METHODS, SERVER_NOTIFICATIONS, CLIENT_NOTIFICATIONS } from '@turntable/time-machine/protocol';
import {
  strictObject,
  union,
  literal,
  boolean,
  integer,
  array,
  dictionary,
  number,
  object,
  stringEnum,
  optional,
  validationError,
  string,
  type JsonSchema,
  type Schema,
} from '../src/protocol/schema.ts';

const SCHEMAS = {
  ...Object.fromEntries(
    Object.entries(METHODS).flatMap(([name, { params, result }]) => [
      [`${name} params`, params as Schema<unknown>],
      [`${name} result`, result as Schema<unknown>],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ ...SERVER_NOTIFICATIONS, ...CLIENT_NOTIFICATIONS }).map(([name, { params }]) => [name, params]),
  ),
  'of all kinds': strictObject({
    text: string('', 3),
    integer: integer('', -2, 2),
    number: optional(number('')),
    flag: boolean(''),
    one: stringEnum(['a', 'b'], ''),
    exactly: optional(literal('x')),
    list: array(union(boolean(''), string('', 1)), '', 2),
    map: optional(dictionary(integer('', 0, 9), '')),
    inner: optional(object({ a: optional(string('')) })),
  }),
} satisfies Record<string, Schema<unknown>>;

/** Valid values of a schema. */
function arbitraryOf({ json }: { readonly json: JsonSchema }): fc.Arbitrary<unknown> {
  const { anyOf, const: constant, enum: values, type, minimum = -9, maximum = 9, maxLength = 9, maxItems = 3 } = json;
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => arbitraryOf({ json: each })));
  if (constant !== undefined) return fc.constant(constant);
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'string') return fc.string({ maxLength: Math.min(maxLength, 9) });
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) });
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(arbitraryOf({ json: json.items ?? {} }), { maxLength: Math.min(maxItems, 3) });
  if (type !== 'object') return fc.jsonValue();
  const { properties = {}, required = [], additionalProperties } = json;
  if (typeof additionalProperties === 'object')
    return fc.dictionary(fc.string(), arbitraryOf({ json: additionalProperties }), { maxKeys: 3 });
  const values_ = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, arbitraryOf({ json: each })]),
  );
  return fc.record(values_, { requiredKeys: [...required] });
}

/** Changes one part of a value. */
function damage(value: unknown, at: number, by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by;
  const copy: Record<string, unknown> = Array.isArray(value) ? (value.slice() as never) : { ...value };
  const keys = Object.keys(copy);
  const key = keys[at % (keys.length + 1)] ?? (Array.isArray(value) ? '0' : 'another');
  copy[key] = at % 3 === 0 && keys.length > 0 ? damage(copy[key], at >> 2, by) : by;
  return copy;
}

test.each(Object.keys(SCHEMAS))('%s: a value is valid to us as it is to Ajv', (name) => {
  const schema = (SCHEMAS as Record<string, Schema<unknown>>)[name] as Schema<unknown>;
  const validate = new Ajv2020({ strict: true, keywords: ['isRecorded'] }).compile(schema.json);
  const agree = (value: unknown): void => {
    const problem = validationError(schema, value, 'value');
    expect([problem, value]).toEqual([validate(value) ? undefined : expect.any(String), value]);
  };
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('a', 'x', 1, 2.5, -1, 1001, '', [], {}, null),
  );
  fc.assert(
    fc.property(arbitraryOf(schema), fc.nat(99), anything, (value, at, by) => {
      expect(validationError(schema, value, 'value')).toBeUndefined();
      agree(value);
      agree(damage(value, at, by));
      agree(by);
    }),
    { numRuns: 60 },
  );
});

test('an error names the path and the expected form', () => {
  const schema = SCHEMAS['of all kinds'];
  const right = { text: 'a', integer: 0, flag: true, one: 'a', list: [] };
  const cases: [change: Record<string, unknown>, reason: string][] = [
    [{ text: 'four' }, 'params.text must be a string of at most 3 characters, not "four"'],
    [{ integer: 2.5 }, 'params.integer must be an integer from -2 to 2, not 2.5'],
    [{ one: 'c' }, 'params.one must be one of "a", "b", not "c"'],
    [{ flag: null }, 'params.flag must be true or false, not null'],
    [{ list: [true, 'xy'] }, 'params.list[1] must be true or false or a string of at most 1 characters, not "xy"'],
    [{ list: [1, 2, 3] }, 'params.list must be a list of at most 2, not [1,2,3]'],
    [{ map: { a: 10 } }, 'params.map.a must be an integer from 0 to 9, not 10'],
    [{ exactly: 'y' }, 'params.exactly must be "x", not "y"'],
    [{ inner: [] }, 'params.inner must be an object, not []'],
    [
      { other: 1 },
      'params has an unknown property "other"; known: text, integer, number, flag, one, exactly, list, map, inner',
    ],
    [{ text: undefined }, 'params.text is missing; it must be a string of at most 3 characters'],
    [{ one: 'x'.repeat(99) }, `params.one must be one of "a", "b", not "${'x'.repeat(59)}…`],
  ];
  expect(validationError(schema, right, 'params')).toBeUndefined();
  expect(validationError(schema, { ...right, text: '😀😀😀' }, 'params')).toBeUndefined();
  for (const [change, reason] of cases) expect(validationError(schema, { ...right, ...change }, 'params')).toBe(reason);
  expect(validationError(schema, 'text', 'params')).toBe('params must be an object, not "text"');
});
