// FirstValueTracker finds the statements that initialize the top-level variables of files. No barrier reports the value
// that a declaration gives its variable. So, whenever a top-level statement begins or a client asks, the tracker looks
// which variables have a value by now and attributes it to the statement before.
import type { LastWrite, LastWriteIndex } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { topScopeOf, topVariableValue, type TopVariable } from './top-scope.ts';

/** Limit of checked top-level statements of a file: a loop may execute any number. */
const MAX_CHECKED_STATEMENTS = 50_000;

type StatementSite = LastWrite['site'];

interface UnsetVariables {
  readonly variables: Map<string, TopVariable>;
  /** The top-level statement that began last. */
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

/** A `var` is undefined before its declaration runs, so undefined counts as unset. */
function isUnset(variable: TopVariable): boolean {
  return topVariableValue(variable)?.value === undefined;
}
