// JSON as people write settings in: with comments, trailing commas and byte order marks. What is wrong with it has a place.
import { placeOf } from '@turntable/transform/source-map';
import type { ErrorPlace } from '../errors.ts';

/** Throws a `SyntaxError` whose message ends without a place; see `placeOfJsonError`. */
export function parseSettings(text: string): unknown {
  return JSON.parse(plainJson(text).trim() || '{}');
}

/** Every place stays where it is. */
function plainJson(text: string): string {
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
export function jsonProblem(error: unknown, path: string, text: string): { message: string; place: ErrorPlace } {
  const said = error instanceof Error ? error.message : String(error);
  const [, words, position] = /^([^]*?)(?: in JSON)? at position (\d+)/.exec(said) ?? [];
  const json = plainJson(text);
  const offset = position === undefined ? tokensEnd(json) : Number(position) + (json.length - json.trimStart().length);
  const message = words ?? (offset >= json.length ? 'the text ends too early' : 'unexpected text');
  return { message, place: placeAt(path, text, Math.min(offset, json.trimEnd().length)) };
}

function tokensEnd(json: string): number {
  TOKENS.lastIndex = 0;
  TOKENS.exec(json);
  return TOKENS.lastIndex;
}

/** Where `key` is given a value; the beginning if the text does not show it. */
export function placeOfKey(path: string, text: string, key: string): ErrorPlace {
  const escaped = key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return placeAt(path, text, Math.max(0, text.search(new RegExp(`(?<![\\w$])['"]?${escaped}['"]?\\s*[:,(=]`))));
}

export function placeAt(path: string, text: string, offset: number): ErrorPlace {
  return { path, ...placeOf(text, offset) };
}
