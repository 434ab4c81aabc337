// What a server can say about a breakpoint before anything is replayed: that its file or line does not exist, that its
// condition cannot be evaluated, or that the condition uses an unknown name.
import { fileURLToPath } from 'node:url';
import type { ParamsOf } from '../protocol.ts';
import { invalidParams } from './protocol-error.ts';
import type { StatementQueries } from './wire/statements.ts';

/** A problem of an expression. */
export interface ExpressionProblem {
  readonly text: string;
  /** Whether the expression can never have a value. */
  readonly isFatal: boolean;
}

/** @param source text of the file in which the expression is evaluated, if it is known */
export type CheckExpression = (expression: string, source: string | undefined) => ExpressionProblem | undefined;

export interface BreakpointCheckDeps {
  readonly sourceFiles?: (() => readonly string[]) | undefined;
  readonly findSource?: ((file: string) => string | undefined) | undefined;
  readonly checkExpression?: CheckExpression | undefined;
}

type Place = Pick<ParamsOf<'addBreakpoint'>, 'file' | 'line' | 'column'>;

export class BreakpointChecks {
  readonly #deps: BreakpointCheckDeps;
  readonly #statements: StatementQueries;

  constructor(deps: BreakpointCheckDeps, statements: StatementQueries) {
    this.#deps = deps;
    this.#statements = statements;
  }

  /** The line of the statement at which a breakpoint stops, if the statements are known. Throws if there is none. */
  place({ file, line, column }: Place): Place {
    const requested = { file, line, column };
    if (file === undefined || line === undefined) return requested;
    const files = this.#filesOf(file);
    if (files?.length === 0) throw invalidParams(`the recording has no file ${file}`);
    const statements = files?.length === 1 ? this.#statements.statementsOf(files[0] as string) : undefined;
    if (statements === undefined) return requested;
    const found = statements.find((each) => each.line > line || (each.line === line && each.column >= (column ?? 1)));
    if (found === undefined) throw invalidParams(`no statement starts at line ${line} of ${file} or after it`);
    return found.line === line ? requested : { file, line: found.line, column: undefined };
  }

  /**
   * A note for users about an expression that may fail. Throws if it can never have a value.
   * @param file the file in which the expression is evaluated, as a client names it
   */
  expression(text: string | undefined, file: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const [known] = (file === undefined ? undefined : this.#filesOf(file)) ?? [];
    const source = known === undefined ? undefined : this.#deps.findSource?.(known);
    const problem = this.#deps.checkExpression?.(text, source);
    if (problem?.isFatal === true) throw invalidParams(`${text}: ${problem.text}`);
    return problem?.text;
  }

  /** The recorded files with a name or its end; undefined if the files are not known. */
  #filesOf(name: string): string[] | undefined {
    const path = pathOf(name);
    return this.#deps.sourceFiles?.().filter((file) => pathOf(file) === path || pathOf(file).endsWith(`/${path}`));
  }
}

/** Stacks have URLs of ES modules and paths of CommonJS files. */
function pathOf(file: string): string {
  try {
    return file.startsWith('file:') ? fileURLToPath(file) : file;
  } catch {
    return file; // A URL with a host.
  }
}
