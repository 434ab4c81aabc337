// Redacts named values of a recording (environment variables, fields, headers, parameters) wherever they occur. A
// recording is therefore read twice: to learn the values, then to copy the rest. The result can be inspected but not
// replayed. Values without a name are found by their format or a pattern.

import type { JsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Recording } from '../recording.ts';
import { misuseError } from '../recording-error.ts';
import { TRACE_SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceValue } from '../trace/trace-events.ts';

export const REDACTED = '[redacted]';
/** Replaces each redacted byte, so that lengths stay the same. */
const MASK_BYTE = 0x2a;
/** Minimum length of a redacted text: shorter ones occur in too many other places. */
const MIN_SECRET_LENGTH = 6;

export class Redaction {
  readonly names: readonly string[];
  readonly #lowerCaseNames: ReadonlySet<string>;
  /** Matches a name with its value. A group holds the text before the value. */
  readonly #namedValues: RegExp | undefined;
  readonly #patterns: readonly RegExp[];
  /** Formats of the values of named headers. They identify a value without its name. */
  readonly #valueShapes: readonly RegExp[];
  readonly #redactsAll: boolean;
  readonly #secrets = new Set<string>();
  #sortedSecrets: readonly string[] | undefined;

  /** @param namesAndPatterns names in any case, patterns (`/sk_live_\w+/`), or `*` for all texts and bytes */
  constructor(namesAndPatterns: readonly string[]) {
    this.names = namesAndPatterns;
    const patterns = namesAndPatterns.filter((each) => PATTERN_SYNTAX.test(each));
    const names = namesAndPatterns
      .filter((each) => each !== REDACT_ALL && !PATTERN_SYNTAX.test(each))
      .map((name) => name.toLowerCase());
    if (namesAndPatterns.length === 0 || names.includes(''))
      throw misuseError('no names or patterns to redact were given');
    this.#redactsAll = namesAndPatterns.includes(REDACT_ALL);
    this.#lowerCaseNames = new Set(names);
    this.#namedValues = names.length === 0 ? undefined : namedValuePattern(names);
    this.#patterns = patterns.map((each) => parsePattern(each));
    this.#valueShapes = names.flatMap((name) =>
      Object.hasOwn(HEADER_VALUE_SHAPES, name) ? (HEADER_VALUE_SHAPES[name] ?? []) : [],
    );
  }

  /** Collects the named values of a recording. @throws {RecordingError} if a trace is damaged */
  learnAll(recording: Recording): void {
    this.learn(redactedFieldsOf(recording.manifest));
    for (const { worker, epoch } of recording.traces()) {
      const trace = recording.trace(worker, epoch);
      try {
        for (let { next: event } = trace; event !== undefined; { next: event } = trace) {
          if ('value' in event) this.learn(event.value);
          trace.take();
        }
      } finally {
        trace.close();
      }
    }
  }

  learn(value: TraceValue): void {
    this.#walk(value, (visit) => this.#learnStrings(visit));
    this.#sortedSecrets = undefined;
  }

  redactValue(value: TraceValue): TraceValue {
    if (typeof value === 'string') return this.redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return this.#redactBytes(value);
    if (Array.isArray(value))
      return value.map((each: TraceValue, i) => (this.#isNamedAt(value, i) ? REDACTED : this.redactValue(each)));
    const object: { [key: string]: TraceValue } = {};
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(object, key, {
        value: this.#isNamed(key) ? REDACTED : this.redactValue(each),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return object;
  }

  redactText(text: string): string {
    if (this.#redactsAll || this.#valueShapes.some((shape) => shape.test(text))) return REDACTED;
    let redacted = text;
    if (this.#namedValues !== undefined)
      redacted = redacted.replaceAll(this.#namedValues, (...match) => `${prefixOf(match as string[])}${REDACTED}`);
    for (const pattern of this.#patterns) redacted = redacted.replaceAll(pattern, REDACTED);
    for (const secret of this.#secretsByLength) redacted = redacted.replaceAll(secret, REDACTED);
    return redacted;
  }

  redactEvent(event: TraceEvent): TraceEvent {
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
        return { ...event, value: this.#redactOutcome(event.source, event.value) };
    }
  }

  /** Returns the redacted manifest, which lists the redacted names. */
  redactManifest(manifest: Manifest): Manifest {
    const redactedFields = this.redactValue(redactedFieldsOf(manifest)) as unknown as Pick<
      Manifest,
      (typeof REDACTED_FIELDS)[number]
    >;
    return { ...manifest, ...redactedFields, notes: redactedFields.notes as JsonObject, redacted: [...this.names] };
  }

  /** Redacts the results of a machine request but not the request, which is the name of a Node function. */
  #redactOutcome(source: number, value: TraceValue): TraceValue {
    if (source !== TRACE_SOURCES.machine || !Array.isArray(value)) return this.redactValue(value);
    const [question, ...results] = value as readonly TraceValue[];
    return [question, ...results.map((each) => this.redactValue(each))];
  }

  get #secretsByLength(): readonly string[] {
    // Longest first, because a secret may contain another one.
    return (this.#sortedSecrets ??= [...this.#secrets].toSorted((first, second) => second.length - first.length));
  }

  #isNamed(name: TraceValue): boolean {
    // The name may also be a command-line flag.
    return (
      typeof name === 'string' && name.length < 1000 && this.#lowerCaseNames.has(name.replace(/^--?/, '').toLowerCase())
    );
  }

  /** Whether item `i` follows its name, or precedes it as in a host object's property: two numbers, value, name. */
  #isNamedAt(list: readonly TraceValue[], i: number): boolean {
    if (this.#isNamed(list[i - 1])) return true;
    const [first, second] = list;
    return (
      i === 2 && list.length === 4 && typeof first === 'number' && typeof second === 'number' && this.#isNamed(list[3])
    );
  }

  #walk(value: TraceValue, visit: (value: TraceValue) => void): void {
    if (typeof value === 'string') this.#walkText(value, visit);
    else if (value instanceof Uint8Array) this.#walkText(Buffer.from(value).toString('latin1'), visit);
    else if (Array.isArray(value))
      for (const [i, each] of (value as readonly TraceValue[]).entries())
        if (this.#isNamedAt(value, i)) visit(each);
        else this.#walk(each, visit);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value))
        if (this.#isNamed(key)) visit(each);
        else this.#walk(each, visit);
  }

  #walkText(text: string, visit: (value: TraceValue) => void): void {
    if (this.#valueShapes.some((shape) => shape.test(text))) visit(text);
    for (const [start, end] of this.#ranges(text)) visit(text.slice(start, end));
  }

  /** Finds the ranges of a text that must be redacted. */
  *#ranges(text: string): Generator<readonly [start: number, end: number]> {
    if (this.#namedValues !== undefined)
      for (const match of text.matchAll(this.#namedValues))
        yield [match.index + prefixOf(match).length, match.index + match[0].length];
    for (const pattern of this.#patterns)
      for (const match of text.matchAll(pattern)) yield [match.index, match.index + match[0].length];
  }

  #learnStrings(value: TraceValue): void {
    if (typeof value === 'string') {
      if (value.length >= MIN_SECRET_LENGTH && value !== REDACTED) this.#secrets.add(value);
    } else if (Array.isArray(value)) for (const each of value as readonly TraceValue[]) this.#learnStrings(each);
    else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
      for (const each of Object.values(value)) this.#learnStrings(each as TraceValue);
  }

  #redactBytes(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes);
    const text = copy.toString('latin1');
    if (this.#redactsAll || this.#valueShapes.some((shape) => shape.test(text)))
      return new Uint8Array(copy.fill(MASK_BYTE));
    for (const [start, end] of this.#ranges(text)) copy.fill(MASK_BYTE, start, end);
    for (const secret of this.#secretsByLength)
      for (const encoding of ['utf8', 'utf16le'] as const) {
        const encodedSecret = Buffer.from(secret, encoding);
        for (
          let offset = copy.indexOf(encodedSecret);
          offset !== -1;
          offset = copy.indexOf(encodedSecret, offset + encodedSecret.length)
        )
          copy.fill(MASK_BYTE, offset, offset + encodedSecret.length);
      }
    return new Uint8Array(copy);
  }
}

/** Fields of the manifest that may hold secrets. */
const REDACTED_FIELDS = ['argv', 'execArgv', 'env', 'devices', 'notes'] as const;

function redactedFieldsOf({ argv, execArgv, env, devices, notes }: Manifest): TraceValue {
  return { argv, execArgv, env, devices, notes };
}

const REDACT_ALL = '*';
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

/** Returns the part of a match that stays: the name and its separator. */
function prefixOf([, header, jsonMember, parameter]: readonly (string | undefined)[]): string {
  return header ?? jsonMember ?? parameter ?? '';
}

/** Matches header lines, JSON members and parameters, with the text before the value in a group. */
function namedValuePattern(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => name.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
  const header = `((?<=^|[\\r\\n])(?:${alternatives}):[ \\t]*)[^\\r\\n]+`;
  const json = `("(?:${alternatives})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*(?=")`;
  const parameter = `((?<![\\w-])(?:--?)?(?:${alternatives})=)[^\\s&;"']+`;
  return new RegExp(`${header}|${json}|${parameter}`, 'gi');
}
