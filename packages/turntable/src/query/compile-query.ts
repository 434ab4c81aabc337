// The text of a function as a function: of one that somebody wrote on the command line, in JavaScript or TypeScript, or that a program has.
// It stands alone, with nothing but the language and Node around it.
import { transformer } from '@turntable/loader';
import { RuntimeError } from '@turntable/runtime';

export type Query = (snapshot: unknown, ...args: readonly unknown[]) => unknown;

export function compileQuery(text: string): Query {
  const value = evaluated(text);
  if (typeof value === 'function') return value as Query;
  throw new RuntimeError(
    'TT_QUERY',
    `a query is a function of a snapshot, and ${JSON.stringify(excerpt(text))} is ${value === null ? 'null' : typeof value}; write snapshot => …`,
  );
}

function evaluated(text: string): unknown {
  try {
    return run(`(${text}\n)`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const other = inOtherWords(text);
    if (other !== undefined) return other;
    throw new RuntimeError('TT_QUERY', `the text of the query is not a function: ${error.message}: ${excerpt(text)}`, {
      cause: error,
    });
  }
}

/** A method of an object, or TypeScript. */
function inOtherWords(text: string): unknown {
  for (const attempt of [
    () => Object.values(run(`({ ${text}\n})`) as object)[0] as unknown,
    () => run(transformer.lower(`(${text}\n)`, 'query.ts')),
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
const evaluateGlobally = eval;

function run(source: string): unknown {
  // In an eval of this file's own, `import(…)` works without a flag.
  return evaluateGlobally(`${source}\n//# sourceURL=query`);
}

const SHOWN = 80;

function excerpt(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** What a query failed of, said in its own terms if it used what is not there. */
export function failureOf(error: unknown): unknown {
  const [, name] = (error instanceof ReferenceError && /^(\S+) is not defined$/.exec(error.message)) || [];
  if (name === undefined) return error;
  return new RuntimeError(
    'TT_QUERY',
    `the query uses ${name}, which is not there: it runs from its text alone; hand it over as an argument, app.query(fn, ${name}), or import(…) it in the query`,
    { cause: error },
  );
}
