// Reports breakpoint hits of a running thread, without pausing it. A breakpoint is a line or an event kind, with an
// optional condition or log expression. Each hit has a position, so that a search can order the hits of all threads.
import { inspect, types } from 'node:util';
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import { firstLineMatcher, RUN_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import type {
  BreakpointSpec,
  EventBreakpointSpec,
  LineBreakpointSpec,
  ThreadHit,
} from '@turntable/time-machine/replay-process';
import type { ReplayTape } from '@turntable/runtime';
import { Expression } from './expression.ts';
import { runningStatementIndex } from './running-statement.ts';
import { isObject } from '../replay/thread/is-object.ts';
import { valueLine } from '../replay/thread/value-inspector.ts';
import { thrownText } from './thrown-text.ts';
import { topScopeOf } from './top-scope.ts';

const HITS_PER_MESSAGE = 500;

interface StatementBreakpoint {
  /** Index among the breakpoints of the scan. */
  readonly index: number;
  readonly condition: BoundReader | undefined;
  readonly log: BoundReader | undefined;
  /** Text between logged values; undefined for a single value. */
  readonly separator: string | undefined;
}

/** A breakpoint on an event kind, optionally only for events whose detail contains a text. */
interface EventBreakpoint {
  readonly index: number;
  readonly spec: EventBreakpointSpec;
  readonly matchesDetail: (detail: string) => boolean;
  /** Compiled conditions by statement, because each statement has other variables. */
  readonly conditions: Map<string, BoundReader>;
}

interface SeenStatement {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
  readonly position: ReturnType<PositionReader>;
}

const MAX_SEEN_STATEMENTS = 1000;

type PositionReader = () => readonly [task: number, list: number, statement: number];
type BoundReader = (locals: readonly unknown[]) => unknown;

export interface BreakpointScannerDeps {
  readonly loader: Loader;
  tape(): ReplayTape;
  sendHits(hits: readonly ThreadHit[]): void;
}

export class BreakpointScanner {
  readonly #specs: readonly BreakpointSpec[];
  readonly #deps: BreakpointScannerDeps;
  /** Line breakpoints by file and by statement number in the file. */
  readonly #statementBreakpoints = new Map<string, readonly (readonly StatementBreakpoint[] | undefined)[]>();
  #hits: ThreadHit[] = [];
  readonly #eventBreakpoints: ReadonlyMap<RunEventKind, readonly EventBreakpoint[]>;
  /** The last statements that have begun in this task. */
  #seenStatements: SeenStatement[] = [];
  /** Event breakpoints that will be hit at the next statement. */
  #awaitingStatement: EventBreakpoint[] = [];
  /** Whether a condition is being evaluated; events that it causes do not count. */
  #isEvaluating = false;

  constructor(specs: readonly BreakpointSpec[], deps: BreakpointScannerDeps) {
    this.#specs = specs;
    this.#deps = deps;
    const eventBreakpoints = specs.flatMap((spec, index) =>
      spec.kind === undefined ? [] : [createEventBreakpoint(spec, index)],
    );
    this.#eventBreakpoints = Map.groupBy(eventBreakpoints, ({ spec }) => spec.kind);
  }

  startTask(): void {
    this.#seenStatements = [];
    this.#awaitingStatement = [];
  }

  addEvent(kind: RunEventKind, detail: string, readPosition: PositionReader): void {
    const eventBreakpoints = this.#eventBreakpoints.get(kind);
    if (eventBreakpoints === undefined || this.#isEvaluating) return;
    const matching = eventBreakpoints.filter(({ matchesDetail }) => matchesDetail(detail));
    if (matching.length === 0) return;
    switch (RUN_EVENT_KINDS[kind].anchor) {
      case 'next':
        // Replaces an earlier event of this kind that was followed by no statement.
        this.#awaitingStatement = [...this.#awaitingStatement.filter(({ spec }) => spec.kind !== kind), ...matching];
        return;
      case 'task-start':
        for (const { index } of matching) this.#hits.push([readPosition()[0], 0, 0, index]);
        break;
      case 'current':
      case 'last': {
        const seenStatement =
          RUN_EVENT_KINDS[kind].anchor === 'current' ? this.#runningStatement() : this.#seenStatements.at(-1);
        for (const each of matching) this.#hitEvent(each, seenStatement, readPosition);
      }
    }
    if (this.#hits.length >= HITS_PER_MESSAGE) this.flush();
  }

  #runningStatement(): SeenStatement | undefined {
    const { locateProbe } = this.#deps.loader;
    const seenStatements = this.#seenStatements;
    return seenStatements[
      runningStatementIndex(seenStatements.length, (index) => {
        const { file, statement } = seenStatements[index] as SeenStatement;
        return locateProbe(file, statement);
      })
    ];
  }

  /** @param seenStatement statement of the event; undefined before the task's first statement */
  #hitEvent(
    eventBreakpoint: EventBreakpoint,
    seenStatement: SeenStatement | undefined,
    readPosition: PositionReader,
  ): void {
    const { index, spec } = eventBreakpoint;
    const position = seenStatement?.position ?? readPosition();
    if (spec.condition === undefined) return void this.#hits.push([...position, index]);
    if (seenStatement === undefined) return;
    const condition = this.#conditionOf(spec.condition, eventBreakpoint, seenStatement);
    if (condition !== undefined)
      this.#hit({ index, condition, log: undefined, separator: undefined }, seenStatement.locals, () => position);
  }

  /** Reader of the condition at a statement; undefined if the statement's variables are unknown. */
  #conditionOf(
    expression: string,
    { conditions }: EventBreakpoint,
    { file, statement }: SeenStatement,
  ): BoundReader | undefined {
    const key = `${statement} ${file}`;
    let condition = conditions.get(key);
    const probe = condition === undefined ? this.#deps.loader.locateProbe(file, statement) : undefined;
    if (probe !== undefined) conditions.set(key, (condition = createBoundReader(expression, probe, this.#deps.loader)));
    return condition;
  }

  /** Reports the hits of a statement. Must be called before every statement. */
  addStatement(file: string, statement: number, locals: readonly unknown[], readPosition: PositionReader): void {
    if (this.#eventBreakpoints.size > 0) {
      if (this.#seenStatements.length === MAX_SEEN_STATEMENTS) this.#seenStatements.splice(0, MAX_SEEN_STATEMENTS / 2);
      const seenStatement = { file, statement, locals, position: readPosition() };
      this.#seenStatements.push(seenStatement);
      const awaiting = this.#awaitingStatement;
      if (awaiting.length > 0) {
        this.#awaitingStatement = [];
        for (const each of awaiting) this.#hitEvent(each, seenStatement, readPosition);
      }
    }
    const breakpoints = (this.#statementBreakpoints.get(file) ?? this.#resolveFile(file))[statement];
    if (breakpoints === undefined) return;
    for (const each of breakpoints) this.#hit(each, locals, readPosition);
    if (this.#hits.length >= HITS_PER_MESSAGE) this.flush();
  }

  flush(): void {
    if (this.#hits.length === 0) return;
    const hits = this.#hits;
    this.#hits = [];
    this.#deps.sendHits(hits);
  }

  #hit(
    { index, condition, log, separator }: StatementBreakpoint,
    locals: readonly unknown[],
    readPosition: PositionReader,
  ): void {
    if (condition === undefined && log === undefined) return void this.#hits.push([...readPosition(), index]);
    const { loader, tape } = this.#deps;
    let isHit = true;
    let logged: { readonly text: string; readonly hasParts: boolean } | undefined;
    let failure: { readonly error: unknown } | undefined;
    const run = (): void => {
      try {
        isHit = condition === undefined || Boolean(condition(locals));
        if (isHit && log !== undefined) logged = describeLogged(log(locals), separator);
      } catch (error) {
        failure = { error };
      }
    };
    this.#isEvaluating = true;
    try {
      tape().runApart(() => loader.statementClock?.runApart(run));
    } finally {
      this.#isEvaluating = false;
    }
    if (failure !== undefined) this.#hits.push([...readPosition(), index, null, thrownText(failure.error)]);
    else if (logged !== undefined) this.#hits.push([...readPosition(), index, logged.text, null, logged.hasParts]);
    else if (isHit) this.#hits.push([...readPosition(), index]);
  }

  /** Resolves the line breakpoints of a file to statements. */
  #resolveFile(file: string): readonly (readonly StatementBreakpoint[] | undefined)[] {
    const { loader } = this.#deps;
    const probes: ProbeLocation[] = [];
    for (
      let nextProbe = loader.locateProbe(file, 0);
      nextProbe !== undefined;
      nextProbe = loader.locateProbe(file, probes.length)
    )
      probes.push(nextProbe);
    const breakpoints: StatementBreakpoint[][] = [];
    this.#specs.forEach((spec, index) => {
      if (spec.kind !== undefined) return;
      const number = statementIndexOf(spec, probes);
      const probe = probes[number];
      if (probe === undefined) return;
      const expressionOf = (expression: string | undefined): BoundReader | undefined =>
        expression === undefined ? undefined : createBoundReader(expression, probe, loader);
      (breakpoints[number] ??= []).push({
        index,
        condition: expressionOf(spec.condition),
        log: expressionOf(spec.logExpression),
        separator: spec.separator,
      });
    });
    this.#statementBreakpoints.set(file, breakpoints);
    return breakpoints;
  }
}

function createEventBreakpoint(spec: EventBreakpointSpec, index: number): EventBreakpoint {
  const matchesDetail = spec.text === undefined ? () => true : firstLineMatcher(spec.text);
  return { index, spec, matchesDetail, conditions: new Map() };
}

/** The text of a log value, or of the values in a list. */
function describeLogged(
  value: unknown,
  separator: string | undefined,
): { readonly text: string; readonly hasParts: boolean } {
  const values = separator !== undefined && Array.isArray(value) ? (value as unknown[]) : [value];
  return { text: values.map(valueText).join(separator), hasParts: values.some(isObject) };
}

/** A value as `console.log` prints it, in one line. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (types.isNativeError(value)) return valueLine(value, 0);
  return inspect(value, { breakLength: Infinity }).replaceAll(/\n\s*/g, ' ');
}

/** Creates the reader of an expression; an expression that does not compile throws at each hit. */
function createBoundReader(expression: string, probe: ProbeLocation, loader: Loader): BoundReader {
  try {
    return new Expression(expression, probe.locals, loader.realm, topScopeOf(loader, probe.file)).bindToProbe(probe);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Index of the first statement at or after the line, and the column if there is one; -1 if the file has none. */
function statementIndexOf({ file, line, column = 1 }: LineBreakpointSpec, probes: readonly ProbeLocation[]): number {
  const [first] = probes;
  if (first === undefined || (first.file !== file && !first.file.endsWith(`/${file}`))) return -1;
  let found = -1;
  probes.forEach((probe, number) => {
    if (probe.line < line || (probe.line === line && probe.column < column)) return;
    const best = probes[found];
    if (best === undefined || probe.line < best.line || (probe.line === best.line && probe.column < best.column))
      found = number;
  });
  return found;
}
