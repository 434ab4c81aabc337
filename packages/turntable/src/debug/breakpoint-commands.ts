// Terminal commands for breakpoints, watchpoints and log points.
import { parseLocationSpec, type RequestOptions } from '@turntable/time-machine/client';
import type { BreakpointInfo, ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { formatCount } from '@turntable/replayer/entry';
import { writeFileSync } from 'node:fs';
import { breakpointCommand, breakpointText } from './breakpoint-text.ts';
import { isExceptionKind } from './command-names.ts';
import type { LineArguments } from './line-arguments.ts';
import { printfExpression } from './printf-expression.ts';
import type { ReplSession } from './session.ts';
import { parseNumber, ReplInputError, splitWords } from './words.ts';

type BreakpointParams = ParamsOf<'addBreakpoint'>;

/** Maximum number of a log point's results shown at once. */
const MAX_LOG_LINES = 1000;
/** Kinds of exceptions in gdb's command `catch`. */
const CATCH_KINDS: Readonly<Record<string, string>> = { throw: 'exception', catch: 'caught', rethrow: 'exception' };
const CONDITION_AND_TIMES = /^(.*?)(?:(?:^|\s+)times\s+(\d{1,9}))?(?:(?:^|\s+)if\s+(.+?))?(?:\s+times\s+(\d{1,9}))?$/;

export class BreakpointCommands {
  readonly #session: ReplSession;
  /** Breakpoints that are disabled at their next stop. */
  readonly #enabledOnce = new Set<number>();

  constructor(session: ReplSession) {
    this.#session = session;
  }

  /** Sets a breakpoint. Arguments: `[LOCATION|KIND [TEXT]] [if EXPR] [times N]` */
  async break(args: LineArguments, isTemporary: boolean, options: RequestOptions): Promise<void> {
    const [, placeText = '', before, condition, after] = CONDITION_AND_TIMES.exec(args.text) ?? [];
    const times = before ?? after;
    const place = await this.#parsePlace(placeText.trim(), options);
    const params: BreakpointParams = {
      ...place,
      condition,
      ...(times !== undefined && { hitNumber: Number(times) }),
      ...(isTemporary && { isTemporary }),
    };
    this.#printSet(await this.#session.request('addBreakpoint', params, options));
  }

  #printSet({ note, ...breakpoint }: ResultOf<'addBreakpoint'>): void {
    this.#session.printLine(breakpointText(breakpoint));
    if (note !== undefined) this.#session.printLine(`(the condition may fail: ${note})`);
  }

  async #parsePlace(text: string, options: RequestOptions): Promise<BreakpointParams> {
    if (text === '') return this.#currentStatement();
    const [first, second, ...more] = splitWords(text);
    const kind = this.#kindOf(first?.text ?? '');
    if (kind !== undefined) {
      const isNarrowed = kind === 'exception' && isExceptionKind(second?.text);
      const textStart = isNarrowed ? more[0] : second;
      const words = isNarrowed ? more : second === undefined ? [] : [second, ...more];
      const matched = words.length === 1 ? words[0]?.text : textStart && text.slice(textStart.offset).trim();
      return { kind: isNarrowed ? (second?.text ?? kind) : kind, ...(matched !== undefined && { text: matched }) };
    }
    const location = second === undefined ? parseLocationSpec(first?.text ?? '') : undefined;
    if (location === undefined)
      throw new ReplInputError(
        `"${text}" must be LINE, FILE:LINE[:COLUMN], FUNCTION, Class.method or a KIND (help kinds)`,
      );
    if ('function' in location) return location;
    return { ...location, file: location.file ?? (await this.#currentFile(options)) };
  }

  #kindOf(word: string): string | undefined {
    if (Object.hasOwn(CATCH_KINDS, word)) return CATCH_KINDS[word];
    return this.#session.hello.breakpointKinds.find(({ id }) => id === word)?.id;
  }

  #currentStatement(): BreakpointParams {
    const { statement } = this.#session.cursor;
    if (statement === undefined) throw new ReplInputError('break needs a LOCATION here: no statement has begun');
    return { file: statement.file, line: statement.line, column: statement.column };
  }

  /** The file of the selected frame. */
  async #currentFile(options: RequestOptions): Promise<string> {
    const { cursor, frame } = this.#session;
    const { frames } = frame === 0 ? { frames: [] } : await this.#session.request('frames', {}, options);
    const current = frame === 0 ? cursor.statement?.file : frames[frame]?.location?.file;
    const file = current ?? (await this.#session.entryFile(options));
    if (file === undefined) throw new ReplInputError('there is no current file; give FILE:LINE');
    return file;
  }

  async list(options: RequestOptions): Promise<void> {
    const { breakpoints } = await this.#session.request('breakpoints', {}, options);
    for (const each of breakpoints) this.#session.printLine(breakpointText(each));
    if (breakpoints.length === 0) this.#session.print('no breakpoints\n');
  }

  async watch(args: LineArguments, options: RequestOptions): Promise<void> {
    if (args.text === '') throw new ReplInputError('watch needs an expression');
    const breakpoint = await this.#session.request('addBreakpoint', { watch: args.text }, options);
    this.#session.printLine(breakpointText(breakpoint));
  }

  /** Deletes breakpoints or a bookmark. Arguments: `[NUMBER…|bookmark NUMBER]` */
  async delete(args: LineArguments, options: RequestOptions): Promise<void> {
    const [first = '', second = ''] = args.words;
    if (['bookmark', 'checkpoint'].includes(first)) {
      const { found } = await this.#session.request('removeBookmark', { id: parseNumber(second) }, options);
      if (!found) throw new ReplInputError(`there is no bookmark ${second}; see bookmarks`);
      return;
    }
    const ids = await this.#idsOf(
      ['breakpoints', 'display'].includes(first) ? args.words.slice(1) : args.words,
      options,
    );
    for (const id of ids) {
      const { found } = await this.#session.request('removeBreakpoint', { id }, options);
      if (!found) throw new ReplInputError(noSuchBreakpoint(id));
    }
  }

  /** Deletes the breakpoints at a location; without one, at the current line. Arguments: `[LOCATION]` */
  async clear(args: LineArguments, options: RequestOptions): Promise<void> {
    const place = await this.#parsePlace(args.text, options);
    const { breakpoints } = await this.#session.request('breakpoints', {}, options);
    const found = breakpoints.filter((each) => isSamePlace(each, place));
    if (found.length === 0) throw new ReplInputError('no breakpoint is there; see info breakpoints');
    for (const { id } of found) await this.#session.request('removeBreakpoint', { id }, options);
    this.#session.printLine(`deleted breakpoint ${found.map(({ id }) => id).join(', ')}`);
  }

  /** Arguments: `[once] [NUMBER…]` */
  async setEnabled(args: LineArguments, isEnabled: boolean, options: RequestOptions): Promise<void> {
    const isOnce = isEnabled && args.words[0] === 'once';
    for (const id of await this.#idsOf(isOnce ? args.words.slice(1) : args.words, options)) {
      await this.#session.request('updateBreakpoint', { id, isEnabled }, options);
      if (isOnce) this.#enabledOnce.add(id);
      else this.#enabledOnce.delete(id);
    }
  }

  /** Disables the breakpoints that were enabled for one stop. */
  async stopped(ids: readonly number[], options: RequestOptions): Promise<void> {
    for (const id of ids)
      if (this.#enabledOnce.delete(id))
        await this.#session.request('updateBreakpoint', { id, isEnabled: false }, options);
  }

  /** The number of the last breakpoint. */
  async lastId(options: RequestOptions): Promise<number | undefined> {
    return (await this.#session.request('breakpoints', {}, options)).breakpoints.at(-1)?.id;
  }

  /** Writes the breakpoints as commands to a file. Arguments: `breakpoints FILE` */
  async save(args: LineArguments, options: RequestOptions): Promise<void> {
    const file = args.textAfter(1);
    if (!'breakpoints'.startsWith(args.words[0] ?? ' ') || file === undefined)
      throw new ReplInputError('usage: save breakpoints FILE');
    const { breakpoints } = await this.#session.request('breakpoints', {}, options);
    try {
      writeFileSync(file, breakpoints.map((each) => `${breakpointCommand(each)}\n`).join(''));
    } catch (error) {
      throw new ReplInputError(`save: ${(error as Error).message}`);
    }
    this.#session.printLine(`saved ${formatCount(breakpoints.length, 'breakpoint')} in ${file}`);
  }

  /** Sets or removes a condition. Arguments: `NUMBER [EXPR]` */
  async condition(args: LineArguments, options: RequestOptions): Promise<void> {
    const id = parseNumber(args.words[0] ?? '');
    const params = { id, condition: args.after(1) };
    this.#printSet(await this.#session.request('updateBreakpoint', params, options));
  }

  /** Passes hits of a breakpoint. Arguments: `NUMBER COUNT` */
  async ignore(args: LineArguments, options: RequestOptions): Promise<void> {
    const [number = '', count = ''] = args.words;
    if (!/^\d{1,9}$/.test(count)) throw new ReplInputError('usage: ignore NUMBER COUNT');
    const params = { id: parseNumber(number), ignoreCount: Number(count) };
    this.#printSet(await this.#session.request('updateBreakpoint', params, options));
  }

  /** Numbers in the arguments; without any, those of all breakpoints. */
  async #idsOf(words: readonly string[], options: RequestOptions): Promise<readonly number[]> {
    if (words.length > 0) return words.map((word) => parseNumber(word));
    const { breakpoints } = await this.#session.request('breakpoints', {}, options);
    return breakpoints.map(({ id }) => id);
  }

  /** Prints the values of an expression at the executions of a location. Arguments: `LOCATION EXPR` */
  async log(args: LineArguments, options: RequestOptions): Promise<void> {
    // gdb's dprintf separates its arguments by commas.
    const [, place = '', text = ''] = /^([^\s,]+)\s*,?\s*(.*)$/s.exec(args.text) ?? [];
    const location = parseLocationSpec(place);
    const logExpression = printfExpression(text);
    if (location === undefined || logExpression === '') throw new ReplInputError('usage: log LOCATION EXPR');
    const spots =
      'function' in location
        ? (await this.#session.request('locations', { function: location.function }, options)).locations
        : [{ ...location, file: location.file ?? (await this.#currentFile(options)) }];
    if (spots.length === 0) throw new ReplInputError(`the recorded code has no function ${place}`);
    for (const { file, line, column } of spots) {
      const params = { file, line, column, logExpression, from: this.#session.cursor.order, count: MAX_LOG_LINES };
      const { hits, next } = await this.#session.request('logPoint', params, options);
      for (const { position, logValue: value, error } of hits)
        this.#session.printLine(`  ${position.padEnd(16)}  ${value ?? error ?? ''}`);
      if (hits.length === 0) this.#session.print('the location is not executed from here on\n');
      if (next !== undefined) this.#session.print(`there may be more from ${next} on\n`);
    }
  }
}

function isSamePlace(breakpoint: BreakpointInfo, place: BreakpointParams): boolean {
  if (place.function !== undefined) return breakpoint.function === place.function;
  if (place.kind !== undefined) return breakpoint.kind === place.kind;
  const [file = '', other = ''] = [breakpoint.file, place.file];
  const isSameFile = file === other || file.endsWith(`/${other}`) || other.endsWith(`/${file}`);
  return breakpoint.line !== undefined && isSameFile && breakpoint.line === place.line;
}

function noSuchBreakpoint(id: number): string {
  return `there is no breakpoint ${id}; see info breakpoints`;
}
