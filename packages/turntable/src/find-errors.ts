// Finds the errors that a text is about: by the codes in it, otherwise by the templates of messages.
import { EXPLAINED_ERRORS, type ExplainedError } from './error-tables.ts';

export interface FoundErrors {
  readonly errors: readonly ExplainedError[];
  /** Codes in the text that do not exist. */
  readonly unknownCodes: readonly string[];
}

/** @param text a code, with or without `TT_` and in any case, a message, or a stack */
export function findErrors(text: string): FoundErrors {
  const codes = codesIn(text);
  if (codes.length === 0) return { errors: errorsWithMessage(text), unknownCodes: [] };
  const find = (code: string): ExplainedError | undefined => EXPLAINED_ERRORS.find((error) => error.code === code);
  return {
    errors: codes.flatMap((code) => find(code) ?? []),
    unknownCodes: codes.filter((code) => find(code) === undefined),
  };
}

/** The codes of a text, each once. A single word is a code, in any case. */
function codesIn(text: string): string[] {
  const word = text.trim().toUpperCase();
  if (/^[A-Z_]+$/.test(word)) return [word.startsWith('TT_') ? word : `TT_${word}`];
  return [...new Set(text.match(/\bTT_[A-Z_]+\b/g))];
}

/** Maximum length of a text that is compared with templates. The message of a longer one is at its start. */
const MAX_TEXT_CHARS = 20_000;
/** Minimum number of literal characters in a part of a message for it to be recognized. */
const MIN_LITERAL_CHARS = 10;
/** Minimum length of a piece of a template in an incomplete message for it to be recognized. */
const MIN_PIECE_CHARS = 20;
const PLACEHOLDER = /\b[A-Z][A-Z0-9_]*\b/;

/** Errors whose template matches the most characters of the text. */
function errorsWithMessage(wholeText: string): ExplainedError[] {
  const text = wholeText.slice(0, MAX_TEXT_CHARS).replaceAll(/\s+/g, ' ').trim();
  const byTemplate = bestErrors((template) => matchedChars(template, text));
  return byTemplate.length > 0 ? byTemplate : bestErrors((template) => longestPieceIn(template, text));
}

/** All errors with the highest score of a template. */
function bestErrors(scoreOf: (template: string) => number): ExplainedError[] {
  const scored = EXPLAINED_ERRORS.map((error) => ({ error, score: Math.max(...error.messages.map(scoreOf)) }));
  const best = Math.max(...scored.map(({ score }) => score));
  return best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ error }) => error);
}

/** Number of literal characters of a template that matches the text or a part of it; 0 if it does not match. */
function matchedChars(template: string, text: string): number {
  const pieces = template.split(PLACEHOLDER);
  const literalChars = pieces.reduce((sum, { length }) => sum + length, 0);
  const pattern = pieces.map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('.+?');
  const isPart = literalChars >= MIN_LITERAL_CHARS;
  return new RegExp(isPart ? pattern : `^${pattern}$`).test(text) ? literalChars : 0;
}

function longestPieceIn(template: string, text: string): number {
  const lengths = template
    .split(PLACEHOLDER)
    .flatMap((part) => part.split('; '))
    .map((part) => part.replace(/^[:\s]+/, '').trimEnd())
    .filter((piece) => text.includes(piece))
    .map(({ length }) => length);
  const longest = Math.max(0, ...lengths);
  return longest >= MIN_PIECE_CHARS ? longest : 0;
}
