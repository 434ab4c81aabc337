// Finds functions of the recorded code by their names, and the function around a location.
import type { ResultOf } from '../../protocol.ts';
import type { FunctionLocator } from '../../stepping/breakpoints.ts';
import type { StatementQueries } from './statements.ts';

interface Location {
  readonly line: number;
  readonly column: number;
}

export interface FileFunction {
  /** Empty for a function without a name. */
  readonly name: string;
  /** The class or object that holds the function. */
  readonly owner: string | undefined;
  readonly parameters: readonly string[];
  /** Start of the parameters; without parameters, of the body. */
  readonly head: Location;
  /** Range of the body. */
  readonly start: Location;
  readonly end: Location;
}

/** Finds the functions of a file; undefined if the file has no recorded text. */
export type FindFunctions = (file: string) => readonly FileFunction[] | undefined;

export interface FunctionQueriesDeps {
  readonly sourceFiles?: (() => readonly string[]) | undefined;
  readonly findSource?: ((file: string) => string | undefined) | undefined;
  readonly findFunctions?: FindFunctions | undefined;
}

/** Shown for functions without a name. */
const ANONYMOUS = '(anonymous)';

export class FunctionQueries {
  readonly #deps: FunctionQueriesDeps;
  readonly #statements: StatementQueries;
  readonly #cache = new Map<string, readonly FileFunction[]>();

  constructor(deps: FunctionQueriesDeps, statements: StatementQueries) {
    this.#deps = deps;
    this.#statements = statements;
  }

  /** The first statements of the functions of a name, such as `reserve` or `Cart.reserve`. Own code hides packages. */
  readonly locate: FunctionLocator = (text) => {
    const parts = text.split('.');
    const name = parts.pop() ?? '';
    const owner = parts.length === 0 ? undefined : parts.join('.');
    const files = (this.#deps.sourceFiles?.() ?? []).filter((file) =>
      this.#deps.findSource?.(file)?.includes(name.replace('#', '')),
    );
    const found = files.flatMap((file) =>
      this.#functionsOf(file)
        .filter((each) => isNamed(each, name, owner))
        .flatMap((each) => this.#firstStatement(file, each) ?? []),
    );
    const own = found.filter(({ file }) => !isInPackage(file));
    return own.length > 0 ? own : found;
  };

  /** Parameters and range of the innermost function around a location. */
  describeFunctionAt(
    location: (Location & { readonly file: string }) | undefined,
  ): Pick<ResultOf<'frames'>['frames'][number], 'parameters' | 'functionRange'> {
    const found = location && this.#functionAt(location.file, location);
    if (found === undefined) return { parameters: [] };
    const { parameters, head, end } = found;
    return { parameters, functionRange: { ...head, endLine: end.line, endColumn: end.column } };
  }

  /** Name of the innermost function around a location; empty outside of functions. */
  nameAt(file: string, at: Location): string {
    const found = this.#functionAt(file, at);
    return found === undefined ? '' : found.name === '' ? ANONYMOUS : found.name;
  }

  #functionAt(file: string, at: Location): FileFunction | undefined {
    return this.#functionsOf(file).findLast((each) => isInside(at, each));
  }

  #firstStatement(file: string, range: FileFunction): ({ readonly file: string } & Location) | undefined {
    const first = this.#statements.statementsOf(file)?.find((each) => isInside(each, range));
    return first && { file, line: first.line, column: first.column };
  }

  #functionsOf(file: string): readonly FileFunction[] {
    let functions = this.#cache.get(file);
    if (functions === undefined) this.#cache.set(file, (functions = this.#deps.findFunctions?.(file) ?? []));
    return functions;
  }
}

function isNamed(each: FileFunction, name: string, owner: string | undefined): boolean {
  if (each.name === '') return false;
  if (each.name !== name && each.name !== `#${name}`) return false;
  return owner === undefined || each.owner === owner || each.owner?.endsWith(`.${owner}`) === true;
}

function isInside(at: Location, { start, end }: Pick<FileFunction, 'start' | 'end'>): boolean {
  return compareLocations(at, start) >= 0 && compareLocations(at, end) < 0;
}

function compareLocations(first: Location, second: Location): number {
  return first.line - second.line || first.column - second.column;
}

function isInPackage(file: string): boolean {
  return file.includes('/node_modules/');
}
