// The statements of files, as they are asked for: each file is looked through once.
import type { ParamsOf, ResultOf } from '../protocol.ts';
import type { StatementPlace } from '../replay-process/protocol.ts';

export type StatementHere = Pick<StatementPlace, 'line' | 'column' | 'endLine' | 'endColumn' | 'function' | 'kind'>;

/** Nothing of a file of which they are not known. */
export type StatementsOf = (file: string) => readonly StatementHere[] | undefined;

export class ToldStatements {
  readonly #statementsOf: StatementsOf;
  readonly #known = new Map<string, readonly StatementHere[] | undefined>();

  constructor(statementsOf: StatementsOf) {
    this.#statementsOf = statementsOf;
  }

  some({ file, first = 1, last = Infinity, from = 0, count }: ParamsOf<'statements'>): ResultOf<'statements'> {
    const all = this.#of(file);
    if (all === undefined) return { total: 0 };
    const meant = all.filter(({ line }) => line >= first && line <= last);
    return { statements: meant.slice(from, from + count), total: meant.length };
  }

  #of(file: string): readonly StatementHere[] | undefined {
    if (this.#known.has(file)) return this.#known.get(file);
    const all = this.#statementsOf(file)?.toSorted((one, other) => one.line - other.line || one.column - other.column);
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
    this.#known.set(file, found);
    return found;
  }
}
