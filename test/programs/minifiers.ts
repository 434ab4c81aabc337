/*
 * Minifiers for tests of minified code. `whitespace` only removes whitespace and comments; the others also rename
 * variables and rewrite expressions.
 */
import { minify as minifyBySwc } from '@swc/core';
import { transform as transformByEsbuild, type TransformOptions } from 'esbuild';
import { minify as minifyByTerser } from 'terser';

export const MINIFIERS = ['whitespace', 'esbuild', 'terser', 'swc'] as const;
export type Minifier = (typeof MINIFIERS)[number];

export function isMinifier(name: string | undefined): name is Minifier {
  return MINIFIERS.some((each) => each === name);
}

/** Returns undefined for a text that the minifier does not parse. */
export async function minifySource(text: string, minifier: Minifier, isModule: boolean): Promise<string | undefined> {
  try {
    return await minify(text, minifier, isModule);
  } catch {
    return undefined;
  }
}

async function minify(text: string, minifier: Minifier, isModule: boolean): Promise<string | undefined> {
  switch (minifier) {
    case 'whitespace':
      return byEsbuild(text, { minifyWhitespace: true });
    case 'esbuild':
      return byEsbuild(text, { minify: true });
    case 'terser':
      return (await minifyByTerser(text, { module: isModule })).code;
    case 'swc':
      return (await minifyBySwc(text, { module: isModule, compress: true, mangle: true })).code;
  }
}

async function byEsbuild(text: string, options: TransformOptions): Promise<string> {
  const { code } = await transformByEsbuild(text, {
    ...options,
    charset: 'utf8',
    target: 'esnext',
    legalComments: 'none',
    logLevel: 'silent',
  });
  return code;
}
