// JSON as people write it in settings: with comments, trailing commas and byte order marks. Errors have a location.
import { locationAt } from '@turntable/transform/source-map';
import type { ErrorLocation } from '../errors.ts';

/** Parses settings. Throws a `SyntaxError` without a location in its message; see `describeJsonError`. */
export function parseSettings(text: string): unknown {
  return JSON.parse(blankComments(text).trim() || '{}');
}

/** Replaces comments and trailing commas by blanks, which keeps all positions. */
function blankComments(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\r\n]/g, ' ');
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part, string: string | undefined) =>
      string === undefined ? blank(part) : part,
    )
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (part, string: string | undefined) =>
      string === undefined ? blank(part) : part,
    );
}

const TOKENS = /(?:\s+|[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false|null)\b)*/y;

/** The message and location of a JSON error. V8 sometimes reports only an excerpt of the text instead of a position. */
export function describeJsonError(
  error: unknown,
  path: string,
  text: string,
): { message: string; location: ErrorLocation } {
  const errorText = error instanceof Error ? error.message : String(error);
  const [, description, position] = /^([^]*?)(?: in JSON)? at position (\d+)/.exec(errorText) ?? [];
  const json = blankComments(text);
  const offset =
    position === undefined ? validPrefixLength(json) : Number(position) + (json.length - json.trimStart().length);
  const message = description ?? (offset >= json.length ? 'the text ends too early' : 'unexpected text');
  return { message, location: lineAndColumnAt(path, text, Math.min(offset, json.trimEnd().length)) };
}

function validPrefixLength(json: string): number {
  TOKENS.lastIndex = 0;
  TOKENS.exec(json);
  return TOKENS.lastIndex;
}

/** The location of the value of `key`; the beginning of the file if it is not found. */
export function locationOfKey(path: string, text: string, key: string): ErrorLocation {
  const escaped = key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return lineAndColumnAt(path, text, Math.max(0, text.search(new RegExp(`(?<![\\w$])['"]?${escaped}['"]?\\s*[:,(=]`))));
}

export function lineAndColumnAt(path: string, text: string, offset: number): ErrorLocation {
  return { path, ...locationAt(text, offset) };
}
