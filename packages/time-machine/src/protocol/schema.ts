// Schemas of messages, in the subset of JSON Schema that the messages need. TypeScript derives types from them, values
// are validated with them, and the documentation is printed from them, so all three agree. The validator generates no
// code, which a content security policy may forbid; a test compares it with Ajv. Its errors are sentences for users
// that name the path and the expected form.

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly maxLength?: number;
  /** Whether a text shows data of the recorded program, in which the server redacts secrets. */
  readonly isRecorded?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

declare const TYPE: unique symbol;
declare const OPTIONAL: unique symbol;

/** @template T type of valid values */
export interface Schema<T> {
  readonly json: JsonSchema;
  readonly [TYPE]?: T;
}

export interface Optional<T> extends Schema<T> {
  readonly isOptional: true;
  readonly [OPTIONAL]?: true;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

type Properties = Readonly<Record<string, Schema<unknown>>>;
type OptionalIn<P extends Properties> = { [K in keyof P]: P[K] extends Optional<unknown> ? K : never }[keyof P];
type RequiredOf<P extends Properties, K extends keyof P> = { readonly [N in K]: TypeOf<P[N]> };
type OptionalOf<P extends Properties, K extends keyof P> = { readonly [N in K]?: TypeOf<P[N]> | undefined };
type ObjectOf<P extends Properties> = RequiredOf<P, Exclude<keyof P, OptionalIn<P>>> & OptionalOf<P, OptionalIn<P>>;

export function string(description: string, maxLength = 1000): Schema<string> {
  return { json: { type: 'string', description, maxLength } };
}

/** A string with data of the recorded program, in which the server redacts secrets. */
export function recordedString(description: string, maxLength?: number): Schema<string> {
  return { json: { ...string(description, maxLength).json, isRecorded: true } };
}

/** A string without a length limit. */
export function longString(description: string): Schema<string> {
  return { json: { type: 'string', description } };
}

export function integer(description: string, minimum = 0, maximum: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return { json: { type: 'integer', description, minimum, maximum } };
}

export function number(description: string): Schema<number> {
  return { json: { type: 'number', description } };
}

export function boolean(description: string): Schema<boolean> {
  return { json: { type: 'boolean', description } };
}

export function stringEnum<const T extends readonly string[]>(values: T, description: string): Schema<T[number]> {
  return { json: { type: 'string', enum: values, description } };
}

export function literal<const T extends string>(value: T): Schema<T> {
  return { json: { const: value } };
}

export function array<T>(items: Schema<T>, description: string, maxItems?: number): Schema<readonly T[]> {
  return { json: { type: 'array', description, items: items.json, ...(maxItems === undefined ? {} : { maxItems }) } };
}

/** An object with arbitrary keys. */
export function dictionary<T>(values: Schema<T>, description: string): Schema<Readonly<Record<string, T>>> {
  return { json: { type: 'object', description, additionalProperties: values.json } };
}

export function union<T, U>(first: Schema<T>, second: Schema<U>): Schema<T | U> {
  return { json: { anyOf: [first.json, second.json] } };
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { json: schema.json, isOptional: true };
}

/** An object that the server sends. Other properties are allowed, since a later version may add them. */
export function object<P extends Properties>(properties: P, description?: string): Schema<ObjectOf<P>> {
  const entries = Object.entries(properties);
  const required = entries.flatMap(([name, schema]) => ('isOptional' in schema ? [] : [name]));
  return {
    json: {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
      required,
    },
  };
}

/** An object that a client sends. Other properties are refused, since they would have no effect. */
export function strictObject<P extends Properties>(properties: P, description?: string): Schema<ObjectOf<P>> {
  const { json } = object(properties, description);
  return { json: { ...json, additionalProperties: false } };
}

/** The reason why a value is invalid, without a full stop; undefined if it is valid. @param path name of the value */
export function validationError(schema: Schema<unknown>, value: unknown, path: string): string | undefined {
  return findError(schema.json, value, path);
}

function findError(schema: JsonSchema, value: unknown, path: string): string | undefined {
  const { anyOf } = schema;
  if (anyOf !== undefined)
    return anyOf.some((each) => findError(each, value, path) === undefined)
      ? undefined
      : mismatchError(schema, value, path);
  if (schema.const !== undefined) return value === schema.const ? undefined : mismatchError(schema, value, path);
  if (!isOfType(schema, value)) return mismatchError(schema, value, path);
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return firstError(value.entries(), ([i, item]) => findError(items, item, `${path}[${i}]`));
  }
  return schema.type === 'object' ? objectError(schema, value as Record<string, unknown>, path) : undefined;
}

function objectError(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): string | undefined {
  const missing = required.find((name) => !Object.hasOwn(value, name) || value[name] === undefined);
  if (missing !== undefined)
    return `${path}.${missing} is missing; it must be ${describeSchema(properties[missing] ?? {})}`;
  return firstError(Object.entries(value), ([name, inner]) => {
    if (inner === undefined) return undefined;
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (schema === false) {
      const knownNames = Object.keys(properties);
      return `${path} has an unknown property ${JSON.stringify(name.slice(0, MAX_SHOWN_LENGTH))}; known: ${knownNames.join(', ') || 'none'}`;
    }
    return schema === undefined ? undefined : findError(schema, inner, `${path}.${name}`);
  });
}

function isOfType({ type, enum: values, maxLength, minimum, maximum, maxItems }: JsonSchema, value: unknown): boolean {
  if (type === 'string')
    return (
      typeof value === 'string' &&
      (values === undefined || values.includes(value)) &&
      (maxLength === undefined || [...value].length <= maxLength)
    );
  if (type === 'integer' || type === 'number')
    return (
      typeof value === 'number' &&
      (type === 'number' || Number.isInteger(value)) &&
      value >= (minimum ?? -Infinity) &&
      value <= (maximum ?? Infinity)
    );
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value) && (maxItems === undefined || value.length <= maxItems);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return true;
}

function firstError<T>(items: Iterable<T>, findErrorIn: (first: T) => string | undefined): string | undefined {
  for (const each of items) {
    const found = findErrorIn(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Maximum number of characters of a value in an error. */
const MAX_SHOWN_LENGTH = 60;

function mismatchError(schema: JsonSchema, value: unknown, path: string): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return `${path} must be ${describeSchema(schema)}, not ${json.length > MAX_SHOWN_LENGTH ? `${json.slice(0, MAX_SHOWN_LENGTH)}…` : json}`;
}

/** Describes the valid values, for users. */
function describeSchema(schema: JsonSchema): string {
  const { type, enum: values, maxLength, minimum, maximum, maxItems, anyOf } = schema;
  if (anyOf !== undefined) return anyOf.map(describeSchema).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return `one of ${values.map((each) => JSON.stringify(each)).join(', ')}`;
  if (type === 'string') return `a string${maxLength === undefined ? '' : ` of at most ${maxLength} characters`}`;
  if (type === 'integer') return `an integer${rangeText(minimum, maximum)}`;
  if (type === 'number') return 'a number';
  if (type === 'boolean') return 'true or false';
  if (type === 'null') return 'null';
  if (type === 'array') return `a list${maxItems === undefined ? '' : ` of at most ${maxItems}`}`;
  return type === 'object' ? 'an object' : 'any value';
}

function rangeText(minimum = -Infinity, maximum = Infinity): string {
  const isUnbounded = maximum >= Number.MAX_SAFE_INTEGER;
  return isUnbounded ? ` from ${minimum} on` : ` from ${minimum} to ${maximum}`;
}
