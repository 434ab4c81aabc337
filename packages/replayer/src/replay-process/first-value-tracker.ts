// Finds the statements that initialize the top-level variables of files. No barrier reports the value that a
// declaration gives its variable. So the tracker checks, before each top-level statement and on request, which
// variables have got a value, and attributes the value to the preceding statement.
import type { LastWrite, LastWriteIndex } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { topScopeOf, topVariableValue, type TopVariable } from './top-scope.ts';

/** Maximum number of checks per file, because a top-level loop may execute any number of statements. */
const MAX_CHECKED_STATEMENTS = 50_000;

type StatementSite = LastWrite['site'];

interface UnsetVariables {
  readonly variables: Map<string, TopVariable>;
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

  /** Notes that a top-level statement is about to begin. */
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

  /** Must be called before last writes are read. */
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

/** Whether the variable has no value. A `var` is undefined before its declaration runs, so undefined counts as none. */
function isUnset(variable: TopVariable): boolean {
  return topVariableValue(variable)?.value === undefined;
}
