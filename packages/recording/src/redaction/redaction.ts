// Redaction of secrets in texts and recorded values. Values under the name of a secret and values in the format of one
// are replaced; once learned, they are replaced wherever else they occur.
import type { JsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Recording } from '../recording.ts';
import { misuseError } from '../recording-error.ts';
import { TRACE_SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceValue } from '../trace/trace-events.ts';
import { HostReads, keyBefore } from './event-names.ts';
import { keywordPattern, namedValues } from './named-values.ts';
import { formattedSecrets } from './secret-formats.ts';
import { secretNameOf, type SecretName } from './secret-names.ts';
import { isDistinctive, SecretValues, type TextRange } from './secret-values.ts';
import { isStatement, secretsOfStatement, sqlSecrets } from './sql-secrets.ts';

export const REDACTED = '[redacted]';
/** Names the built-in rules where names are listed. */
export const BUILT_IN_RULES = 'secrets';
/** Replaces each redacted byte, so that lengths stay the same. */
const MASK_BYTE = 0x2a;
const REDACT_ALL = '*';
/** Rule of values that were learned elsewhere. */
const KNOWN_VALUE = 'a value found elsewhere';
/** Headers that precede their values in lists, as in raw headers. */
const LISTED_HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^x-/i;
const NO_READ = { name: undefined, isKeyList: false } as const;
const SHORT_NUMBER = 99;
/** Parts of a value are secrets of their own if they are long and consist of digits and letters. */
const MIN_PART_LENGTH = 8;
const PART_BREAKS = /[\s"'=,;:]+/;
const MAX_KNOWN_NAMES = 10_000;
const MAX_KNOWN_TEXTS = 10_000;
const MAX_KNOWN_TEXT_LENGTH = 100;

interface RuledRange extends TextRange {
  readonly rule: string;
}

export class Redaction {
  /** The given names and patterns, for users. */
  readonly names: readonly string[];
  /** Number of redacted places by rule. */
  readonly matches = new Map<string, number>();
  readonly #givenNames: ReadonlySet<string>;
  readonly #keywords: RegExp;
  readonly #patterns: readonly RegExp[];
  /** Formats of the values of given headers. They identify a value without its name. */
  readonly #valueShapes: readonly RegExp[];
  readonly #redactsAll: boolean;
  readonly #known = new SecretValues();
  /** Short texts without secrets, which recordings repeat. */
  readonly #harmlessTexts = new Set<string>();
  readonly #knownNames = new Map<string, SecretName | undefined>();
  readonly #nameOf = (name: string): SecretName | undefined => {
    if (this.#givenNames.has(name.toLowerCase())) return { isPlural: false };
    if (this.#knownNames.has(name)) return this.#knownNames.get(name);
    const secretName = secretNameOf(name);
    if (this.#knownNames.size < MAX_KNOWN_NAMES) this.#knownNames.set(name, secretName);
    return secretName;
  };

  /**
   * @param namesAndPatterns additions to the built-in rules: names in any case, patterns (`/sk_live_\w+/`), or `*` for all
   *   texts and bytes
   */
  constructor(namesAndPatterns: readonly string[] = []) {
    const patterns = namesAndPatterns.filter((each) => PATTERN_SYNTAX.test(each));
    const names = namesAndPatterns
      .filter((each) => each !== REDACT_ALL && each !== BUILT_IN_RULES && !PATTERN_SYNTAX.test(each))
      .map((name) => name.toLowerCase());
    if (names.includes('')) throw misuseError('a name to redact is empty');
    this.names = namesAndPatterns.length === 0 ? [BUILT_IN_RULES] : namesAndPatterns;
    this.#redactsAll = namesAndPatterns.includes(REDACT_ALL);
    this.#givenNames = new Set(names);
    this.#keywords = keywordPattern(names);
    this.#patterns = patterns.map((each) => parsePattern(each));
    this.#valueShapes = names.flatMap((name) =>
      Object.hasOwn(HEADER_VALUE_SHAPES, name) ? (HEADER_VALUE_SHAPES[name] ?? []) : [],
    );
  }

  /** Learns the secrets of a recording. @throws {RecordingError} if a trace is damaged */
  learnAll(recording: Recording): void {
    for (const learned of this.learnStepwise(recording)) void learned;
  }

  /** Like `learnAll`, but yields after each event, so that the caller can pause. */
  *learnStepwise(recording: Recording): Generator<void> {
    this.learn(redactedFieldsOf(recording.manifest));
    for (const { worker, epoch } of recording.traces()) {
      const trace = recording.trace(worker, epoch);
      const reads = new HostReads();
      try {
        for (let { next: event } = trace; event !== undefined; { next: event } = trace) {
          this.learnEvent(event, reads);
          trace.take();
          yield;
        }
      } finally {
        trace.close();
      }
    }
  }

  /** The learned values, for `learnKnown` of another redaction. */
  knownValues(): string[] {
    return [...this.#known];
  }

  learnKnown(values: readonly string[]): void {
    for (const value of values) this.#known.add(value);
  }

  /** @param reads the reads of the event's thread so far */
  learnEvent(event: TraceEvent, reads: HostReads): void {
    if (event.type === 'messages') return;
    const { name, isKeyList } = event.type === 'outcome' ? reads.next(event.source, event.value) : NO_READ;
    if (isKeyList) return;
    if (name !== undefined && this.isSecretName(name)) this.#learnNamed(describedValue(event.value), name);
    else this.learn(event.value);
  }

  learn(value: TraceValue): void {
    if (typeof value === 'string') this.#learnFromText(value, (text) => text);
    else if (value instanceof Uint8Array) this.#learnFromText(latin1Of(value), decodeLatin1);
    else if (Array.isArray(value)) {
      const parameters = this.#secretParameters(value);
      for (const [i, each] of (value as readonly TraceValue[]).entries()) {
        const name = this.#nameAt(value, i);
        if (name === undefined) this.learn(each);
        else this.#learnNamed(each, name);
        if (parameters !== undefined && Array.isArray(each))
          for (const [k, item] of (each as readonly TraceValue[]).entries())
            if (parameters.has(k)) this.#learnNamed(item, '');
      }
    } else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value))
        if (this.#nameOf(key) === undefined) this.learn(each);
        else this.#learnNamed(each, key);
  }

  /** Whether a name is one of a secret, so that its value is redacted. */
  isSecretName(name: string): boolean {
    return this.#nameOf(name) !== undefined;
  }

  redactValue(value: TraceValue): TraceValue {
    if (typeof value === 'string') return this.redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return this.#redactBytes(value);
    if (Array.isArray(value)) {
      const parameters = this.#secretParameters(value);
      return (value as readonly TraceValue[]).map((each, i) => {
        const name = this.#nameAt(value, i);
        if (name !== undefined) return this.#redactNamed(each, name);
        if (parameters === undefined || !Array.isArray(each)) return this.redactValue(each);
        return (each as readonly TraceValue[]).map((item, k) =>
          parameters.has(k) ? this.#redactNamed(item, 'SQL parameter') : this.redactValue(item),
        );
      });
    }
    const object: { [key: string]: TraceValue } = {};
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(object, key, {
        value: this.#nameOf(key) === undefined ? this.redactValue(each) : this.#redactNamed(each, key),
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
    if (this.#redactsAll || this.#valueShapes.some((shape) => shape.test(text))) return replacement(text.length);
    let replaced = '';
    let place = 0;
    for (const { start, end } of this.#rangesIn(text, isCut)) {
      replaced += text.slice(place, start) + replacement(end - start);
      place = end;
    }
    return place === 0 ? text : replaced + text.slice(place);
  }

  /** @param reads the reads of the event's thread so far */
  redactEvent(event: TraceEvent, reads: HostReads): TraceEvent {
    switch (event.type) {
      case 'messages':
        return event;
      case 'scheduler':
        return {
          ...event,
          key: this.#redactsAll ? event.key : this.redactText(event.key),
          value: this.redactValue(event.value),
        };
      case 'entry':
        return { ...event, value: this.redactValue(event.value) };
      case 'outcome':
        return { ...event, value: this.#redactOutcome(event.source, event.value, reads) };
    }
  }

  /** Redacts the fields of a manifest that may hold secrets. */
  redactManifest(manifest: Manifest): Manifest {
    const redactedFields = this.redactValue(redactedFieldsOf(manifest)) as unknown as Pick<
      Manifest,
      (typeof REDACTED_FIELDS)[number]
    >;
    return { ...manifest, ...redactedFields, notes: redactedFields.notes as JsonObject };
  }

  /** Redacts the results of a machine request but not the request, which is the name of a Node function. */
  #redactOutcome(source: number, value: TraceValue, reads: HostReads): TraceValue {
    const { name, isKeyList } = reads.next(source, value);
    if (isKeyList) return value;
    if (name !== undefined && this.isSecretName(name)) return this.#redactDescribed(value, name);
    if (source !== TRACE_SOURCES.machine || !Array.isArray(value)) return this.redactValue(value);
    const [question, ...results] = value as readonly TraceValue[];
    return [question, ...results.map((each) => this.redactValue(each))];
  }

  /** Redacts the value in a description of a property, which is its last item. */
  #redactDescribed(value: TraceValue, name: string): TraceValue {
    const [predicted, operation, description, ...others] = value as readonly TraceValue[];
    if (!Array.isArray(description)) return this.redactValue(value);
    const items = description as readonly TraceValue[];
    return [predicted, operation, [...items.slice(0, -1), this.#redactNamed(items.at(-1), name)], ...others];
  }

  /** Returns the name of an item that follows it, or precedes it as in a host object's property. */
  #nameAt(list: readonly TraceValue[], i: number): string | undefined {
    const key = keyBefore(list, i);
    if (key !== undefined) return this.isSecretName(key) ? key : undefined;
    const before = list[i - 1];
    if (typeof before === 'string' && this.#isListedName(before)) return before;
    const [first, second, , name] = list;
    return i === 2 &&
      list.length === 4 &&
      typeof first === 'number' &&
      typeof second === 'number' &&
      typeof name === 'string' &&
      this.#nameOf(name) !== undefined
      ? name
      : undefined;
  }

  /** Whether an item of a list names the next one: a given name, a header or a command-line flag. */
  #isListedName(name: string): boolean {
    const ownName = name.replace(/^--?/, '');
    if (this.#givenNames.has(ownName.toLowerCase())) return true;
    return (name.startsWith('-') || LISTED_HEADER.test(name)) && secretNameOf(ownName) !== undefined;
  }

  /** Indexes of the secret parameters, for a list of a statement of SQL and its parameters. */
  #secretParameters(list: readonly TraceValue[]): ReadonlySet<number> | undefined {
    const sql = list.find((each) => typeof each === 'string' && isStatement(each));
    if (typeof sql !== 'string' || !list.some((each) => Array.isArray(each))) return undefined;
    const { parameters } = secretsOfStatement(sql, this.#nameOf);
    return parameters.size === 0 ? undefined : parameters;
  }

  #redactNamed(value: TraceValue, name: string): TraceValue {
    const isGiven = this.#givenNames.has(name.replace(/^--?/, '').toLowerCase());
    if (isGiven || isSecretScalar(value, this.#nameOf(name)?.isPlural ?? false)) {
      this.#count(name.toLowerCase());
      return REDACTED;
    }
    const isContainer = Array.isArray(value) || this.#nameOf(name)?.isPlural === true;
    return isContainer ? this.#redactStrings(value, name) : this.redactValue(value);
  }

  /** Redacts the texts of a list or object of secrets. */
  #redactStrings(value: TraceValue, name: string): TraceValue {
    if (Array.isArray(value)) return (value as readonly TraceValue[]).map((each) => this.#redactNamed(each, name));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return this.redactValue(value);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#redactNamed(each, name)]));
  }

  #learnNamed(value: TraceValue, name: string): void {
    if (typeof value === 'string') this.#learnValue(value, this.#givenNames.has(name.toLowerCase()));
    else if (value instanceof Uint8Array) this.#learnValue(decodeLatin1(latin1Of(value)), false);
    else if (Array.isArray(value)) for (const each of value as readonly TraceValue[]) this.#learnNamed(each, name);
    else if (typeof value === 'object' && value !== null)
      if (this.#givenNames.has(name.toLowerCase()) || this.#nameOf(name)?.isPlural === true)
        for (const each of Object.values(value)) this.#learnNamed(each as TraceValue, name);
      else this.learn(value);
  }

  #learnFromText(text: string, decode: (part: string) => string): void {
    if (this.#valueShapes.some((shape) => shape.test(text))) this.#learnValue(decode(text), true);
    if (this.#harmlessTexts.has(text)) return;
    let isHarmless = true;
    for (const { start, end, rule } of this.#unknownRangesIn(text)) {
      isHarmless = false;
      this.#learnValue(decode(text.slice(start, end)), this.#givenNames.has(rule));
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
    for (const part of value.split(PART_BREAKS))
      if (part.length >= MIN_PART_LENGTH && /\d/.test(part) && /[a-z]/i.test(part)) this.#known.add(part);
  }

  /** Finds what must be redacted in a text: ranges in order, none within another. */
  #rangesIn(text: string, isCut: boolean): RuledRange[] {
    const ranges = [...this.#unknownRangesIn(text)];
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

  *#unknownRangesIn(text: string): Generator<RuledRange> {
    for (const { name, ...range } of namedValues(text, this.#keywords, this.#nameOf))
      yield { ...range, rule: name.toLowerCase() };
    for (const { format, ...range } of formattedSecrets(text)) yield { ...range, rule: format };
    for (const range of sqlSecrets(text, this.#nameOf)) yield { ...range, rule: 'SQL parameter' };
    for (const pattern of this.#patterns)
      for (const match of text.matchAll(pattern))
        yield { start: match.index, end: match.index + match[0].length, rule: String(pattern) };
  }

  #redactBytes(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes);
    const text = copy.toString('latin1');
    if (this.#redactsAll || this.#valueShapes.some((shape) => shape.test(text)))
      return new Uint8Array(copy.fill(MASK_BYTE));
    for (const { start, end } of this.#rangesIn(text, false)) copy.fill(MASK_BYTE, start, end);
    return new Uint8Array(copy);
  }

  #count(rule: string): void {
    this.matches.set(rule, (this.matches.get(rule) ?? 0) + 1);
  }
}

/** The value in an encoded description of a property. */
function describedValue(value: TraceValue): TraceValue {
  const [, , description] = value as readonly TraceValue[];
  return Array.isArray(description) ? (description as readonly TraceValue[]).at(-1) : undefined;
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

/** Fields of the manifest that may hold secrets. */
const REDACTED_FIELDS = ['argv', 'execArgv', 'env', 'devices', 'notes'] as const;

function redactedFieldsOf({ argv, execArgv, env, devices, notes }: Manifest): TraceValue {
  return { argv, execArgv, env, devices, notes };
}

const PATTERN_SYNTAX = /^\/(.+)\/([a-z]*)$/s;

function parsePattern(pattern: string): RegExp {
  const [, source = '', flags = ''] = PATTERN_SYNTAX.exec(pattern) ?? [];
  try {
    return new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  } catch (error) {
    throw misuseError(`${pattern} is not a regular expression: ${(error as Error).message}`);
  }
}

const CREDENTIALS_SHAPE = /^(?:basic|bearer|digest|negotiate|ntlm|token|aws4-hmac-sha256) +\S/i;
const COOKIES_SHAPE = /^[^\s=;,"]+=[^;\r\n]*(?:; *[^\s=;,"]+(?:=[^;\r\n]*)?)*$/;

/** Formats of the values of well-known headers. */
const HEADER_VALUE_SHAPES: Readonly<Record<string, RegExp>> = {
  authorization: CREDENTIALS_SHAPE,
  'proxy-authorization': CREDENTIALS_SHAPE,
  cookie: COOKIES_SHAPE,
  'set-cookie': COOKIES_SHAPE,
};
