// Finds the values of secret names in a text: header lines, members of JSON (also escaped in other texts), of inspected
// objects and of YAML, parameters of URLs and forms, parts of multipart bodies, XML elements, command-line flags,
// assignments. A value without a closing quote ends with the text, which may have been cut.
import { SECRET_STEMS, type SecretName } from './secret-names.ts';
import type { TextRange } from './secret-values.ts';

export type SecretNameTest = (name: string) => SecretName | undefined;

export interface NamedRange extends TextRange {
  readonly name: string;
}

const NAME_CHARACTER = /[\w$.-]/;
const MAX_NAME_LENGTH = 100;
/** Limits of the search for the end of a list or object: characters, and lists within lists. */
const MAX_CONTAINER_LENGTH = 100_000;
const MAX_CONTAINER_DEPTH = 20;
/** Maximum number of characters from the name of a part of a multipart body to the end of its headers. */
const MAX_PART_HEADERS_LENGTH = 1000;

/** A colour of a terminal, as loggers print before a value. */
const ESCAPE = '\u001B';
const COLOUR = `(?:${ESCAPE}\\[[\\d;]{1,20}m)?`;
const AFTER_NAME = new RegExp(
  `(?<quote>\\\\*["'\`]|%22|&quot;)?(?:\\]|%5D)*${COLOUR}(?<spaces>[ \\t]*)(?<separator>=>|[:=>(,]|%3A|%3D)?[ \\t]*${COLOUR}`,
  'iy',
);
const OPENING_QUOTE = /(?<backslashes>\\*)(?<quote>["'`])/y;
const ENCODED_QUOTE = /%22|&quot;/iy;
const UNQUOTED = new RegExp(`[^\\s&;,"'\`<>(){}[\\]|\\\\${ESCAPE}]+`, 'y');
/** Values that are no secrets, or show that one is missing or was redacted. */
const HARMLESS_VALUE = /^(?:true|false|null|undefined|nan|none|function|class|async|\*+|-?\d{1,2}|\$\d+|\?)$/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const SQL_OPTION = /^(?:password|secret)$/i;
/** Headers that precede their values in lists, as in raw headers. */
export const LISTED_HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^x-/i;
/** Headers whose values have spaces and commas. */
const CREDENTIAL_HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;
/** Authentication schemes, which are separated from the secret by a space. */
const SCHEME = /(?:basic|bearer|digest|negotiate|ntlm|token|apikey|aws4-hmac-sha256)[ \t]+/iy;
const LINE_END = /[\r\n]|\\+[rn]/g;
/** Start of another named value in the same line. */
const NEXT_NAME = /[,;&]\s{0,9}["']?[\w$.-]{1,99}["']?\s{0,9}[:=]|\s[\w$.-]{1,99}=|[,\s]{0,9}[}\])]/g;
/** Follows the name of a class or function, which is no value. */
const PART_START = /(?:\(\d+\))?\s*[({[]/y;
const MULTIPART_HEADER = /\bname=\\*"?$/i;
const MULTIPART_BODY = /(?:\r\n|\\+r\\+n)(?:\r\n|\\+r\\+n)/;
const MULTIPART_END = /(?:\r\n|\\+r\\+n)--/g;
const BYTES = /<Buffer [^>]*(?:>|$)|(?:Uint8Array|Buffer)\(\d+\) \[[^\]]*(?:\]|$)/y;

/** Returns a pattern of the places where secret names may be. @param names further names */
export function keywordPattern(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => name.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&'));
  return new RegExp([...SECRET_STEMS, ...alternatives].join('|'), 'gi');
}

/** Finds the values of secret names. @param keywords result of `keywordPattern` */
export function* namedValues(text: string, keywords: RegExp, nameOf: SecretNameTest): Generator<NamedRange> {
  let checked = 0;
  for (const { index } of text.matchAll(keywords)) {
    if (index < checked) continue;
    const [start, end] = nameAround(text, index);
    checked = end;
    const name = text.slice(start, end);
    // The letters of a percent escape before the name, as in user%5Bpassword%5D, are no part of it.
    const isEscaped = text[start - 1] === '%' && /^[\da-f]{2}/i.test(name);
    const ownName = isEscaped ? name.slice(2) : name.replace(/^-+/, '');
    const secret = nameOf(ownName);
    if (secret === undefined) continue;
    for (const range of valuesAfter(text, { start, end, name: ownName, isFlag: name.startsWith('-') }, secret)) {
      checked = Math.max(checked, range.end);
      yield { ...range, name: ownName };
    }
  }
}

function nameAround(text: string, index: number): [start: number, end: number] {
  let start = index;
  while (start > 0 && index - start < MAX_NAME_LENGTH && NAME_CHARACTER.test(text[start - 1] ?? '')) start--;
  let end = index;
  while (end < text.length && end - index < MAX_NAME_LENGTH && NAME_CHARACTER.test(text[end] ?? '')) end++;
  // A full stop ends a sentence.
  while (end > index && text[end - 1] === '.') end--;
  return [start, end];
}

interface NamePlace extends NamedRange {
  /** Whether the name is a command-line flag. */
  readonly isFlag: boolean;
}

function valuesAfter(text: string, place: NamePlace, secret: SecretName): TextRange[] {
  const match = matchAt(AFTER_NAME, text, place.end);
  const { quote, spaces = '', separator } = match?.groups ?? {};
  const begin = place.end + (match?.[0].length ?? 0);
  if (quote !== undefined && MULTIPART_HEADER.test(text.slice(Math.max(0, place.start - 20), place.start)))
    return multipartValue(text, place.end);
  switch (separator) {
    case undefined:
      return place.isFlag && spaces !== '' ? flagValue(text, begin) : quotedAfterName(text, begin, place);
    case '>':
      return text[place.start - 1] === '<' || text[place.start - 1] === ':' ? untilText(text, begin, '<') : [];
    case '(': // a function call, as in SQL: PASSWORD('x')
      return quotedOnly(text, begin);
    case ',': // a list of headers and their values
      return quote !== undefined && LISTED_HEADER.test(place.name) ? quotedOnly(text, begin) : [];
    default: {
      // A comparison, a URL, or a function of one parameter.
      const isOther =
        text[begin] === '=' || text.startsWith('//', begin) || (separator === '=>' && quote === undefined);
      if (isOther) return [];
      const isUnquotedHeader = separator === ':' && quote === undefined;
      if (isUnquotedHeader && CREDENTIAL_HEADER.test(place.name) && matchAt(OPENING_QUOTE, text, begin) === undefined)
        return harmlessRemoved(text, [{ start: begin, end: lineEnd(text, begin, text[place.start - 1]) }], secret);
      return valueAt(text, begin, secret, isUnquotedHeader && isLineStart(text, place.start));
    }
  }
}

function valueAt(text: string, begin: number, secret: SecretName, isLine: boolean): TextRange[] {
  const quoted = quotedValue(text, begin);
  if (quoted !== undefined) return harmlessRemoved(text, [quoted], secret);
  const encodedQuote = matchAt(ENCODED_QUOTE, text, begin)?.[0];
  if (encodedQuote !== undefined) return untilText(text, begin + encodedQuote.length, encodedQuote);
  const bytes = matchAt(BYTES, text, begin)?.[0];
  if (bytes !== undefined) return [{ start: begin, end: begin + bytes.length }];
  if (text[begin] === '[' || text[begin] === '{') return stringsWithin(text, begin, secret);
  const scheme = matchAt(SCHEME, text, begin)?.[0].length ?? 0;
  const end = begin + scheme + (matchAt(UNQUOTED, text, begin + scheme)?.[0].length ?? 0);
  if (matchAt(PART_START, text, end) !== undefined) return [];
  if (!isLine) return harmlessRemoved(text, [{ start: begin, end }], secret);
  NEXT_NAME.lastIndex = end;
  const next = NEXT_NAME.exec(text)?.index ?? text.length;
  return harmlessRemoved(text, [{ start: begin, end: Math.min(lineEnd(text, begin, undefined), next) }], secret);
}

/** Reads a quoted text: the range between its quotes, or to the end of the text if the closing quote is missing. */
function quotedValue(text: string, begin: number): TextRange | undefined {
  const { backslashes = '', quote } = matchAt(OPENING_QUOTE, text, begin)?.groups ?? {};
  if (quote === undefined) return undefined;
  const depth = backslashes.length;
  const start = begin + depth + 1;
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1)) {
    let count = 0;
    while (at - count > start && text[at - count - 1] === '\\') count++;
    // A quote inside the value has more backslashes than the closing one, a quote of the surrounding text fewer.
    if (depth === 0 ? count % 2 === 0 : count <= depth) return { start, end: at - Math.min(count, depth) };
  }
  return { start, end: text.length };
}

/** The strings of a list, or of an object whose name is in plural. */
function stringsWithin(text: string, begin: number, secret: SecretName): TextRange[] {
  const isList = text[begin] === '[';
  if (!isList && !secret.isPlural) return [];
  const ranges: TextRange[] = [];
  let depth = 0;
  for (let at = begin; at < text.length && at - begin < MAX_CONTAINER_LENGTH && depth <= MAX_CONTAINER_DEPTH; at++) {
    const character = text[at];
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === '"' || character === "'" || character === '`') {
      const backslashes = precedingBackslashes(text, at);
      const range = quotedValue(text, at - backslashes);
      if (range === undefined) break;
      at = range.end + backslashes;
      const isKey = /^\s*:/.test(text.slice(at + 1, at + 4));
      if (!isKey) ranges.push(range);
    }
    if (depth === 0) break;
  }
  return harmlessRemoved(text, ranges, secret);
}

function precedingBackslashes(text: string, at: number): number {
  let count = 0;
  while (text[at - count - 1] === '\\') count++;
  return count;
}

function multipartValue(text: string, end: number): TextRange[] {
  const body = MULTIPART_BODY.exec(text.slice(end, end + MAX_PART_HEADERS_LENGTH));
  if (body === null) return [];
  const start = end + body.index + body[0].length;
  MULTIPART_END.lastIndex = start;
  return [{ start, end: MULTIPART_END.exec(text)?.index ?? text.length }];
}

function flagValue(text: string, begin: number): TextRange[] {
  if (text[begin] === '-') return [];
  const quoted = quotedValue(text, begin);
  if (quoted !== undefined) return [quoted];
  const value = matchAt(UNQUOTED, text, begin)?.[0] ?? '';
  return value === '' ? [] : [{ start: begin, end: begin + value.length }];
}

/** A quoted text that follows the name after a space, as in SQL: PASSWORD 'x'. */
function quotedAfterName(text: string, begin: number, { name, end }: NamePlace): TextRange[] {
  return SQL_OPTION.test(name) && begin > end && text[begin] === "'" ? quotedOnly(text, begin) : [];
}

function quotedOnly(text: string, begin: number): TextRange[] {
  const range = quotedValue(text, begin);
  return range === undefined || range.end === range.start ? [] : [range];
}

function untilText(text: string, start: number, end: string): TextRange[] {
  const found = text.indexOf(end, start);
  const range = { start, end: found === -1 ? text.length : found };
  return range.end === start ? [] : [range];
}

function isLineStart(text: string, start: number): boolean {
  return start === 0 || /(?:^|[\r\n]|\\[rn])[ \t]*$|["'`]$/.test(text.slice(Math.max(0, start - 20), start));
}

/** @param opening the character before the name; a quote there ends the line, too, as in an argument of curl */
function lineEnd(text: string, begin: number, opening: string | undefined): number {
  LINE_END.lastIndex = begin;
  const end = LINE_END.exec(text)?.index ?? text.length;
  const quote = opening === '"' || opening === "'" || opening === '`' ? text.slice(begin, end).indexOf(opening) : -1;
  return quote === -1 ? end : begin + quote;
}

function harmlessRemoved(text: string, ranges: readonly TextRange[], { isPlural }: SecretName): TextRange[] {
  return ranges.filter(({ start, end }) => {
    const value = text.slice(start, end).trim();
    return value !== '' && !HARMLESS_VALUE.test(value) && !(isPlural && NUMBER.test(value));
  });
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}
