// What a server can say about a breakpoint before anything is replayed: that its file or line does not exist, that its
// condition cannot be evaluated, or that the condition uses an unknown name.
import type { ParamsOf } from '../protocol.ts';
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

export type CheckedPlace = { readonly place: Place } | { readonly problem: string };
export type CheckedExpression = { readonly note?: string | undefined } | { readonly problem: string };

export class BreakpointChecks {
  readonly #deps: BreakpointCheckDeps;
  readonly #statements: StatementQueries;

  constructor(deps: BreakpointCheckDeps, statements: StatementQueries) {
    this.#deps = deps;
    this.#statements = statements;
  }

  /** The line of the statement at which a breakpoint stops, if it is known. */
  place({ file, line, column }: Place): CheckedPlace {
    if (file === undefined || line === undefined) return { place: { file, line, column } };
    const files = this.#filesOf(file);
    if (files?.length === 0) return { problem: `the recording has no file ${file}` };
    const [known] = files ?? [];
    const statements = known === undefined || files?.length !== 1 ? undefined : this.#statements.statementsOf(known);
    if (statements === undefined) return { place: { file, line, column } };
    const found = statements.find(
      (each) => each.line > line || (each.line === line && each.column >= (column ?? 1)),
    );
    if (found === undefined) return { problem: `no statement starts at line ${line} of ${file} or after it` };
    return { place: found.line === line ? { file, line, column } : { file, line: found.line, column: undefined } };
  }

  /** @param file the file in which the expression is evaluated, as a client names it */
  expression(text: string | undefined, file: string | undefined): CheckedExpression {
    const [known] = (file === undefined ? undefined : this.#filesOf(file)) ?? [];
    const source = known === undefined ? undefined : this.#deps.findSource?.(known);
    const problem = text === undefined ? undefined : this.#deps.checkExpression?.(text, source);
    if (problem === undefined) return {};
    return problem.isFatal ? { problem: `${text}: ${problem.text}` } : { note: problem.text };
  }

  /** The recorded files with a name or its end; undefined if the files are not known. */
  #filesOf(name: string): string[] | undefined {
    return this.#deps.sourceFiles?.().filter((file) => file === name || file.endsWith(`/${name}`));
  }
}
