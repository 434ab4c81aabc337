// The names that an expression takes from around it.
import { parseSync } from 'oxc-parser';
import { analyze } from './analysis.ts';
import type { Node } from './ast.ts';
import { toPlainExpression } from './plain-expression.ts';

/** Names of variables that an expression uses and does not declare; undefined if the text is not an expression. */
export function freeNames(text: string): readonly string[] | undefined {
  const reader = 'tt$private';
  const source = `(${toPlainExpression(text, reader)}\n)`;
  const { program, errors } = parseSync('expression.js', source, {
    sourceType: 'script',
    lang: 'js',
    preserveParens: true,
  });
  if (errors.length > 0) return undefined;
  const { references } = analyze(program as unknown as Node, { strict: false, globalThisAtRoot: true });
  const names = references.flatMap(({ variable, name }) => (variable === null && name !== reader ? [name] : []));
  return [...new Set(names)];
}
