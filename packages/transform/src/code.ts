// Emitted code as a tree of literal text and spans of the source, and its flattening into text and a source map.
//
// Spans carry the mapping: every span start, line start and word inside a span is mapped to its exact place, so that stack
// frames point at the right column of the original.

import {
  GenMapping,
  maybeAddSegment,
  setSourceContent,
  toEncodedMap,
  type EncodedSourceMap,
} from '@jridgewell/gen-mapping';

/** A stretch of the original source. */
export class Span {
  readonly start: number;
  readonly end: number;
  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** A place of the original that the text after it stands for, without taking text from it. */
export class Mark {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
}

export type Code = string | Span | Mark | Code[];

export function textOf(code: Code, source: string): string {
  if (typeof code === 'string') return code;
  if (code instanceof Span) return source.slice(code.start, code.end);
  if (code instanceof Mark) return '';
  let text = '';
  for (const part of code) text += textOf(part, source);
  return text;
}

const WORD = /[\w$]+|\n|[([]/g;

export function flatten(code: Code, source: string, path: string): { text: string; map: EncodedSourceMap } {
  const mapping = new GenMapping({ file: path });
  setSourceContent(mapping, path, source);
  const lineStarts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lineStarts.push(at + 1);

  const parts: string[] = [];
  let line = 0;
  let column = 0;
  let sourceLine = 0;

  const segment = (offset: number, generatedColumn: number): void => {
    // Spans mostly go forward: walk from where the last one was.
    while (sourceLine > 0 && (lineStarts[sourceLine] as number) > offset) sourceLine--;
    while (sourceLine + 1 < lineStarts.length && (lineStarts[sourceLine + 1] as number) <= offset) sourceLine++;
    maybeAddSegment(mapping, line, generatedColumn, path, sourceLine, offset - (lineStarts[sourceLine] as number));
  };

  const advance = (text: string): void => {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      line++;
      column = 0;
      from = at + 1;
    }
    column += text.length - from;
  };

  const write = (part: Code): void => {
    if (typeof part === 'string') {
      if (part === '') return;
      parts.push(part);
      advance(part);
    } else if (part instanceof Mark) {
      segment(part.at, column);
    } else if (part instanceof Span) {
      const text = source.slice(part.start, part.end);
      if (text === '') return;
      parts.push(text);
      segment(part.start, column);
      let base = column;
      WORD.lastIndex = 0;
      for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
        if (match[0] === '\n') {
          line++;
          base = -(match.index + 1);
          segment(part.start + match.index + 1, 0);
        } else segment(part.start + match.index, base + match.index);
      }
      column = base + text.length;
    } else for (const each of part) write(each);
  };
  write(code);
  return { text: parts.join(''), map: toEncodedMap(mapping) };
}
