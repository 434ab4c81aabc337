// The end of an expression that is being typed: the word that a client completes, and the object before its dot.

export interface UnfinishedExpression {
  /** Expression before the last dot; undefined if the word is a name. */
  readonly object: string | undefined;
  /** Beginning of the word. */
  readonly prefix: string;
  /** Offset of the word. */
  readonly from: number;
}

const WORD_CHARACTER = /[\p{ID_Continue}$\u200c\u200d]/u;
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** @param text the text up to the cursor */
export function unfinishedExpression(text: string): UnfinishedExpression {
  const word = wordStart(text, text.length);
  const hasHash = text[word - 1] === '#';
  const from = hasHash ? word - 1 : word;
  const prefix = text.slice(from);
  const dot = skipSpaceBack(text, from);
  if (text[dot - 1] !== '.') return { object: undefined, prefix, from };
  const end = text[dot - 2] === '?' ? dot - 2 : dot - 1;
  const start = chainStart(text, end);
  return { object: start === undefined ? '' : text.slice(start, end).trim(), prefix, from };
}

/** Offset of the word that ends at an offset. */
function wordStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && WORD_CHARACTER.test(text[start - 1] as string)) start--;
  return start;
}

function skipSpaceBack(text: string, end: number): number {
  let offset = end;
  while (offset > 0 && /\s/.test(text[offset - 1] as string)) offset--;
  return offset;
}

/** Offset at which a chain of names, calls and indexes starts that ends at an offset; undefined if there is none. */
function chainStart(text: string, end: number): number | undefined {
  let offset = skipSpaceBack(text, end);
  for (;;) {
    const start = partStart(text, offset);
    if (start === undefined) return undefined;
    const before = skipSpaceBack(text, start);
    if (text[before - 1] === '.') {
      const isOptional = text[before - 2] === '?';
      offset = skipSpaceBack(text, isOptional ? before - 2 : before - 1);
    } else if (
      /[([]/.test(text[start] as string) &&
      before > 0 &&
      /[\p{ID_Continue}$)\]]/u.test(text[before - 1] as string)
    ) {
      offset = before;
    } else return start;
  }
}

/** Offset at which a name, a text or a pair of brackets starts that ends at an offset. */
function partStart(text: string, end: number): number | undefined {
  const last = text[end - 1];
  if (last === undefined) return undefined;
  if (WORD_CHARACTER.test(last)) {
    const start = wordStart(text, end);
    return text[start - 1] === '#' ? start - 1 : start;
  }
  if (/["'`]/.test(last)) return textStart(text, end);
  return last in OPENING ? bracketStart(text, end) : undefined;
}

/** Offset of the quote that opens the text that ends at an offset. */
function textStart(text: string, end: number): number | undefined {
  const quote = text[end - 1] as string;
  for (let start = end - 2; start >= 0; start--) if (text[start] === quote && text[start - 1] !== '\\') return start;
  return undefined;
}

function bracketStart(text: string, end: number): number | undefined {
  const awaited: string[] = [];
  for (let offset = end; offset > 0; offset--) {
    const character = text[offset - 1] as string;
    if (/["'`]/.test(character)) {
      const start = textStart(text, offset);
      if (start === undefined) return undefined;
      offset = start + 1;
    } else if (character in OPENING) awaited.push(OPENING[character] as string);
    else if (/[([{]/.test(character)) {
      if (awaited.pop() !== character) return undefined;
      if (awaited.length === 0) return offset - 1;
    }
  }
  return undefined;
}
