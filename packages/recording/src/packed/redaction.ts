// Takes out of a recording what is under certain names: variables of the environment, fields, headers, parameters. What stood there is taken out
// wherever else it stands, too, so a recording is read twice: to learn what is to go, and to write what remains. What remains is to be looked at;
// it is not a run that can be had again. What stands under no name is known by what it looks like, or by a pattern, or everything goes.

import type { JsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Recording } from '../recording.ts';
import { misuse } from '../recording-error.ts';
import { SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceValue } from '../trace/events.ts';

export const REDACTED = '[redacted]';
/** In bytes each of what is taken out becomes this, so that there are as many. */
const BLACK = 0x2a;
/** A shorter text stands for itself in too many places to be taken out of all of them. */
const TELLING = 6;

export class Redaction {
  readonly names: readonly string[];
  readonly #lower: ReadonlySet<string>;
  /** Values that are written out behind a name, which is in a group. */
  readonly #written: RegExp | undefined;
  readonly #patterns: readonly RegExp[];
  /** Texts that are what a name stands for, by what they look like. */
  readonly #shapes: readonly RegExp[];
  readonly #isAll: boolean;
  readonly #secrets = new Set<string>();
  #sorted: readonly string[] | undefined;

  /** `wanted`: names of whatever case, patterns (`/sk_live_\w+/`), `*` for all texts and bytes. */
  constructor(wanted: readonly string[]) {
    this.names = wanted;
    const patterns = wanted.filter((each) => PATTERN.test(each));
    const names = wanted.filter((each) => each !== ALL && !PATTERN.test(each)).map((name) => name.toLowerCase());
    if (wanted.length === 0 || names.includes('')) throw misuse('nothing is named that is to be redacted');
    this.#isAll = wanted.includes(ALL);
    this.#lower = new Set(names);
    this.#written = names.length === 0 ? undefined : writtenOut(names);
    this.#patterns = patterns.map((each) => patternOf(each));
    this.#shapes = names.flatMap((name) => (Object.hasOwn(SHAPES, name) ? (SHAPES[name] ?? []) : []));
  }

  /** Learns what stands in a recording under the names. @throws {RecordingError} if a trace is damaged */
  learnAll(recording: Recording): void {
    this.learn(openOf(recording.manifest));
    for (const { worker, life } of recording.traces()) {
      const trace = recording.trace(worker, life);
      try {
        for (let { next } = trace; next !== undefined; { next } = trace) {
          if ('value' in next) this.learn(next.value);
          trace.take();
        }
      } finally {
        trace.close();
      }
    }
  }

  learn(value: TraceValue): void {
    this.#walk(value, (found) => this.#learnTexts(found));
    this.#sorted = undefined;
  }

