// Source maps, made on demand from the spans of flattened code (code.ts), which caches store instead of maps. The start
// of each span, line and word is mapped exactly, so that stack frames have the right column of the original. This is a
// separate entry point, because stacks are needed where nothing is transformed. Spans are stored as VLQ text, which has
// a quarter of the map's size, and is encoded in one pass without reading the code.

import { lineStarts } from './lines.ts';

export { lineAt, lineStarts, locationAt } from './lines.ts';

export interface SourceMapObject {
  readonly version: 3;
  readonly file?: string | null;
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly names: readonly string[];
  readonly mappings: string;
}

const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGIT_CODES = Uint8Array.from(BASE64_DIGITS, (digit) => digit.charCodeAt(0));
const DIGIT_VALUES = new Uint8Array(128);
for (let value = 0; value < 64; value++) DIGIT_VALUES[DIGIT_CODES[value] as number] = value;
const COMMA = 44;
const SEMICOLON = 59;

/** Writes text of base64 VLQ numbers, commas and semicolons, the encoding of source maps. */
class VlqWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  writeCharacter(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  writeNumber(value: number): void {
    this.#reserve(7);
    const bytes = this.#bytes;
    let index = this.#length;
    let remaining = value < 0 ? (-value << 1) | 1 : value << 1;
    while (remaining >= 32) {
      bytes[index++] = DIGIT_CODES[(remaining & 31) | 32] as number;
      remaining >>>= 5;
    }
    bytes[index++] = DIGIT_CODES[remaining] as number;
    this.#length = index;
  }

  text(): string {
    // Trailing semicolons are left out, because they are redundant.
    let end = this.#length;
    while (end > 0 && this.#bytes[end - 1] === SEMICOLON) end--;
    return new TextDecoder('latin1').decode(this.#bytes.subarray(0, end));
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Encodes each span as three numbers: emitted code before the span, skipped source before the span, and its length. */
export function encodeSpans(spans: readonly number[]): string {
  const text = new VlqWriter();
  let generatedEnd = 0;
  let sourceEnd = 0;
  for (let i = 0; i < spans.length; i += 3) {
    const generated = spans[i] as number;
    const start = spans[i + 1] as number;
    const length = spans[i + 2] as number;
    text.writeNumber(generated - generatedEnd);
    text.writeNumber(start - sourceEnd);
    text.writeNumber(length);
    generatedEnd = generated + length;
    sourceEnd = start + length;
  }
  return text.text();
}

function decodeSpans(text: string): number[] {
  const spans: number[] = [];
  let index = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = DIGIT_VALUES[text.charCodeAt(index++)] as number;
      value |= (digit & 31) << shift;
      if (digit < 32) return (value & 1) === 1 ? -(value >>> 1) : value >>> 1;
    }
  };
  let generatedEnd = 0;
  let sourceEnd = 0;
  while (index < text.length) {
    const generated = generatedEnd + readNumber();
    const start = sourceEnd + readNumber();
    const length = readNumber();
    spans.push(generated, start, length);
    generatedEnd = generated + length;
    sourceEnd = start + length;
  }
  return spans;
}

/** Makes a source map. @param spans of flattened code, as numbers or encoded @param path name of the source */
export function sourceMap(
  code: string,
  spans: readonly number[] | string,
  source: string,
  path: string,
): SourceMapObject {
  return {
    version: 3,
    file: path,
    names: [],
    sources: [path],
    sourcesContent: [source],
    mappings: encodeMappings(code, typeof spans === 'string' ? decodeSpans(spans) : spans, source),
  };
}

/** Makes the map of code that was transformed earlier. @param source the text that was transformed */
export function readMap(mapText: string, code: string, source: string, path: string): SourceMapObject {
  // A map of TypeScript combines two steps, and is stored as a whole.
  return mapText.startsWith('{') ? (JSON.parse(mapText) as SourceMapObject) : sourceMap(code, mapText, source, path);
}

const MAPPED_TOKEN = /[\w$]+|\n|[([]/g;

function encodeMappings(code: string, spans: readonly number[], source: string): string {
  const text = new VlqWriter();
  const starts = lineStarts(source);
  let lineStart = 0;
  let nextBreak = code.indexOf('\n');
  let isFirstInLine = true;
  let lastColumn = 0;
  let lastLine = 0;
  let lastSourceColumn = 0;
  let line = 0;

  /** Ends all lines that end before an offset of the code. */
  const breakLinesBefore = (offset: number): void => {
    while (nextBreak !== -1 && nextBreak < offset) {
      text.writeCharacter(SEMICOLON);
      lineStart = nextBreak + 1;
      nextBreak = code.indexOf('\n', lineStart);
      isFirstInLine = true;
      lastColumn = 0;
    }
  };

  const addSegment = (generated: number, offset: number): void => {
    breakLinesBefore(generated);
    // Spans are mostly in order, so the search starts at the last line found.
    while (line > 0 && (starts[line] as number) > offset) line--;
    while (line + 1 < starts.length && (starts[line + 1] as number) <= offset) line++;
    const sourceColumn = offset - (starts[line] as number);
    if (!isFirstInLine && line === lastLine && sourceColumn === lastSourceColumn) return;
    if (!isFirstInLine) text.writeCharacter(COMMA);
    const column = generated - lineStart;
    text.writeNumber(column - lastColumn);
    text.writeNumber(0);
    text.writeNumber(line - lastLine);
    text.writeNumber(sourceColumn - lastSourceColumn);
    isFirstInLine = false;
    lastColumn = column;
    lastLine = line;
    lastSourceColumn = sourceColumn;
  };

  for (let i = 0; i < spans.length; i += 3) {
    const generated = spans[i] as number;
    const start = spans[i + 1] as number;
    const length = spans[i + 2] as number;
    addSegment(generated, start);
    if (length === 0) continue;
    const part = source.slice(start, start + length);
    MAPPED_TOKEN.lastIndex = 0;
    for (let match = MAPPED_TOKEN.exec(part); match !== null; match = MAPPED_TOKEN.exec(part)) {
      const offset = match[0] === '\n' ? match.index + 1 : match.index;
      addSegment(generated + offset, start + offset);
    }
  }
  return text.text();
}
