// The client's breakpoints: lines, functions, exceptions, watched expressions and log points. Each DAP request replaces all breakpoints of a
// file or kind. The server adds and removes single breakpoints and searches the recording for each new one, so
// breakpoints that a request repeats are kept. The event kinds come from the server.
import { RequestError, statementAt, type ListedStatement } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';
import { EXCEPTION_FILTERS } from './capabilities.ts';
import { parseDataBreakpoint } from './data-breakpoints.ts';
import type { LogPoints } from './log-points.ts';
import { matchLine } from './line-matching.ts';
import { pathOf, type EditedLines, type Sources } from './sources.ts';
import type { WithUndefined } from './with-undefined.ts';

type BreakParams = ParamsOf<'addBreakpoint'>;
export type DapBreakpoint = WithUndefined<DebugProtocol.Breakpoint>;

interface OwnBreakpoint {
  /** The breakpoint's id in DAP messages. */
  readonly id: number;
  readonly params: BreakParams;
  /** The server's id; undefined for a log point, which the server does not pause at. */
  readonly serverId: number | undefined;
  readonly stop: () => void;
}

/** The breakpoints that one DAP request replaces as a whole, by their parameters as JSON. */
type BreakpointSet = Map<string, OwnBreakpoint>;

export interface BreakpointHits {
  readonly reason: string;
  readonly breakpointIds: readonly number[];
  /** The event kinds of all hit breakpoints that are not line breakpoints. */
  readonly kinds: readonly string[];
}

/** The reason reported for a stop, by the key of the breakpoint's set; line breakpoints report `breakpoint`. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  functions: 'function breakpoint',
  exceptions: 'exception',
  data: 'data breakpoint',
};

/** The event kind of a function breakpoint whose name is not a function of the code: the start of an actor's turn. */
const TURN_KIND = 'enter';

export class Breakpoints {
  readonly #context: SessionContext;
  readonly #sources: Sources;
  readonly #logPoints: LogPoints;
  readonly #sets = new Map<string, BreakpointSet>();

  constructor(context: SessionContext, sources: Sources, logPoints: LogPoints) {
    this.#context = context;
    this.#sources = sources;
    this.#logPoints = logPoints;
  }

  /** Handles `setBreakpoints`: replaces all line breakpoints and log points of a file. */
  async setLines(args: RequestArguments): Promise<DapBreakpoint[]> {
    const source = args.object('source');
    const path = source.optionalString('path');
    const key = `source ${path === undefined ? `#${source.optionalInteger('sourceReference') ?? 0}` : pathOf(path)}`;
    const inputs = args.objects('breakpoints');
    const file = this.#sources.resolve(source);
    if (file === undefined) {
      await this.#replace(key, []);
      const message = 'the recording has no such file';
      return inputs.map((each) => ({
        id: this.#context.nextBreakpointId(),
        verified: false,
        message,
        line: each.integer('line'),
      }));
    }
    const [lineCount, statements, edited] = await Promise.all([
      this.#sources.lineCount(file),
      this.#sources.statements(file),
      this.#sources.editedLines(source, file),
    ]);
    const requests = inputs.map((each) => this.#parseLine(each, file, { lineCount, statements, edited }));
    const breakpoints = await this.#replace(key, requests);
    return inputs.map((each, i) => ({
      ...(breakpoints[i] as DapBreakpoint),
      // Statements have numbers of recorded lines.
      ...this.#locationOf(requests[i], each, edited === undefined ? statements : undefined),
    }));
  }

  /** Returns the statement at which the breakpoint is set, or the requested location if no statement is known. */
  #locationOf(
    parsed: ParsedRequest | undefined,
    args: RequestArguments,
    statements: readonly ListedStatement[] | undefined,
  ): Pick<DapBreakpoint, 'line' | 'column' | 'endLine' | 'endColumn'> {
    const { line = 0, column } = typeof parsed === 'object' ? parsed.params : {};
    const location = line > 0 && statements !== undefined ? statementAt(statements, line, column) : undefined;
    return location === undefined
      ? { line: args.integer('line'), column: args.optionalInteger('column') }
      : this.#toRange(location);
  }