  value(value: TraceValue): TraceValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return this.#bytes(value);
    if (Array.isArray(value))
      return value.map((each: TraceValue, i) => (this.#isNamedIn(value, i) ? REDACTED : this.value(each)));
    const object: { [key: string]: TraceValue } = {};
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(object, key, {
        value: this.#isNamed(key) ? REDACTED : this.value(each),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return object;
  }

  text(text: string): string {
    if (this.#isAll || this.#shapes.some((shape) => shape.test(text))) return REDACTED;
    let redacted = text;
    if (this.#written !== undefined)
      redacted = redacted.replaceAll(this.#written, (...match) => `${before(match as string[])}${REDACTED}`);
    for (const pattern of this.#patterns) redacted = redacted.replaceAll(pattern, REDACTED);
    for (const secret of this.#known) redacted = redacted.replaceAll(secret, REDACTED);
    return redacted;
  }

  event(event: TraceEvent): TraceEvent {
    switch (event.what) {
      case 'messages':
        return event;
      case 'happened':
        return { ...event, key: this.#isAll ? event.key : this.text(event.key), value: this.value(event.value) };
      case 'entry':
        return { ...event, value: this.value(event.value) };
      case 'outcome':
        return { ...event, value: this.#answer(event.source, event.value) };
    }
  }

  /** Says in it that it has been done. */
  manifest(manifest: Manifest): Manifest {
    const open = this.value(openOf(manifest)) as unknown as Pick<Manifest, (typeof OPEN)[number]>;
    return { ...manifest, ...open, notes: open.notes as JsonObject, redacted: [...this.names] };
  }

  /** What was asked of the machine is a function of Node's. */
  #answer(source: number, value: TraceValue): TraceValue {
    if (source !== SOURCES.machine || !Array.isArray(value)) return this.value(value);
    const [asked, ...rest] = value as readonly TraceValue[];
    return [asked, ...rest.map((each) => this.value(each))];
  }

  get #known(): readonly string[] {
    // The longest first, so that none leaves the rest of another.
    return (this.#sorted ??= [...this.#secrets].toSorted((one, other) => other.length - one.length));
  }

  #isNamed(name: TraceValue): boolean {
    // As flags of a command, too.
    return typeof name === 'string' && name.length < 1000 && this.#lower.has(name.replace(/^--?/, '').toLowerCase());
  }

  /** Behind its name; or, in what was read off an object of the outside, before it: two numbers, the value, and its name. */
  #isNamedIn(list: readonly TraceValue[], i: number): boolean {
    if (this.#isNamed(list[i - 1])) return true;
    const [one, other] = list;
    return (
      i === 2 && list.length === 4 && typeof one === 'number' && typeof other === 'number' && this.#isNamed(list[3])
    );
  }

  #walk(value: TraceValue, found: (value: TraceValue) => void): void {
    if (typeof value === 'string') this.#walkText(value, found);
    else if (value instanceof Uint8Array) this.#walkText(Buffer.from(value).toString('latin1'), found);
    else if (Array.isArray(value))
      for (const [i, each] of (value as readonly TraceValue[]).entries())
        if (this.#isNamedIn(value, i)) found(each);
        else this.#walk(each, found);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value))
        if (this.#isNamed(key)) found(each);
        else this.#walk(each, found);
  }

  #walkText(text: string, found: (value: TraceValue) => void): void {
    if (this.#shapes.some((shape) => shape.test(text))) found(text);
    for (const [start, end] of this.#places(text)) found(text.slice(start, end));
  }

  /** Where in a text something stands that is to go. */
  *#places(text: string): Generator<readonly [start: number, end: number]> {
    if (this.#written !== undefined)
      for (const match of text.matchAll(this.#written))
        yield [match.index + before(match).length, match.index + match[0].length];
    for (const pattern of this.#patterns)
      for (const match of text.matchAll(pattern)) yield [match.index, match.index + match[0].length];
  }

  #learnTexts(value: TraceValue): void {
    if (typeof value === 'string') {
      if (value.length >= TELLING && value !== REDACTED) this.#secrets.add(value);
    } else if (Array.isArray(value)) for (const each of value as readonly TraceValue[]) this.#learnTexts(each);
    else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
      for (const each of Object.values(value)) this.#learnTexts(each as TraceValue);
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes);
    const text = copy.toString('latin1');
    if (this.#isAll || this.#shapes.some((shape) => shape.test(text))) return new Uint8Array(copy.fill(BLACK));
    for (const [start, end] of this.#places(text)) copy.fill(BLACK, start, end);
    for (const secret of this.#known)
      for (const encoding of ['utf8', 'utf16le'] as const) {
        const wanted = Buffer.from(secret, encoding);
        for (let at = copy.indexOf(wanted); at !== -1; at = copy.indexOf(wanted, at + wanted.length))
          copy.fill(BLACK, at, at + wanted.length);
      }
    return new Uint8Array(copy);
  }
}

/** What of a manifest is anybody's own. */
const OPEN = ['argv', 'execArgv', 'env', 'devices', 'notes'] as const;

function openOf({ argv, execArgv, env, devices, notes }: Manifest): TraceValue {
  return { argv, execArgv, env, devices, notes };
}

const ALL = '*';
const PATTERN = /^\/(.+)\/([a-z]*)$/s;

function patternOf(text: string): RegExp {
  const [, source = '', flags = ''] = PATTERN.exec(text) ?? [];
  try {
    return new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  } catch (error) {
    throw misuse(`${text} is no regular expression: ${(error as Error).message}`);
  }
}

const CREDENTIALS = /^(?:basic|bearer|digest|negotiate|ntlm|token|aws4-hmac-sha256) +\S/i;
const COOKIES = /^[^\s=;,"]+=[^;\r\n]*(?:; *[^\s=;,"]+(?:=[^;\r\n]*)?)*$/;

/** What the values of headers look like that are mostly meant. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  authorization: CREDENTIALS,
  'proxy-authorization': CREDENTIALS,
  cookie: COOKIES,
  'set-cookie': COOKIES,
};

/** What of a match stays: the name and what is between it and the value. */
function before([, header, json, parameter]: readonly (string | undefined)[]): string {
  return header ?? json ?? parameter ?? '';
}

/** A line of a header, a member of an object in JSON, a parameter: what stands before the value is in one of the groups. */
function writtenOut(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
  const header = `((?<=^|[\\r\\n])(?:${any}):[ \\t]*)[^\\r\\n]+`;
  const json = `("(?:${any})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*(?=")`;
  const parameter = `((?<![\\w-])(?:--?)?(?:${any})=)[^\\s&;"']+`;
  return new RegExp(`${header}|${json}|${parameter}`, 'gi');
}
