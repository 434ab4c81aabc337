// Variables of files that have no value yet, while the files are evaluated: what a declaration gives them no barrier tells of. It is seen when the next statement of the file itself begins, or when
// somebody asks, by what has a value then.
import type { LastWrite, LastWriteIndex } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { topScopeOf, topVariableValue, type TopVariable } from './top-scope.ts';

/** Statements of a file that are looked behind: a loop there may have any number. */
const MAX_CHECKED_STATEMENTS = 50_000;

type StatementSite = LastWrite['site'];

interface UnsetVariables {
  readonly variables: Map<string, TopVariable>;
  /** The statement of the file that began last. */
  lastStatement: StatementSite;
  checks: number;
}

export class FirstValueTracker {
  readonly #loader: Loader;
  readonly #lastWrites: LastWriteIndex;
  readonly #files = new Map<string, UnsetVariables>();

  constructor(loader: Loader, lastWrites: LastWriteIndex) {
    this.#loader = loader;
    this.#lastWrites = lastWrites;
  }

  /** A statement of the file itself is about to begin. */
  addStatement(file: string, site: StatementSite): void {
    const unset = this.#files.get(file);
    if (unset === undefined) {
      const variables = [...topScopeOf(this.#loader, file)].filter(([, each]) => !each.isImported && isUnset(each));
      this.#files.set(file, { variables: new Map(variables), lastStatement: site, checks: 0 });
    } else if (unset.variables.size > 0) {
      this.#checkFile(unset);
      unset.lastStatement = site;
      if (++unset.checks >= MAX_CHECKED_STATEMENTS) unset.variables.clear();
    }
  }

  /** Somebody asks. */
  checkAll(): void {
    for (const unset of this.#files.values()) this.#checkFile(unset);
  }

  #checkFile({ variables, lastStatement: site }: UnsetVariables): void {
    for (const [name, variable] of variables) {
      if (isUnset(variable)) continue;
      variables.delete(name);
      if ('cell' in variable) this.#lastWrites.noteFirstValue(variable.cell, 'properties', 'v', site);
      else this.#lastWrites.noteFirstValue(variable.record, 'variables', name, site);
    }
  }
}

/** What a `var` is before its declaration runs counts for nothing. */
function isUnset(variable: TopVariable): boolean {
  return topVariableValue(variable)?.value === undefined;
}