  #toRange({ line, column, endLine, endColumn }: ListedStatement): DebugProtocol.BreakpointLocation {
    const { numbering } = this.#context;
    return {
      line: numbering.toClientLine(line),
      column: numbering.toClientColumn(column),
      endLine: numbering.toClientLine(endLine),
      endColumn: numbering.toClientColumn(endColumn),
    };
  }

  /** Handles `breakpointLocations`: returns the statements that start in a range of a file. */
  async locations(args: RequestArguments): Promise<DebugProtocol.BreakpointLocation[]> {
    const source = args.object('source');
    const file = this.#sources.resolve(source);
    // The statements of an edited file are not known.
    if (file === undefined || (await this.#sources.editedLines(source, file)) !== undefined) return [];
    const { numbering } = this.#context;
    const column = (name: string, fallback: number): number => {
      const clientColumn = args.optionalInteger(name);
      return clientColumn === undefined ? fallback : numbering.fromClientColumn(clientColumn);
    };
    const firstLine = numbering.fromClientLine(args.integer('line'));
    const lastLine = numbering.fromClientLine(args.optionalInteger('endLine') ?? args.integer('line'));
    const [minColumn, maxColumn] = [column('column', 1), column('endColumn', Infinity)];
    const all = (await this.#sources.statements(file)) ?? [];
    return all
      .filter((each) => each.line >= firstLine && each.line <= lastLine)
      .filter(
        (each) =>
          (each.line > firstLine || each.column >= minColumn) && (each.line < lastLine || each.column <= maxColumn),
      )
      .map((each) => this.#toRange(each));
  }

  #parseLine(args: RequestArguments, file: string, { lineCount, statements, edited }: RecordedLines): ParsedRequest {
    const { numbering } = this.#context;
    const clientLine = numbering.fromClientLine(args.integer('line'));
    const line = edited === undefined ? clientLine : matchLine(edited.current, edited.recorded, clientLine);
    if (line === undefined) return 'the file has changed, and the recorded file has no such line';
    const clientColumn = args.optionalInteger('column');
    const hitNumber = parseHitNumber(args.optionalString('hitCondition'));
    if (line > lineCount) return `the recorded file has ${lineCount} lines`;
    if (typeof hitNumber === 'string') return hitNumber;
    const logMessage = args.optionalString('logMessage');
    const debuggerColumn = clientColumn === undefined ? undefined : numbering.fromClientColumn(clientColumn);
    const location =
      statements === undefined ? { line, column: debuggerColumn } : statementAt(statements, line, debuggerColumn);
    if (location === undefined) return 'no statement starts at or after this location';
    const params = {
      file: pathSuffix(file),
      line: location.line,
      column: location.column,
      condition: trimmedText(args, 'condition'),
      hitNumber,
    };
    if (logMessage === undefined || logMessage === '') return { params, logMessage: undefined };
    return hitNumber === undefined ? { params, logMessage } : 'a log point logs every hit: it takes no hit count';
  }

  /** Handles `setFunctionBreakpoints`. A name is a function, a turn, or an event kind with a text: `send Cart*.add`. */
  async setFunctions(args: RequestArguments): Promise<DapBreakpoint[]> {
    const requests = args.objects('breakpoints').map((each): ParsedRequest => {
      const [, firstWord = '', remainder = ''] = /^(\S+)\s*(.*)$/.exec(each.string('name').trim()) ?? [];
      const isKind = this.#context.hello.breakpointKinds.some(({ id }) => id === firstWord);
      const hitNumber = parseHitNumber(each.optionalString('hitCondition'));
      if (typeof hitNumber === 'string') return hitNumber;
      const options = { condition: trimmedText(each, 'condition'), hitNumber };
      const name = `${firstWord} ${remainder}`.trim();
      const place = isKind ? { kind: firstWord, text: remainder === '' ? undefined : remainder } : { function: name };
      return { params: { ...place, ...options }, logMessage: undefined };
    });
    return this.#setKinds('functions', await Promise.all(requests.map((each) => this.#resolveFunction(each))));
  }

  /** Changes a function that the code does not have into the turns of that name: of `Cart#1.add`, for example. */
  async #resolveFunction(request: ParsedRequest): Promise<ParsedRequest> {
    if (typeof request === 'string' || request.params.function === undefined) return request;
    const { function: name, ...options } = request.params;
    const { locations } = await this.#context.client.request('locations', { function: name });
    if (locations.length > 0) return request;
    if (!(await this.#hasTurns(name))) return 'the recording has no function and no turn of this name';
    return { ...request, params: { ...options, kind: TURN_KIND, text: name } };
  }

  async #hasTurns(text: string): Promise<boolean> {
    const { client } = this.#context;
    const { cursor: start } = await client.request('find', { move: 'goto', arguments: { target: 'start' } });
    // A search from the start does not find a turn there.
    if (start.task?.kind !== 'evaluation') return true;
    const { found } = await client.request('find', { move: 'turn', from: start.position, arguments: { text } });
    return found;
  }

  /** Handles `setExceptionBreakpoints`. */
  setExceptions(args: RequestArguments): Promise<DapBreakpoint[]> {
    const plain = args.strings('filters').map((filter) => ({ filter, text: undefined }));
    const options = args.objects('filterOptions').map((each) => ({
      filter: each.string('filterId'),
      text: trimmedText(each, 'condition'),
    }));
    const requests = [...plain, ...options].map(({ filter, text }): ParsedRequest => {
      const kind = EXCEPTION_FILTERS.find((each) => each.filter === filter)?.kind;
      if (kind === undefined) return `there is no exception filter ${filter}`;
      return { params: { kind, ...parseFilterCondition(text) }, logMessage: undefined };
    });
    return this.#setKinds('exceptions', requests);
  }

  async #setKinds(key: string, requests: readonly ParsedRequest[]): Promise<DapBreakpoint[]> {
    const known = this.#context.hello.breakpointKinds.map(({ id }) => id);
    const checked = requests.map((each) => {
      const kind = typeof each === 'string' ? undefined : each.params.kind;
      const isKnown = kind === undefined || known.includes(kind);
      return isKnown ? each : `there is no breakpoint kind ${kind}; available: ${known.join(', ')}`;
    });
    return this.#replace(key, checked);
  }

  /** Handles `setDataBreakpoints`. */
  setData(args: RequestArguments): Promise<DapBreakpoint[]> {
    const requests = args.objects('breakpoints').map((each): ParsedRequest => {
      const parsed = parseDataBreakpoint(each);
      if (typeof parsed === 'string') return parsed;
      return { params: { watch: parsed.expression, at: parsed.position }, logMessage: undefined };
    });
    return this.#replace('data', requests);
  }

  /** Replaces all breakpoints of `key`. Returns a breakpoint for each request, also for an invalid one. */
  async #replace(key: string, requests: readonly ParsedRequest[]): Promise<DapBreakpoint[]> {
    const previous: BreakpointSet = this.#sets.get(key) ?? new Map();
    const next: BreakpointSet = new Map();
    this.#sets.set(key, next);
    const keys = requests.map((each) => (typeof each === 'string' ? undefined : JSON.stringify(each)));
    for (const [previousKey, breakpoint] of previous) if (!keys.includes(previousKey)) await this.#remove(breakpoint);
    const results: DapBreakpoint[] = [];
    for (const [i, each] of requests.entries()) {
      const requestKey = keys[i] ?? '';
      const breakpoint =
        typeof each === 'string' ? each : (next.get(requestKey) ?? previous.get(requestKey) ?? (await this.#add(each)));
      if (typeof breakpoint === 'string') {
        results.push({ id: this.#context.nextBreakpointId(), verified: false, message: breakpoint });
        continue;
      }
      next.set(requestKey, breakpoint);
      results.push({ id: breakpoint.id, verified: true });
    }
    return results;
  }

  /** Adds a breakpoint; returns the problem if the server refuses it. */
  async #add({ params, logMessage }: BreakpointRequest): Promise<OwnBreakpoint | string> {
    if (logMessage !== undefined) {
      const id = this.#context.nextBreakpointId();
      return { id, params, serverId: undefined, stop: this.#logPoints.add(params, logMessage) };
    }
    try {
      const { id: serverId, note } = await this.#context.client.request('addBreakpoint', params);
      if (note !== undefined) this.#context.printLine(`the condition ${params.condition ?? ''} may fail: ${note}`);
      return { id: this.#context.nextBreakpointId(), params, serverId, stop: () => {} };
    } catch (error) {
      if (error instanceof RequestError) return error.message;
      throw error;
    }
  }

  async #remove({ serverId, stop }: OwnBreakpoint): Promise<void> {
    stop();
    if (serverId !== undefined) await this.#context.client.request('removeBreakpoint', { id: serverId });
  }

  async clear(): Promise<void> {
    for (const key of this.#sets.keys()) await this.#replace(key, []);
  }

  /** Returns the client's breakpoints among `serverIds`, the server's ids of all hits, and the reason to report. */
  hitsOf(serverIds: readonly number[]): BreakpointHits {
    const isHit = ({ serverId }: OwnBreakpoint): boolean => serverId !== undefined && serverIds.includes(serverId);
    const hits = [...this.#sets].flatMap(([key, set]) =>
      [...set.values()]
        .filter(isHit)
        .map(({ id, params }) => ({ reason: STOP_REASONS[key] ?? 'breakpoint', id, kind: params.kind })),
    );
    const kinds = hits.flatMap(({ kind }) => kind ?? []);
    return { reason: hits[0]?.reason ?? 'breakpoint', breakpointIds: hits.map(({ id }) => id), kinds };
  }
}

interface RecordedLines {
  readonly lineCount: number;
  readonly statements: readonly ListedStatement[] | undefined;
  /** Present if the client's file differs from the recorded one. */
  readonly edited: EditedLines | undefined;
}

interface BreakpointRequest {
  readonly params: BreakParams;
  readonly logMessage: string | undefined;
}

/** The parsed request for a breakpoint, or the error message to report for it. */
type ParsedRequest = BreakpointRequest | string;

/** Removes the leading slash, so that the server matches the path with the ends of recorded paths and URLs. */
function pathSuffix(file: string): string {
  return file.replace(/^\//, '');
}

function trimmedText(args: RequestArguments, name: string): string | undefined {
  const text = args.optionalString(name)?.trim();
  return text === '' ? undefined : text;
}

/** Parses a hit condition: the number of the hit to pause at, or an error message. Undefined without a condition. */
function parseHitNumber(text: string | undefined): number | string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const count = Number(/^(?:=|==|===)?\s*(\d{1,9})$/.exec(text.trim())?.[1] ?? 0);
  return count > 0 ? count : `a hit count must be a number from 1 on, counted in the whole recording, not "${text}"`;
}

/** Parses the condition of an exception filter: `like TEXT`, an expression, or `like TEXT if EXPRESSION`. */
function parseFilterCondition(text: string | undefined): Pick<BreakParams, 'text' | 'condition'> {
  const afterLike = /^like\s+(.+)$/s.exec(text ?? '')?.[1];
  if (afterLike === undefined) return { text: undefined, condition: text };
  const [, matchedText = afterLike, condition] = /^(.*?)\s+if\s+(.+)$/s.exec(afterLike) ?? [];
  return { text: matchedText, condition };
}
