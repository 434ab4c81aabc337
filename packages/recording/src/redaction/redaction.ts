// Redaction of secrets in texts and recorded values. Values under the name of a secret and values in the format of one
// are replaced; once learned, they are replaced wherever else they occur.
import type { TraceValue } from '../trace/trace-events.ts';
import { keyBefore } from './event-names.ts';
import { RedactionRules, SQL_RULE, type RuledRange } from './redaction-rules.ts';
import { isDistinctive, SecretValues } from './secret-values.ts';
import { isStatement, secretsOfStatement } from './sql-secrets.ts';

export const REDACTED = '[redacted]';
/** Replaces each redacted byte, so that lengths stay the same. */
const MASK_BYTE = 0x2a;
/** Rule of values that were learned elsewhere. */
const KNOWN_VALUE = 'a value found elsewhere';
const SHORT_NUMBER = 99;
/** Parts of a value are secrets of their own if they are long and consist of digits and letters. */
const MIN_PART_LENGTH = 8;
const PART_BREAKS = /[\s"'=,;:]+/;
/** Parts of cookies and of digest credentials that are not secret. */
const ATTRIBUTES =
  /[;,\s](?:path|expires|domain|samesite|max-age|httponly|secure|priority|partitioned|uri|realm|qop|algorithm)\b[^;,]*/gi;
const MAX_KNOWN_TEXTS = 10_000;
const MAX_KNOWN_TEXT_LENGTH = 100;

export class Redaction {
  /** Number of redacted places by rule. */
  readonly matches = new Map<string, number>();
  readonly #rules: RedactionRules;
  readonly #known = new SecretValues();
  /** Short texts without secrets, which recordings repeat. */
  readonly #harmlessTexts = new Set<string>();

  /** @param namesAndPatterns see `RedactionRules` */
  constructor(namesAndPatterns: readonly string[] = []) {
    this.#rules = new RedactionRules(namesAndPatterns);
  }

  /** The given names and patterns, for users. */
  get names(): readonly string[] {
    return this.#rules.names;
  }

  get redactsAll(): boolean {
    return this.#rules.redactsAll;
  }

  /** The learned values, for `learnKnown` of another redaction. */
  knownValues(): string[] {
    return [...this.#known];
  }

  learnKnown(values: readonly string[]): void {
    for (const value of values) this.#known.add(value);
  }

  learn(value: TraceValue): void {
    if (typeof value === 'string') this.#learnFromText(value, (text) => text);
    else if (value instanceof Uint8Array) this.#learnFromText(latin1Of(value), decodeLatin1);
    else if (Array.isArray(value)) {
      const parameters = this.#secretParameters(value);
      for (const [i, each] of (value as readonly TraceValue[]).entries()) {
        const name = this.#nameAt(value, i);
        if (name === undefined) this.learn(each);
        else this.learnNamed(each, name);
        if (parameters !== undefined && Array.isArray(each))
          for (const [k, item] of (each as readonly TraceValue[]).entries())
            if (parameters.has(k)) this.learnNamed(item, '');
      }
    } else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value))
        if (this.#rules.nameOf(key) === undefined) this.learn(each);
        else this.learnNamed(each, key);
  }

  /** Whether a name is one of a secret, so that its value is redacted. */
  isSecretName(name: string): boolean {
    return this.#rules.nameOf(name) !== undefined;
  }

  redactValue(value: TraceValue): TraceValue {
    if (typeof value === 'string') return this.redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return this.#redactBytes(value);
    if (Array.isArray(value)) {
      const parameters = this.#secretParameters(value);
      return (value as readonly TraceValue[]).map((each, i) => {
        const name = this.#nameAt(value, i);
        if (name !== undefined) return this.redactNamed(each, name);
        if (parameters === undefined || !Array.isArray(each)) return this.redactValue(each);
        return (each as readonly TraceValue[]).map((item, k) =>
          parameters.has(k) ? this.redactNamed(item, SQL_RULE) : this.redactValue(item),
        );
      });
    }
    const object: { [key: string]: TraceValue } = {};
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(object, key, {
        value: this.#rules.nameOf(key) === undefined ? this.redactValue(each) : this.redactNamed(each, key),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return object;
  }

  /** @param isCut whether the text may end in the middle of a secret */
  redactText(text: string, isCut = false): string {
    return this.#replaceSecrets(text, isCut, () => REDACTED);
  }

  /** Like `redactText`, but the length of the text stays the same. */
  maskText(text: string): string {
    return this.#replaceSecrets(text, true, (length) => String.fromCharCode(MASK_BYTE).repeat(length));
  }

  #replaceSecrets(text: string, isCut: boolean, replacement: (length: number) => string): string {
    if (this.#rules.isWholeSecret(text)) return replacement(text.length);
    let replaced = '';
    let place = 0;
    for (const { start, end } of this.#rangesIn(text, isCut)) {
      replaced += text.slice(place, start) + replacement(end - start);
      place = end;
    }
    return place === 0 ? text : replaced + text.slice(place);
  }

  /** Returns the name of an item that follows it, or precedes it as in a host object's property. */
  #nameAt(list: readonly TraceValue[], i: number): string | undefined {
    const key = keyBefore(list, i);
    if (key !== undefined) return this.isSecretName(key) ? key : undefined;
    const before = list[i - 1];
    if (typeof before === 'string' && this.#rules.isListedName(before)) return before;
    const [first, second, , name] = list;
    return i === 2 &&
      list.length === 4 &&
      typeof first === 'number' &&
      typeof second === 'number' &&
      typeof name === 'string' &&
      this.#rules.nameOf(name) !== undefined
      ? name
      : undefined;
  }

  /** Indexes of the secret parameters, for a list of a statement of SQL and its parameters. */
  #secretParameters(list: readonly TraceValue[]): ReadonlySet<number> | undefined {
    const sql = list.find((each) => typeof each === 'string' && isStatement(each));
    if (typeof sql !== 'string' || !list.some((each) => Array.isArray(each))) return undefined;
    const { parameters } = secretsOfStatement(sql, this.#rules.nameOf);
    return parameters.size === 0 ? undefined : parameters;
  }

  /** Redacts a value under the name of a secret. */
  redactNamed(value: TraceValue, name: string): TraceValue {
    const isGiven = this.#rules.isGiven(name);
    if (isGiven || isSecretScalar(value, this.#rules.nameOf(name)?.isPlural ?? false)) {
      this.#count(name.toLowerCase());
      return REDACTED;
    }
    const isContainer = Array.isArray(value) || this.#rules.nameOf(name)?.isPlural === true;
    return isContainer ? this.#redactStrings(value, name) : this.redactValue(value);
  }

  /** Redacts the texts of a list or object of secrets. */
  #redactStrings(value: TraceValue, name: string): TraceValue {
    if (Array.isArray(value)) return (value as readonly TraceValue[]).map((each) => this.redactNamed(each, name));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return this.redactValue(value);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.redactNamed(each, name)]));
  }

  /** Learns a value under the name of a secret. */
  learnNamed(value: TraceValue, name: string): void {
    if (typeof value === 'string') this.#learnValue(value, this.#rules.isGiven(name));
    else if (value instanceof Uint8Array) this.#learnValue(decodeLatin1(latin1Of(value)), false);
    else if (Array.isArray(value)) for (const each of value as readonly TraceValue[]) this.learnNamed(each, name);
    else if (typeof value === 'object' && value !== null)
      if (this.#rules.isGiven(name) || this.#rules.nameOf(name)?.isPlural === true)
        for (const each of Object.values(value)) this.learnNamed(each as TraceValue, name);
      else this.learn(value);
  }

  #learnFromText(text: string, decode: (part: string) => string): void {
    if (!this.redactsAll && this.#rules.isWholeSecret(text)) this.#learnValue(decode(text), true);
    if (this.#harmlessTexts.has(text)) return;
    let isHarmless = true;
    for (const { start, end, rule } of this.#rules.find(text)) {
      isHarmless = false;
      this.#learnValue(decode(text.slice(start, end)), this.#rules.isGiven(rule));
    }
    if (isHarmless && text.length <= MAX_KNOWN_TEXT_LENGTH && this.#harmlessTexts.size < MAX_KNOWN_TEXTS)
      this.#harmlessTexts.add(text);
  }

  /** Learns a value and its parts: the token of a header, its cookies, the password of basic credentials. */
  #learnValue(value: string, isGiven: boolean): void {
    if (value === REDACTED) return;
    if (isGiven || isDistinctive(value)) this.#known.add(value);
    const unescaped = unescape(value);
    if (unescaped !== value && isDistinctive(unescaped)) this.#known.add(unescaped);
    const [, basic] = /^basic +([\w+/-]+=*)$/i.exec(value) ?? [];
    if (basic !== undefined) {
      const [, ...password] = Buffer.from(basic, 'base64').toString().split(':');
      if (isDistinctive(password.join(':'))) this.#known.add(password.join(':'));
    }
    for (const part of value.replaceAll(ATTRIBUTES, '').split(PART_BREAKS))
      if (part.length >= MIN_PART_LENGTH && /\d/.test(part) && /[a-z]/i.test(part)) this.#known.add(part);
  }

  /** Finds what must be redacted in a text: ranges in order, none within another. */
  #rangesIn(text: string, isCut: boolean): RuledRange[] {
    const ranges = [...this.#rules.find(text)];
    for (const range of this.#known.find(text, isCut)) ranges.push({ ...range, rule: KNOWN_VALUE });
    if (ranges.length === 0) return ranges;
    const merged: RuledRange[] = [];
    for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const last = merged.at(-1);
      if (last !== undefined && range.start < last.end) {
        if (range.end > last.end) merged[merged.length - 1] = { ...last, end: range.end };
      } else if (text.slice(range.start, range.end) !== REDACTED) merged.push(range);
    }
    for (const { rule } of merged) this.#count(rule);
    return merged;
  }

  #redactBytes(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes);
    const text = copy.toString('latin1');
    if (this.#rules.isWholeSecret(text)) return new Uint8Array(copy.fill(MASK_BYTE));
    for (const { start, end } of this.#rangesIn(text, false)) copy.fill(MASK_BYTE, start, end);
    return new Uint8Array(copy);
  }

  #count(rule: string): void {
    this.matches.set(rule, (this.matches.get(rule) ?? 0) + 1);
  }
}

/** Whether a value under the name of a secret is one. Small numbers are counts, and in plural all numbers are. */
function isSecretScalar(value: TraceValue, isPlural: boolean): boolean {
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return !isPlural && Math.abs(value) > SHORT_NUMBER;
  return typeof value === 'bigint' || value instanceof Uint8Array;
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function decodeLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

/** Removes the escapes of JSON or of a URL. */
function unescape(value: string): string {
  try {
    if (value.includes('\\')) return JSON.parse(`"${value}"`) as string;
    if (value.includes('%')) return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    // It had no valid escapes.
  }
  return value;
}
