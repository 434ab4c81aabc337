// The rules that find secrets: the built-in ones, and names and patterns of the user.
import { misuseError } from '../recording-error.ts';
import { keywordPattern, LISTED_HEADER, namedValues } from './named-values.ts';
import { formattedSecrets } from './secret-formats.ts';
import { secretNameOf, type SecretName } from './secret-names.ts';
import type { TextRange } from './secret-values.ts';
import { sqlSecrets } from './sql-secrets.ts';

/** Names the built-in rules where names are listed. */
export const BUILT_IN_RULES = 'secrets';
export const SQL_RULE = 'SQL parameter';
const REDACT_ALL = '*';
const MAX_KNOWN_NAMES = 10_000;

export interface RuledRange extends TextRange {
  /** Description of the rule for users. */
  readonly rule: string;
}

export class RedactionRules {
  /** The given names and patterns, for users. */
  readonly names: readonly string[];
  /** Whether all texts and bytes are secret. */
  readonly redactsAll: boolean;
  readonly #givenNames: ReadonlySet<string>;
  readonly #keywords: RegExp;
  readonly #patterns: readonly RegExp[];
  /** Formats of the values of given headers. They identify a value without its name. */
  readonly #valueShapes: readonly RegExp[];
  readonly #knownNames = new Map<string, SecretName | undefined>();

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
    this.redactsAll = namesAndPatterns.includes(REDACT_ALL);
    this.#givenNames = new Set(names);
    this.#keywords = keywordPattern(names);
    this.#patterns = patterns.map((each) => parsePattern(each));
    this.#valueShapes = names.flatMap((name) =>
      Object.hasOwn(HEADER_VALUE_SHAPES, name) ? (HEADER_VALUE_SHAPES[name] ?? []) : [],
    );
  }

  /** Returns how a name is one of a secret, or undefined if it is not. */
  readonly nameOf = (name: string): SecretName | undefined => {
    if (this.isGiven(name)) return { isPlural: false };
    if (this.#knownNames.has(name)) return this.#knownNames.get(name);
    const secretName = secretNameOf(name);
    if (this.#knownNames.size < MAX_KNOWN_NAMES) this.#knownNames.set(name, secretName);
    return secretName;
  };

  /** Whether the user has given a name. */
  isGiven(name: string): boolean {
    return this.#givenNames.has(name.replace(/^--?/, '').toLowerCase());
  }

  /** Whether an item of a list names the next one: a given name, a header or a command-line flag. */
  isListedName(name: string): boolean {
    if (this.isGiven(name)) return true;
    return (name.startsWith('-') || LISTED_HEADER.test(name)) && secretNameOf(name.replace(/^--?/, '')) !== undefined;
  }

  /** Whether a text is secret as a whole. */
  isWholeSecret(text: string): boolean {
    return this.redactsAll || this.#valueShapes.some((shape) => shape.test(text));
  }

  /** Finds the secrets in a text. The ranges may overlap. */
  *find(text: string): Generator<RuledRange> {
    for (const { name, ...range } of namedValues(text, this.#keywords, this.nameOf))
      yield { ...range, rule: name.toLowerCase() };
    for (const { format, ...range } of formattedSecrets(text)) yield { ...range, rule: format };
    for (const range of sqlSecrets(text, this.nameOf)) yield { ...range, rule: SQL_RULE };
    for (const pattern of this.#patterns)
      for (const match of text.matchAll(pattern))
        yield { start: match.index, end: match.index + match[0].length, rule: String(pattern) };
  }
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
