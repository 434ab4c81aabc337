// Emitted code as a tree of literal text and spans of the source, and its flattening into text. The offsets of each
// span in both texts suffice for a source map (source-map.ts), so a map is made only when it is needed.

/** A range of the original source. */
export class Span {
  readonly start: number;
  readonly end: number;
  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Source position of the text that follows. It adds no text itself. */
export class MappingPoint {
  readonly offset: number;
  constructor(at: number) {
    this.offset = at;
  }
}

export type Code = string | Span | MappingPoint | Code[];

/** Code for `this`, `arguments` and `new.target` outside of step functions. */
export const NATIVE_CODE = { thisCode: 'this', argumentsCode: 'arguments', newTargetCode: 'new.target' } as const;

export function textOf(code: Code, source: string): string {
  if (typeof code === 'string') return code;
  if (code instanceof Span) return source.slice(code.start, code.end);
  if (code instanceof MappingPoint) return '';
  let text = '';
  for (const part of code) text += textOf(part, source);
  return text;
}

export function join(parts: readonly Code[], separator: string): Code {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

/** Whether the code has neither text nor mapping points. */
export function isEmptyCode(code: Code): boolean {
  if (typeof code === 'string') return code === '';
  return Array.isArray(code) && code.every(isEmptyCode);
}

/** Text of the code, with three numbers for each span and mapping point: offset in the text, in the source, length. */
export interface FlatCode {
  readonly text: string;
  readonly spans: readonly number[];
}

/** Matches text that ends with a character of a word: an identifier, keyword or number. */
const ENDS_IN_WORD = /[\p{ID_Continue}$\u200C\u200D]$/u;
const BEGINS_WITH_WORD = /^[\p{ID_Continue}$\u200C\u200D]/u;

export function flatten(code: Code, source: string): FlatCode {
  const parts: string[] = [];
  const spans: number[] = [];
  let length = 0;
  let lastText = '';
  /** Where the last text ends in the source; -1 if it is generated. */
  let lastEnd = -1;
  const add = (text: string, start: number): void => {
    const isContinued = start === -1 ? lastEnd === -1 : lastEnd === start;
    // In `typeof(await x)`, the code that replaces the parentheses must not become part of the keyword.
    if (!isContinued && ENDS_IN_WORD.test(lastText.slice(-2)) && BEGINS_WITH_WORD.test(text)) {
      parts.push(' ');
      length++;
    }
    parts.push(text);
    if (start !== -1) spans.push(length, start, text.length);
    length += text.length;
    lastText = text;
    lastEnd = start === -1 ? -1 : start + text.length;
  };
  const write = (part: Code): void => {
    if (typeof part === 'string') {
      if (part !== '') add(part, -1);
    } else if (part instanceof Span) {
      if (part.end > part.start) add(source.slice(part.start, part.end), part.start);
    } else if (part instanceof MappingPoint) {
      spans.push(length, part.offset, 0);
    } else {
      for (let i = 0; i < part.length; i++) write(part[i] as Code);
    }
  };
  write(code);
  return { text: parts.join(''), spans };
}
