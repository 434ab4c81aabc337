// Arguments of a request, which may be anything: read by their names. What is none of its kind is refused by a sentence that names the field.
import { DapError } from './dap-error.ts';

type Fields = Readonly<Record<string, unknown>>;

export class Given {
  readonly #where: string;
  readonly #fields: Fields;

  /** @param where what they are called */
  constructor(where: string, value: unknown) {
    if (!isFields(value)) throw new DapError('TT_DAP_ARGUMENTS', `${where} is to be an object, not ${told(value)}`);
    this.#where = where;
    this.#fields = value;
  }

  text(name: string): string {
    return this.#needed(name, this.optionalText(name), 'a text');
  }

  optionalText(name: string): string | undefined {
    return this.#of(name, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  integer(name: string): number {
    return this.#needed(name, this.optionalInteger(name), 'an integer');
  }

  optionalInteger(name: string): number | undefined {
    const isOne = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
    return this.#of(name, 'an integer from 0 on', (value) => (isOne(value) ? value : undefined));
  }

  /** False, if it is not said. */
  flag(name: string): boolean {
    return this.#of(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)) ?? false;
  }

  part(name: string): Given {
    return new Given(`${this.#where}.${name}`, this.#fields[name]);
  }

  /** Empty, if it is not there. */
  optionalPart(name: string): Given {
    return this.has(name) ? this.part(name) : new Given(`${this.#where}.${name}`, {});
  }

  /** Empty, if it is not there. */
  parts(name: string): Given[] {
    return this.#list(name).map((each, i) => new Given(`${this.#where}.${name}[${i}]`, each));
  }

  /** Empty, if it is not there. */
  texts(name: string): string[] {
    return this.#list(name).map((each, i) => {
      if (typeof each === 'string') return each;
      throw new DapError('TT_DAP_ARGUMENTS', `${this.#where}.${name}[${i}] is to be a text, not ${told(each)}`);
    });
  }

  /** Texts and numbers by names that nobody knows before. */
  values(name: string): Readonly<Record<string, string | number>> {
    if (!this.has(name)) return {};
    const value = this.#fields[name];
    const isWanted = (each: unknown): boolean => typeof each === 'string' || typeof each === 'number';
    if (isFields(value) && Object.values(value).every(isWanted)) return value as Record<string, string | number>;
    throw new DapError('TT_DAP_ARGUMENTS', `${this.#where}.${name} is to be texts and numbers by their names`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name) && this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  /** As it came. */
  raw(name: string): unknown {
    return this.#fields[name];
  }

  #list(name: string): readonly unknown[] {
    return this.#of(name, 'a list', (value) => (Array.isArray(value) ? (value as unknown[]) : undefined)) ?? [];
  }

  #of<T>(name: string, kind: string, as: (value: unknown) => T | undefined): T | undefined {
    if (!this.has(name)) return undefined;
    const value = as(this.#fields[name]);
    if (value !== undefined) return value;
    throw new DapError('TT_DAP_ARGUMENTS', `${this.#where}.${name} is to be ${kind}, not ${told(this.#fields[name])}`);
  }

  #needed<T>(name: string, value: T | undefined, kind: string): T {
    if (value !== undefined) return value;
    throw new DapError('TT_DAP_ARGUMENTS', `${this.#where}.${name} is missing: it is ${kind}`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function told(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
