// Finds secrets in SQL by their columns: literals, placeholders (`$1`, `?`), and the parameters that are listed after
// the statement, as in the logs of databases and query builders.
import type { SecretNameTest } from './named-values.ts';
import type { TextRange } from './secret-values.ts';

const STATEMENT = /\b(?:insert\s+into|replace\s+into|update|select|delete\s+from)\b/i;
const INSERT = /\b(?:insert|replace)\s+into\s+[^\s(]{1,200}\s*\(/gi;
const VALUES = /\s*values\s*\(/iy;
const NEXT_ROW = /\s*,\s*\(/y;
/** A column that is compared with or set to a placeholder, possibly through a function. */
const COMPARISON =
  /(?<column>[\w$]{1,100})["`\]]?\s{0,20}(?:=|<>|!=|\bi?like\b|\bin\s{0,20}\()\s{0,20}(?:[\w.]{1,50}\(\s{0,20})?(?<placeholder>\$\d{1,5}|\?)/gi;
const PLACEHOLDER = /\$(?<number>\d{1,5})|\?/;
const PARAMETER_LIST = /\b(?:params?|parameters|values|args|arguments|bindings|binds)\b[\s\\"'`:=-]{0,20}\[/gi;
const LISTED_PARAMETER = /\$(?<number>\d{1,5}) = '(?<value>(?:[^']|''){0,10000})'?/g;
const MAX_STATEMENT_LENGTH = 20_000;
const MAX_INSERTS = 100;
const MAX_LIST_ITEMS = 10_000;
const OUTER_CHARACTERS = /^[\s\\"'`]+|[\s\\"'`]+$/g;

export interface SqlSecrets {
  /** Indexes of the parameters that are secret, from 0 on. */
  readonly parameters: ReadonlySet<number>;
  /** Secret literals. */
  readonly literals: readonly TextRange[];
}

/** Whether a text may be a statement of SQL. */
export function isStatement(text: string): boolean {
  return STATEMENT.test(text);
}

/** Finds the secret literals and parameters of a statement. */
export function secretsOfStatement(text: string, nameOf: SecretNameTest): SqlSecrets {
  const sql = text.length > MAX_STATEMENT_LENGTH ? text.slice(0, MAX_STATEMENT_LENGTH) : text;
  const parameters = new Set<number>();
  const literals: TextRange[] = [];
  const questionMarks = placesOf(sql, '?');
  const addPlaceholder = (placeholder: string, index: number): void => {
    const { number } = PLACEHOLDER.exec(placeholder)?.groups ?? {};
    parameters.add(number === undefined ? questionMarks.indexOf(index) : Number(number) - 1);
  };
  for (const match of sql.matchAll(COMPARISON)) {
    const { column = '', placeholder = '' } = match.groups ?? {};
    if (nameOf(column) !== undefined) addPlaceholder(placeholder, match.index + match[0].length - placeholder.length);
  }
  for (const match of [...sql.matchAll(INSERT)].slice(0, MAX_INSERTS)) {
    const columns = listItems(sql, match.index + match[0].length, ')');
    const secret = columns.items.map(({ start, end }) => nameOf(sql.slice(start, end)) !== undefined);
    if (!secret.includes(true)) continue;
    VALUES.lastIndex = columns.end + 1;
    let row = VALUES.exec(sql);
    while (row !== null) {
      const values = listItems(sql, row.index + row[0].length, ')');
      for (const [i, { start, end }] of values.items.entries()) {
        if (secret[i] !== true) continue;
        const placeholder = PLACEHOLDER.exec(sql.slice(start, end));
        if (placeholder === null) literals.push({ start, end });
        else addPlaceholder(placeholder[0], start + placeholder.index);
      }
      NEXT_ROW.lastIndex = values.end + 1;
      row = NEXT_ROW.exec(sql);
    }
  }
  return { parameters, literals };
}

/** Finds the secrets of a statement and of the parameters that are listed after it. */
export function* sqlSecrets(text: string, nameOf: SecretNameTest): Generator<TextRange> {
  const begin = STATEMENT.exec(text)?.index;
  if (begin === undefined) return;
  const rest = text.slice(begin);
  const { literals, parameters } = secretsOfStatement(rest, nameOf);
  const moved = ({ start, end }: TextRange): TextRange => ({ start: begin + start, end: begin + end });
  yield* literals.map(moved);
  if (parameters.size === 0) return;
  for (const match of rest.matchAll(PARAMETER_LIST)) {
    const { items } = listItems(rest, match.index + match[0].length, ']');
    yield* items.filter(({ end, start }, i) => parameters.has(i) && end > start).map(moved);
  }
  for (const match of rest.matchAll(LISTED_PARAMETER)) {
    const { number, value = '' } = match.groups ?? {};
    const start = match.index + match[0].indexOf("'") + 1;
    if (parameters.has(Number(number) - 1) && value !== '') yield moved({ start, end: start + value.length });
  }
}

/** Splits a list at its commas, without quotes and spaces around the items. */
function listItems(text: string, begin: number, close: string): { readonly items: readonly TextRange[]; end: number } {
  const items: TextRange[] = [];
  let start = begin;
  let depth = 0;
  let quote: string | undefined;
  let at = begin;
  for (; at < text.length && items.length < MAX_LIST_ITEMS; at++) {
    const character = text[at] as string;
    if (quote !== undefined) {
      if (character === quote && (text[at - 1] !== '\\' || isEscapedQuote(text, start, at))) quote = undefined;
    } else if (character === '"' || character === "'" || character === '`') quote = character;
    else if (depth === 0 && (character === ',' || character === close)) {
      items.push(trimmed(text, start, at));
      start = at + 1;
      if (character === close) break;
    } else if (character === '(' || character === '[' || character === '{') depth++;
    else if (character === ')' || character === ']' || character === '}') depth--;
  }
  if (at === text.length && start < at) items.push(trimmed(text, start, at));
  return { items, end: at };
}

/** Whether the quote that opened the item has a backslash itself, as in JSON within a text. */
function isEscapedQuote(text: string, start: number, at: number): boolean {
  const opening = /^\s*(\\*)["'`]/.exec(text.slice(start, start + 50))?.[1]?.length ?? 0;
  let count = 0;
  while (text[at - count - 1] === '\\') count++;
  return opening > 0 && count <= opening;
}

function trimmed(text: string, start: number, end: number): TextRange {
  const item = text.slice(start, end);
  const content = item.replaceAll(OUTER_CHARACTERS, '');
  const offset = content === '' ? 0 : item.indexOf(content);
  return { start: start + offset, end: start + offset + content.length };
}

function placesOf(text: string, character: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) places.push(at);
  return places;
}
