// JSON as people write settings in: with comments, trailing commas and byte order marks. What is wrong with it has a place.
import { locationAt } from '@turntable/transform/source-map';
import type { ErrorLocation } from '../errors.ts';

/** Throws a `SyntaxError` whose message ends without a place; see `describeJsonError`. */
export function parseSettings(text: string): unknown {
  return JSON.parse(blankComments(text).trim() || '{}');
}

/** Every place stays where it is. */
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

/** What V8 says against the text, and where: it names some places only by what is there. */
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

/** Where `key` is given a value; the beginning if the text does not show it. */
export function locationOfKey(path: string, text: string, key: string): ErrorLocation {
  const escaped = key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return lineAndColumnAt(path, text, Math.max(0, text.search(new RegExp(`(?<![\\w$])['"]?${escaped}['"]?\\s*[:,(=]`))));
}

export function lineAndColumnAt(path: string, text: string, offset: number): ErrorLocation {
  return { path, ...locationAt(text, offset) };
}
