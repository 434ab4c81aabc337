// Parses the last access of an expression: `order.items[2].price` reads the property `price` of `order.items[2]`.
// LastWriteLookup uses this to evaluate the object without the value, whose getter would run code of the program.
//
// Only a name, or a name or parentheses followed by properties, elements and `get` or `has` calls, can have a last
// write. Every other expression has no last access. The parser only splits the text: the parts may be invalid.

/** Last access of an expression. `target` and `key` are expressions themselves. */
export type LastAccess =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'property' | 'private'; readonly target: string; readonly name: string }
  | { readonly kind: 'element' | 'entry'; readonly target: string; readonly key: string };

/** One step of a chain: `.name`, `[element]` or `(call)`, each perhaps after `?.`. */
interface AccessSegment {
  readonly kind: 'name' | 'element' | 'call';
  /** Offsets of the segment's first character, and after its last one. */
  readonly start: number;
  readonly end: number;
  /** The name, with `#` if it is private, or the text between the brackets. */
  readonly text: string;
}

const NAME_PATTERN = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const SPACE_PATTERN = /\s*/y;
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Parses the last access of an expression; undefined if it has none. */
export function parseLastAccess(expression: string): LastAccess | undefined {
  const text = expression.trim();
  if (endOfName(text, 0) === text.length) return { kind: 'variable', name: text };
  const segments = parseSegments(text);
  const last = segments?.at(-1);
  if (segments === undefined || last === undefined || last.text === '') return undefined;
  if (last.kind === 'call') return toEntryAccess(text, segments.at(-2), last.text);
  const target = text.slice(0, last.start).trim();
  if (last.kind === 'element') return { kind: 'element', target, key: last.text };
  return last.text.startsWith('#')
    ? { kind: 'private', target, name: last.text.slice(1) }
    : { kind: 'property', target, name: last.text };
}

/** Access of a call of `get` or `has`, which reads an entry; undefined for calls of other methods. */
function toEntryAccess(text: string, method: AccessSegment | undefined, key: string): LastAccess | undefined {
  const isReading = method?.kind === 'name' && (method.text === 'get' || method.text === 'has');
  return isReading ? { kind: 'entry', target: text.slice(0, method.start).trim(), key } : undefined;
}

/** The steps after the first name or parentheses; undefined if the text contains anything else. */
function parseSegments(text: string): AccessSegment[] | undefined {
  const headEnd = text.startsWith('(') ? endOfBracket(text, 0) : endOfName(text, 0);
  if (headEnd === undefined) return undefined;
  const segments: AccessSegment[] = [];
  for (let offset = headEnd; offset < text.length;) {
    const segment = segmentAt(text, skipSpace(text, offset));
    if (segment === undefined) return undefined;
    segments.push(segment);
    offset = skipSpace(text, segment.end);
  }
  return segments;
}

function segmentAt(text: string, start: number): AccessSegment | undefined {
  const isOptional = text.startsWith('?.', start);
  const tokenStart = isOptional ? skipSpace(text, start + 2) : start;
  const opening = text.charAt(tokenStart);
  if (opening === '[' || opening === '(') {
    const end = endOfBracket(text, tokenStart);
    if (end === undefined) return undefined;
    const kind = opening === '(' ? 'call' : 'element';
    return { kind, start, end, text: text.slice(tokenStart + 1, end - 1).trim() };
  }
  if (!isOptional && opening !== '.') return undefined;
  const nameStart = isOptional ? tokenStart : skipSpace(text, tokenStart + 1);
  const end = endOfName(text, nameStart + (text.charAt(nameStart) === '#' ? 1 : 0));
  return end === undefined ? undefined : { kind: 'name', start, end, text: text.slice(nameStart, end) };
}

/** Offset after the name at `offset`; undefined if there is none. */
function endOfName(text: string, offset: number): number | undefined {
  NAME_PATTERN.lastIndex = offset;
  return NAME_PATTERN.test(text) ? NAME_PATTERN.lastIndex : undefined;
}

function skipSpace(text: string, offset: number): number {
  SPACE_PATTERN.lastIndex = offset;
  SPACE_PATTERN.test(text);
  return SPACE_PATTERN.lastIndex;
}

/** Offset after the bracket that closes the one at `offset`; brackets in strings are skipped. */
function endOfBracket(text: string, offset: number): number | undefined {
  const openBrackets: string[] = [];
  for (let i = offset; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'" || char === '`') {
      i = endOfString(text, i) - 1;
      continue;
    }
    const closing = CLOSING_BRACKETS[char];
    if (closing !== undefined) openBrackets.push(closing);
    else if (char === openBrackets.at(-1)) {
      openBrackets.pop();
      if (openBrackets.length === 0) return i + 1;
    }
  }
  return undefined;
}

/** Offset after the string whose quote is at `offset`. A template is one string, its expressions included. */
function endOfString(text: string, offset: number): number {
  const quote = text.charAt(offset);
  for (let i = offset + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === quote) return i + 1;
  }
  return text.length;
}
