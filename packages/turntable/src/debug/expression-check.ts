// Problems of a condition that are known before it is evaluated: syntax errors, and names that are neither in the file nor
// in the language.
import type { TransformService } from '@turntable/loader';
import type { ExpressionProblem } from '@turntable/time-machine/server';
import { Script } from 'node:vm';

const NAME_PATTERN = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;
const OWN_NAMES: ReadonlySet<string> = new Set(['arguments', 'undefined', 'require', 'module', 'exports']);

/** @param source text of the file in which the expression is evaluated, if it is known */
export function expressionProblem(
  expression: string,
  source: string | undefined,
  { freeNames }: Pick<TransformService, 'freeNames'>,
): ExpressionProblem | undefined {
  const names = freeNames(expression);
  if (names === undefined) return { text: syntaxErrorText(expression), isFatal: true };
  if (source === undefined) return undefined;
  const inFile = new Set(source.match(NAME_PATTERN));
  const unknown = names.find((name) => !inFile.has(name) && !OWN_NAMES.has(name) && !(name in globalThis));
  return unknown === undefined ? undefined : { text: `the file has no ${unknown}`, isFatal: false };
}

function syntaxErrorText(expression: string): string {
  try {
    void new Script(expression);
  } catch (error) {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
  }
  return 'it is not an expression';
}
