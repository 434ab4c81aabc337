// Answers to requests for the statements of files. Each file is analyzed once.
import type { ParamsOf, ResultOf } from '../../protocol.ts';
import type { StatementLocation } from '../../replay-process/task-trace.ts';

export type FileStatement = Pick<StatementLocation, 'line' | 'column' | 'endLine' | 'endColumn' | 'function' | 'kind'>;

/** Finds the statements of a file; undefined if the statements are unknown. */
export type FindStatements = (file: string) => readonly FileStatement[] | undefined;

export class StatementQueries {
  readonly #findStatements: FindStatements;
  readonly #cache = new Map<string, readonly FileStatement[] | undefined>();

  constructor(findStatements: FindStatements) {
    this.#findStatements = findStatements;
  }

  page({ file, firstLine = 1, lastLine = Infinity, from = 0, count }: ParamsOf<'statements'>): ResultOf<'statements'> {
    const all = this.statementsOf(file);
    if (all === undefined) return { total: 0 };
    const inRange = all.filter(({ line }) => line >= firstLine && line <= lastLine);
    return { statements: inRange.slice(from, from + count), total: inRange.length };
  }

  /** The statements of a file in the order of its text; undefined if they are unknown. */
  statementsOf(file: string): readonly FileStatement[] | undefined {
    if (this.#cache.has(file)) return this.#cache.get(file);
    const all = this.#findStatements(file)?.toSorted(
      (first, second) => first.line - second.line || first.column - second.column,
    );
    const found = all
      ?.filter((each, i) => each.line !== all[i - 1]?.line || each.column !== all[i - 1]?.column)
      .map(({ line, column, endLine, endColumn, function: name, kind }) => ({
        line,
        column,
        endLine,
        endColumn,
        function: name,
        kind,
      }));
    this.#cache.set(file, found);
    return found;
  }
}
