// The defined colours: all text has enough contrast with its background.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TOKENS = readFileSync(join(import.meta.dirname, '../src/design/tokens.css'), 'utf8');
/** Text colours by background. */
const ALL_TEXTS = ['text', 'quiet', 'faint', 'accent', 'error', 'output'];
const CODE_COLOURS = ['keyword', 'string', 'number', 'type', 'function', 'property'].map((each) => `code-${each}`);
const TEXTS_BY_GROUND: Readonly<Record<string, readonly string[]>> = {
  ground: [...ALL_TEXTS, ...CODE_COLOURS],
  raised: [...ALL_TEXTS, 'code-function'],
  current: ['text', 'quiet', 'accent', 'error', 'output', ...CODE_COLOURS],
  'current-statement': CODE_COLOURS,
  'accent-ground': ['text', 'quiet', 'accent'],
  'error-ground': ['text', 'quiet', 'error'],
};

function colourTokens(theme: 'light' | 'dark'): ReadonlyMap<string, string> {
  const [light = '', dark = ''] = TOKENS.split(":root[data-theme='dark']");
  const both = theme === 'light' ? light : light + dark;
  return new Map([...both.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', colour = '']) => [name, colour]));
}

/** Contrast ratio as WCAG defines it. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(['light', 'dark'] as const)('every text has enough contrast with its background in the %s theme', (theme) => {
  const colours = colourTokens(theme);
  const faint = Object.entries(TEXTS_BY_GROUND).flatMap(([ground, texts]) =>
    texts
      .map((text) => [text, contrast(colours.get(text) ?? '', colours.get(ground) ?? '')] as const)
      .filter(([, found]) => !(found >= 4.5))
      .map(([text, found]) => `${text} on ${ground}: ${found.toFixed(2)}`),
  );
  expect(faint).toEqual([]);
});
