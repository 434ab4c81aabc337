// The statements of a program, from the table of the transform, and the statement that contains a position of V8.
import { stripTypeScriptTypes } from 'node:module';
import { transform } from '@turntable/transform';
import { FIRST_STATEMENT, type SteppingProgram } from './program.ts';
import type { V8Place } from './v8-debugger.ts';

export interface ProgramStatement {
  /** Line and column, counted from 1. */
  readonly name: StatementName;
  readonly line: number;
  readonly column: number;
  /** Ordinal of the function; -1 for top-level code, -2 for initialisers of fields. */
  readonly function: number;
  /** The statement awaits a call, and not a promise that depends on the call. */
  readonly awaitsCall: boolean;
  /** Nothing is before the statement on its line. */
  readonly startsLine: boolean;
  /** V8 and we stop at heads of loops at different times, and V8 never stops at a class declaration. */
  readonly isPassed: boolean;
  /** The statement declares the number of the activation. */
  readonly isFirst: boolean;
  readonly isReturn: boolean;
}

/** `LINE:COLUMN`. */
export type StatementName = string;

/** The function of initialisers of fields. */
const FIELD = -2;
const AWAITED_CALL = /await (?!Promise\.)[\w.]+\([^()]*\)(?!\.)/;

interface Range<T> {
  readonly start: number;
  readonly end: number;
  readonly value: T;
}

export class StatementTable {
  readonly statements: readonly ProgramStatement[];
  readonly #ranges: readonly Range<ProgramStatement>[];
  readonly #functions: Range<number>[];
  readonly #asyncFunctions: ReadonlySet<number>;
  /** Offset of each line. */
  readonly #lines: readonly number[];

  constructor({ file, text }: SteppingProgram) {
    // Types are replaced by spaces, so positions stay the same.
    const source = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const { table } = transform(source, { path: 'main.mjs', kind: 'module', debug: true });
    const lines = [0];
    for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lines.push(at + 1);
    this.#lines = lines;
    // The start of a function belongs to the statement that creates the function.
    this.#functions = table.functions.map(({ start, end }, value) => ({ start: start + 1, end, value }));
    const fields = table.statements.filter(({ kind }) => kind === 'field');
    for (const { start, end } of fields) this.#functions.push({ start, end, value: FIELD });
    this.#asyncFunctions = new Set(
      table.functions.flatMap(({ async: isAsync, generator }, i) => (isAsync && !generator ? [i] : [])),
    );
    this.#ranges = table.statements.map(({ kind, start, end, function: ordinal }) => {
      const line = lines.findLastIndex((each) => each <= start) + 1;
      const column = start - (lines[line - 1] as number) + 1;
      const isPassed = kind === 'loop' || kind === 'iteration' || source.startsWith('class ', start);
      const isFirst = source.startsWith(FIRST_STATEMENT, start);
      const awaitsCall = AWAITED_CALL.test(source.slice(start, end));
      const startsLine = source.slice(lines[line - 1], start).trim() === '';
      const fn = kind === 'field' ? FIELD : ordinal;
      const place = { name: `${line}:${column}`, line, column, function: fn };
      return {
        start,
        end,
        value: { ...place, awaitsCall, startsLine, isPassed, isFirst, isReturn: kind === 'return' },
      };
    });
    this.statements = this.#ranges.map(({ value }) => value);
  }

  /** The innermost statement around a place, in the function of the place; undefined if there is none. */
  around(place: V8Place): ProgramStatement | undefined {
    const fn = this.functionAt(place);
    return innermost(
      this.#ranges.filter(({ value }) => value.function === fn),
      this.#offsetOf(place),
    );
  }

  /** Ordinal of the function that contains a place; -1 for top-level code. */
  functionAt(place: V8Place): number {
    return innermost(this.#functions, this.#offsetOf(place)) ?? -1;
  }

  /** Whether V8 follows the promise of a function to the function that awaits it. */
  isAsync(fn: number): boolean {
    return this.#asyncFunctions.has(fn);
  }

  #offsetOf({ line, column, isReturn = false }: V8Place): number {
    const at = (this.#lines[line - 1] as number) + column - 1;
    // V8 returns at the end of a statement or an expression, and at the brace of a function.
    return isReturn && this.#ranges.some(({ end }) => end === at) ? at - 1 : at;
  }
}

function innermost<T>(ranges: readonly Range<T>[], offset: number): T | undefined {
  let found: Range<T> | undefined;
  for (const each of ranges)
    if (each.start <= offset && offset < each.end && (found === undefined || each.start >= found.start)) found = each;
  return found?.value;
}
