// State of a terminal session, and the formatting that its commands share.
import { displayPath, missingValueText, type Client, type RequestOptions } from '@turntable/time-machine/client';
import type {
  CursorInfo,
  MethodName,
  MoveResult,
  ParamsOf,
  ResultOf,
  StatementInfo,
  ValueInfo,
} from '@turntable/time-machine/protocol';
import { sanitizeText } from '@turntable/replayer/entry';
import { taskLines } from '@turntable/replayer/replay';
import { breakpointText } from './breakpoint-text.ts';
import { ConvenienceVariables } from './convenience-variables.ts';
import { objectLabel } from './words.ts';

export type RecordingHello = ResultOf<'hello'>;
type Entries = ResultOf<'variables'>['entries'];

export class ReplSession {
  readonly client: Client;
  readonly print: (text: string) => void;
  /** The description of the recording; replaced when a running program's recording is refreshed. */
  hello: RecordingHello;
  #cursor: CursorInfo;
  /** The task that was printed last, so that it is printed only once while the position stays in it. */
  #shownTask: number | undefined;
  /** Index of the selected frame. */
  frame = 0;
  /** Breakpoints at which this client's last move has stopped. */
  stops: readonly number[] = [];
  readonly variables = new ConvenienceVariables();
  /** Expressions that each stop prints, by number. */
  readonly displays = new Map<number, string>();
  readonly #sources = new Map<string, readonly string[]>();
  /** Called when the position has changed. */
  onPosition: () => void = () => {};

  constructor(client: Client, hello: RecordingHello, print: (text: string) => void) {
    this.client = client;
    this.hello = hello;
    this.print = print;
    this.#cursor = hello.cursor;
  }

  get cursor(): CursorInfo {
    return this.#cursor;
  }

  set cursor(cursor: CursorInfo) {
    this.#cursor = cursor;
    this.frame = 0;
    this.onPosition();
  }

  request<M extends MethodName>(method: M, params: ParamsOf<M>, options: RequestOptions): Promise<ResultOf<M>> {
    return this.client.request(method, params, options);
  }

  /** Prints lines of recorded text, without control characters. */
  printLine(text: string): void {
    this.print(`${sanitizeText(text)}\n`);
  }

  printTask(task: NonNullable<CursorInfo['task']>): void {
    this.#shownTask = undefined;
    for (const line of taskLines(task, this.hello.startTime)) this.print(line);
  }

  forgetShownTask(): void {
    this.#shownTask = undefined;
  }

  /** Prints the result of a move or of a search for its target. */
  async showResult(result: MoveResult, options: RequestOptions): Promise<void> {
    const { found, reason, note, breakpoints = [], isEdge, cursor } = result;
    if (!found) return this.printLine(reason ?? 'there is no such position');
    // Only moves that stop at breakpoints have a list of them.
    if (isEdge === true && result.breakpoints !== undefined) this.printLine('no breakpoint is hit');
    if (breakpoints.length > 0) await this.#showBreakpoints(breakpoints, note, options);
    else if (note !== undefined) this.printLine(note);
    await this.showCursor(cursor);
  }

  async #showBreakpoints(ids: readonly number[], note: string | undefined, options: RequestOptions): Promise<void> {
    const { breakpoints } = await this.request('breakpoints', {}, options);
    const stored = ids.map((id) => breakpoints.find((each) => each.id === id));
    const [first] = stored;
    // The note names the expression and its change.
    if (note !== undefined && stored.length === 1 && first?.watch !== undefined)
      return this.printLine(`watchpoint ${first.id}: ${note}`);
    if (note !== undefined) this.printLine(note);
    for (const [i, breakpoint] of stored.entries()) {
      const id = ids[i];
      // A temporary breakpoint is deleted when a move stops at it.
      this.printLine(breakpoint === undefined ? `temporary breakpoint ${id}` : breakpointText(breakpoint));
    }
  }

  async showCursor({ position, task, statement }: CursorInfo): Promise<void> {
    if (task === undefined) this.print(`${position}, the end of the recording\n`);
    else if (statement === undefined || task.order !== this.#shownTask) this.printTask(task);
    this.#shownTask = task?.order;
    if (statement !== undefined) await this.showStatement(statement);
  }

  async showStatement({ file, line, column, function: name }: StatementInfo): Promise<void> {
    const text = (await this.sourceLines(file))[line - 1];
    this.printLine(`          ${shortPath(file)}:${line}:${column}${name === '' ? '' : ` in ${name}`}`);
    if (text !== undefined) this.printLine(sourceLine(line, text));
  }

  /** The lines of a recorded file; empty if its text is not recorded. */
  async sourceLines(file: string): Promise<readonly string[]> {
    let lines = this.#sources.get(file);
    if (lines === undefined) {
      const { source } = await this.client.request('source', { file });
      this.#sources.set(file, (lines = source === undefined ? [] : source.replace(/\n$/, '').split('\n')));
    }
    return lines;
  }

  /** The file in which the program starts; undefined if it is not recorded. */
  async entryFile(options: RequestOptions): Promise<string | undefined> {
    return (await this.request('sources', {}, options)).entry;
  }

  printEntries(entries: Entries): void {
    for (const entry of entries) {
      const text = entry.value === undefined ? missingValueText(entry) : valueText(entry.value);
      this.print(`  ${sanitizeText(entry.name)} = ${text}\n`);
    }
  }

  /** Seconds since the start of the recording, as `+1.250s`. */
  timeText(time: number): string {
    return `+${((time - this.hello.startTime) / 1000).toFixed(3)}s`;
  }
}

export function sourceLine(line: number, text: string, isCurrent = false): string {
  return `${isCurrent ? '->' : '  '}${String(line).padStart(6)} | ${text.trimEnd().replaceAll('\t', '  ')}`;
}

export function valueText({ preview, id }: ValueInfo): string {
  return `${sanitizeText(preview)}${id === undefined ? '' : `  ${objectLabel(id)}`}`;
}

/** Path of a file, for the terminal. */
export function shortPath(file: string): string {
  return sanitizeText(displayPath(file));
}
