// Typed access to the arguments of a request, which are untrusted. A value of the wrong type throws an error that names
// the argument's path.
import { DapError } from './dap-error.ts';

type Fields = Readonly<Record<string, unknown>>;

export class RequestArguments {
  readonly #path: string;
  readonly #fields: Fields;

  /** @param path the name of the arguments in error messages */
  constructor(path: string, value: unknown) {
    if (!isFields(value))
      throw new DapError('TT_DAP_ARGUMENTS', `${path} must be an object, not ${describeValue(value)}`);
    this.#path = path;
    this.#fields = value;
  }

  string(name: string): string {
    return this.#required(name, this.optionalString(name), 'a text');
  }

  optionalString(name: string): string | undefined {
    return this.#read(name, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  integer(name: string): number {
    return this.#required(name, this.optionalInteger(name), 'an integer');
  }

  optionalInteger(name: string): number | undefined {
    const isInteger = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
    return this.#read(name, 'an integer from 0 on', (value) => (isInteger(value) ? value : undefined));
  }

  /** Returns a boolean argument; false if it is missing. */
  flag(name: string): boolean {
    return this.#read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)) ?? false;
  }

  object(name: string): RequestArguments {
    return new RequestArguments(`${this.#path}.${name}`, this.#fields[name]);
  }

  /** Returns an object argument; an object without fields if it is missing. */
  optionalObject(name: string): RequestArguments {
    return this.has(name) ? this.object(name) : new RequestArguments(`${this.#path}.${name}`, {});
  }

  /** Returns a list of objects; an empty list if it is missing. */
  objects(name: string): RequestArguments[] {
    return this.#list(name).map((each, i) => new RequestArguments(`${this.#path}.${name}[${i}]`, each));
  }

  /** Returns a list of strings; an empty list if it is missing. */
  strings(name: string): string[] {
    return this.#list(name).map((each, i) => {
      if (typeof each === 'string') return each;
      throw new DapError(
        'TT_DAP_ARGUMENTS',
        `${this.#path}.${name}[${i}] must be a string, not ${describeValue(each)}`,
      );
    });
  }

  /** Returns an object whose values are strings or numbers; an object without fields if it is missing. */
  scalars(name: string): Readonly<Record<string, string | number>> {
    if (!this.has(name)) return {};
    const value = this.#fields[name];
    const isScalar = (each: unknown): boolean => typeof each === 'string' || typeof each === 'number';
    if (isFields(value) && Object.values(value).every(isScalar)) return value as Record<string, string | number>;
    throw new DapError('TT_DAP_ARGUMENTS', `${this.#path}.${name} must map names to strings or numbers`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name) && this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  /** Returns a value without a check of its type. */
  raw(name: string): unknown {
    return this.#fields[name];
  }

  #list(name: string): readonly unknown[] {
    return this.#read(name, 'a list', (value) => (Array.isArray(value) ? (value as unknown[]) : undefined)) ?? [];
  }

  #read<T>(name: string, kind: string, parse: (value: unknown) => T | undefined): T | undefined {
    if (!this.has(name)) return undefined;
    const value = parse(this.#fields[name]);
    if (value !== undefined) return value;
    throw new DapError(
      'TT_DAP_ARGUMENTS',
      `${this.#path}.${name} must be ${kind}, not ${describeValue(this.#fields[name])}`,
    );
  }

  #required<T>(name: string, value: T | undefined, kind: string): T {
    if (value !== undefined) return value;
    throw new DapError('TT_DAP_ARGUMENTS', `${this.#path}.${name} is missing; it must be ${kind}`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
