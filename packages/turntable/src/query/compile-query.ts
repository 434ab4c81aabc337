// The text of a function as a function: of one that somebody wrote on the command line, in JavaScript or TypeScript, or that a program has.
// It stands alone, with nothing but the language and Node around it.
import { transformer } from '@turntable/loader';
import { RuntimeError } from '@turntable/runtime';

export type Query = (snapshot: unknown, ...args: readonly unknown[]) => unknown;

export function compileQuery(source: string): Query {
  const value = evaluateSource(source);
  if (typeof value === 'function') return value as Query;
  throw new RuntimeError(
    'TT_QUERY',
    `a query is a function of a snapshot, and ${JSON.stringify(excerpt(source))} is ${value === null ? 'null' : typeof value}; write snapshot => …`,
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

/** A method of an object, or TypeScript. */
function evaluateAlternatives(source: string): unknown {
  for (const attempt of [
    () => Object.values(evaluateExpression(`({ ${source}\n})`) as object)[0] as unknown,
    () => evaluateExpression(transformer.lower(`(${source}\n)`, 'query.ts')),
  ]) {
    try {
      return attempt();
    } catch {
      // Nor that.
    }
  }
  return undefined;
}

// oxlint-disable-next-line no-eval -- what the user has written to be run
const indirectEval = eval;

function evaluateExpression(source: string): unknown {
  // In an eval of this file's own, `import(…)` works without a flag.
  return indirectEval(`${source}\n//# sourceURL=query`);
}

const MAX_EXCERPT_CHARS = 80;

function excerpt(source: string): string {
  return source.length > MAX_EXCERPT_CHARS ? `${source.slice(0, MAX_EXCERPT_CHARS)}…` : source;
}

/** What a query failed of, said in its own terms if it used what is not there. */
export function explainFailure(error: unknown): unknown {
  const [, name] = (error instanceof ReferenceError && /^(\S+) is not defined$/.exec(error.message)) || [];
  if (name === undefined) return error;
  return new RuntimeError(
    'TT_QUERY',
    `the query uses ${name}, which is not there: it runs from its text alone; hand it over as an argument, app.query(fn, ${name}), or import(…) it in the query`,
    { cause: error },
  );
}
