// Compiles the source of a query function, which comes from the command line, as JavaScript or TypeScript, or from a
// program. The function is evaluated on its own: it has access only to the language and to Node.
import { transformer } from '@turntable/loader';
import { RuntimeError } from '@turntable/runtime';

export type Query = (snapshot: unknown, ...args: readonly unknown[]) => unknown;

export function compileQuery(source: string): Query {
  const value = evaluateSource(source);
  if (typeof value === 'function') return value as Query;
  throw new RuntimeError(
    'TT_QUERY',
    `a query must be a function of a snapshot, but ${JSON.stringify(excerpt(source))} is ${value === null ? 'null' : typeof value}; write snapshot => …`,
  );
}

function evaluateSource(source: string): unknown {
  try {
    return evaluateExpression(`(${source}\n)`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const other = evaluateAlternatives(source);
    if (other !== undefined) return other;
    throw new RuntimeError(
      'TT_QUERY',
      `the text of the query is not a function: ${error.message}: ${excerpt(source)}`,
      {
        cause: error,
      },
    );
  }
}

/** Evaluates a source that is not an expression: as a method of an object, then as TypeScript. */
function evaluateAlternatives(source: string): unknown {
  for (const attempt of [
    () => Object.values(evaluateExpression(`({ ${source}\n})`) as object)[0] as unknown,
    () => evaluateExpression(transformer.lower(`(${source}\n)`, 'query.ts', transformer.settings('query.ts'))),
  ]) {
    try {
      return attempt();
    } catch {
      // The next form may succeed.
    }
  }
  return undefined;
}

// oxlint-disable-next-line no-eval -- runs the user's query
const indirectEval = eval;

function evaluateExpression(source: string): unknown {
  // An `import(…)` in an indirect eval of this file needs no flag.
  return indirectEval(`${source}\n//# sourceURL=query`);
}

const MAX_EXCERPT_CHARS = 80;

function excerpt(source: string): string {
  return source.length > MAX_EXCERPT_CHARS ? `${source.slice(0, MAX_EXCERPT_CHARS)}…` : source;
}

/** Explains an undefined name in a query, which has no access to the scope of the function. */
export function explainFailure(error: unknown): unknown {
  const [, name] = (error instanceof ReferenceError && /^(\S+) is not defined$/.exec(error.message)) || [];
  if (name === undefined) return error;
  return new RuntimeError(
    'TT_QUERY',
    `the query uses ${name}, which is not defined: only the source of the function is copied; pass it as an argument, app.query(fn, ${name}), or import(…) it in the query`,
    { cause: error },
  );
}
