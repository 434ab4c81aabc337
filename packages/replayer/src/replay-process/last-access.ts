// Splits an expression into its last access and the expression before it: `order.items[2].price` is the property
// `price` of `order.items[2]`. Only names, followed by properties, elements and `get` or `has` calls, can have a last
// write; other expressions have no last access.

export type LastAccess =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'property' | 'private'; readonly target: string; readonly name: string }
  /** `key` is an expression. */
  | { readonly kind: 'element' | 'entry'; readonly target: string; readonly key: string };

const NAME_PATTERN = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const SPACE_PATTERN = /\s*/y;
const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

interface AccessSegment {
  readonly start: number;
  readonly name: string | undefined;
  /** Text between brackets or parentheses. */
  readonly argument: string | undefined;
  readonly isCall: boolean;
}

/** Undefined if the expression is no access. */
export function parseLastAccess(expression: string): LastAccess | undefined {
  const text = expression.trim();
  const headEnd = endOfHead(text);
  if (headEnd === undefined) return undefined;
  const segments: AccessSegment[] = [];
  for (let offset = headEnd; offset < text.length;) {
    const segment = segmentAt(text, skipSpace(text, offset));
    if (segment === undefined) return undefined;
    segments.push(segment.segment);
    offset = skipSpace(text, segment.end);
  }
  const lastSegment = segments.at(-1);
  if (lastSegment === undefined) return isName(text) ? { kind: 'variable', name: text } : undefined;
  if (lastSegment.isCall) {
    const method = segments.at(-2);
    const isReading = method?.name === 'get' || method?.name === 'has';
    if (!isReading || lastSegment.argument === undefined || lastSegment.argument === '') return undefined;
    return { kind: 'entry', target: text.slice(0, method.start).trim(), key: lastSegment.argument };
  }
  const target = text.slice(0, lastSegment.start).trim();
  if (lastSegment.name === undefined)
    return lastSegment.argument ? { kind: 'element', target, key: lastSegment.argument } : undefined;
  return lastSegment.name.startsWith('#')
    ? { kind: 'private', target, name: lastSegment.name.slice(1) }
    : { kind: 'property', target, name: lastSegment.name };
}

function isName(text: string): boolean {
  return endOfName(text, 0) === text.length;
}

/** Offset after the first name or parenthesis of the text. */
function endOfHead(text: string): number | undefined {
  return text.startsWith('(') ? endOfBracket(text, 0) : endOfName(text, 0);
}

function segmentAt(
  text: string,
  offset: number,
): { readonly segment: AccessSegment; readonly end: number } | undefined {
  const isOptional = text.startsWith('?.', offset);
  const tokenStart = isOptional ? skipSpace(text, offset + 2) : offset;
  const opening = text.charAt(tokenStart);
  if (opening === '[' || opening === '(') {
    const end = endOfBracket(text, tokenStart);
    if (end === undefined) return undefined;
    const argument = text.slice(tokenStart + 1, end - 1).trim();
    return { segment: { start: offset, name: undefined, argument, isCall: opening === '(' }, end };
  }
  if (!isOptional && opening !== '.') return undefined;
  const nameStart = isOptional ? tokenStart : skipSpace(text, tokenStart + 1);
  const end = endOfName(text, nameStart + (text.charAt(nameStart) === '#' ? 1 : 0));
  if (end === undefined) return undefined;
  return { segment: { start: offset, name: text.slice(nameStart, end), argument: undefined, isCall: false }, end };
}

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

function endOfString(text: string, offset: number): number {
  const quote = text.charAt(offset);
  for (let i = offset + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === quote) return i + 1;
  }
  return text.length;
}
