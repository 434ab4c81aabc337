// Variables of files that have no value yet, while the files are evaluated: what a declaration gives them no barrier tells of. It is seen when the next statement of the file itself begins, or when
// somebody asks, by what has a value then.
import type { LastWrite, WriteNotes } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { topScopeOf, valueOfTop, type TopVariable } from './top-scope.ts';

/** Statements of a file that are looked behind: a loop there may have any number. */
const MOST = 50_000;

type WritingAt = LastWrite['at'];

interface Waiting {
  readonly variables: Map<string, TopVariable>;
  /** The statement of the file that began last. */
  at: WritingAt;
  looks: number;
}

export class FirstValues {
  readonly #loader: Loader;
  readonly #notes: WriteNotes;
  readonly #files = new Map<string, Waiting>();

  constructor(loader: Loader, notes: WriteNotes) {
    this.#loader = loader;
    this.#notes = notes;
  }

  /** A statement of the file itself is about to begin. */
  comesTo(file: string, at: WritingAt): void {
    const waiting = this.#files.get(file);
    if (waiting === undefined) {
      const variables = [...topScopeOf(this.#loader, file)].filter(([, each]) => !each.isImported && isWithout(each));
      this.#files.set(file, { variables: new Map(variables), at, looks: 0 });
    } else if (waiting.variables.size > 0) {
      this.#looksBehind(waiting);
      waiting.at = at;
      if (++waiting.looks >= MOST) waiting.variables.clear();
    }
  }

  /** Somebody asks. */
  settle(): void {
    for (const waiting of this.#files.values()) this.#looksBehind(waiting);
  }

  #looksBehind({ variables, at }: Waiting): void {
    for (const [name, variable] of variables) {
      if (isWithout(variable)) continue;
      variables.delete(name);
      if ('cell' in variable) this.#notes.began(variable.cell, 'properties', 'v', at);
      else this.#notes.began(variable.record, 'variables', name, at);
    }
  }
}

/** What a `var` is before its declaration runs counts for nothing. */
function isWithout(variable: TopVariable): boolean {
  return valueOfTop(variable)?.value === undefined;
}
