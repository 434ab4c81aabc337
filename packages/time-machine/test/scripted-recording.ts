// A recording of a shopping cart whose statements are written down here, with drivers that know them. For tests of
// everything that needs statements, without any process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  comparePositions,
  RunIndex,
  type BreakpointHit,
  type Position,
  type ReplayDriver,
} from '@turntable/time-machine';
import type {
  NamesQuery,
  AwaitInfo,
  BreakpointSpec,
  Page,
  StatementLocation,
  TaskTrace,
} from '@turntable/time-machine/replay-process';
import type { TimeMachineDeps } from '@turntable/time-machine/server';
import {
  firstLineMatcher,
  NO_SENDER,
  TaskLogWriter,
  type LoggedTask,
  type RunEventKind,
  type TextEventKind,
} from '@turntable/time-machine/task-log';
import type { ScriptedValues } from './scripted-values.ts';
import type { StatementTrace } from '../src/replay-process/statement-trace.ts';
import { traceOfStatements } from './traces.ts';

export const CART_FILE = 'file:///p/src/cart.ts';
export const CART_SOURCE = `export class Cart {
  total = 0;
  add(price, count) {
    for (let i = 0; i < count; i++) {
      this.total += price;
    }
    return this.total;
  }
  #check(limit) {
    if (this.total > limit) throw new Error('too expensive');
  }
}
export function sum(items) {
  let total = 0;
  for (const item of items) total += item;
  return total;
}
`;

interface FixtureFunction {
  readonly name: string;
  readonly owner: string | undefined;
  readonly parameters: readonly string[];
  readonly head: { readonly line: number; readonly column: number };
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

export const CART_FUNCTIONS: readonly FixtureFunction[] = [
  {
    name: 'add',
    owner: 'Cart',
    parameters: ['price', 'count'],
    head: { line: 3, column: 11 },
    start: { line: 3, column: 21 },
    end: { line: 8, column: 4 },
  },
  {
    name: '#check',
    owner: 'Cart',
    parameters: ['limit'],
    head: { line: 9, column: 7 },
    start: { line: 9, column: 17 },
    end: { line: 11, column: 4 },
  },
  {
    name: 'sum',
    owner: undefined,
    parameters: ['items'],
    head: { line: 13, column: 18 },
    start: { line: 13, column: 28 },
    end: { line: 17, column: 2 },
  },
];

/** Beginnings of the statements of `CART_SOURCE`. */
const STATEMENTS: readonly (readonly [line: number, column: number])[] = [
  [4, 5],
  [5, 7],
  [7, 5],
  [10, 5],
  [14, 3],
  [15, 3],
  [16, 3],
];

/** The line that writes any watched value. */
const WRITING_LINE = 5;

type ScriptedEvent = readonly [kind: RunEventKind, text: string];

export interface ScriptedStatement {
  readonly line: number;
  /** Depth on the stack, from 1 on. */
  readonly depth?: number;
  readonly events?: readonly ScriptedEvent[];
}

export interface ScriptedTask extends Partial<Pick<LoggedTask, 'kind' | 'actor' | 'method'>> {
  /** Whether the task is the first one after a snapshot. */
  readonly beginsPhase?: boolean;
  /** Events before the first statement. */
  readonly events?: readonly ScriptedEvent[];
  readonly statements: readonly (number | ScriptedStatement)[];
  /** Messages that statements send, by the number of the statement from 0 on. */
  readonly sends?: StatementTrace['sends'];
  /** Runs of frames; the first one has all calls. */
  readonly runs?: TaskTrace['runs'];
}

export interface ScriptedRecording {
  readonly runIndex: RunIndex;
  readonly deps: TimeMachineDeps;
  /** The position of a statement. @param order number of the task @param statement number in the task, from 1 on */
  readonly at: (order: number, statement: number) => Position;
  /** Number of searches for breakpoints so far. */
  readonly searchCount: () => number;
}

export interface ScriptOptions {
  /** Value of a condition at a position. */
  readonly isMet?: (condition: string, position: Position) => boolean;
  /** Variables of the frames at every statement. */
  readonly values?: ScriptedValues;
  /** Suspended functions that await the stack at every statement, nearest first. */
  readonly awaiting?: readonly ScriptedAwaiter[];
  /** Actors at every position. */
  readonly liveActors?: readonly ScriptedActor[];
  /** Methods of the drivers that answer otherwise. */
  readonly overrides?: Partial<Pick<ReplayDriver, 'states' | 'promises' | 'searchChanges'>>;
}

export interface ScriptedAwaiter extends Pick<AwaitInfo, 'run' | 'combinator' | 'others'> {
  readonly line: number;
}

export interface ScriptedActor {
  readonly name: string;
  readonly state?: unknown;
  /** Arguments of the messages that wait for the actor. */
  readonly mailbox?: readonly (readonly unknown[])[];
}

/** As in a replay process. */
const MAX_AWAITING_FRAMES = 32;

const at = (order: number, statement: number): Position => ({ order, list: statement === 0 ? 0 : 1, statement });

export function scriptedRecording(tasks: readonly ScriptedTask[], options: ScriptOptions = {}): ScriptedRecording {
  const { isMet = () => true } = options;
  const runIndex = indexOf(tasks);
  let searchCount = 0;
  const createDriver = (): ReplayDriver =>
    scriptedDriver(
      tasks,
      (specs, from) => {
        searchCount++;
        return new ScriptedSearch(tasks, specs, from, isMet);
      },
      options,
    );
  const statements = STATEMENTS.map(([line, column]) => {
    const { endLine, endColumn, function: name, kind } = locationOf(line, column);
    return { line, column, endLine, endColumn, function: name, kind };
  });
  const deps: TimeMachineDeps = {
    current: createDriver(),
    scout: createDriver(),
    findSource: (file) => (file === CART_FILE ? CART_SOURCE : undefined),
    sourceFiles: () => [CART_FILE],
    findFunctions: (file) => (file === CART_FILE ? CART_FUNCTIONS : undefined),
    findStatements: (file) => (file === CART_FILE ? statements : undefined),
  };
  return { runIndex, deps, at, searchCount: () => searchCount };
}

function statementsOf(task: ScriptedTask): ScriptedStatement[] {
  return task.statements.map((each) => (typeof each === 'number' ? { line: each } : each));
}

function locationOf(line: number, column = STATEMENTS.find(([each]) => each === line)?.[1] ?? 1): StatementLocation {
  const ordinal = CART_FUNCTIONS.findLastIndex(({ start }) => start.line <= line);
  const about = { function: CART_FUNCTIONS[ordinal]?.name ?? '', ordinal, kind: 'statement' };
  return { file: CART_FILE, line, column, endLine: line, endColumn: 40, ...about, code: 'c', number: line };
}

function indexOf(tasks: readonly ScriptedTask[]): RunIndex {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  try {
    const log = new TaskLogWriter(join(directory, '0.0.tsv'), { worker: 0, epoch: 0, phase: 0 });
    let phase = 0;
    tasks.forEach((task, i) => {
      const { kind = 'call', actor = 'Cart#1', method = 'add', beginsPhase = false, events = [] } = task;
      if (beginsPhase) log.writeEvent('cut', ++phase);
      for (const [kind, text] of [...events, ...statementsOf(task).flatMap((each) => each.events ?? [])])
        writeEvent(log, kind, text);
      const cause = i === 0 ? { sender: NO_SENDER, causeNumber: 0 } : { sender: 0, causeNumber: i };
      const about = { methodLocation: '', turn: i, traceEvent: i + 1, time: 1000 + i * 10, senderEpoch: 0 };
      log.writeTask({ kind, actor, method, ...about, ...cause }, 1, i === tasks.length - 1 ? 0 : 1);
    });
    log.finish('ended', tasks.length, tasks.length);
    return RunIndex.read(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const TEXT_KINDS: ReadonlySet<string> = new Set<TextEventKind>([
  'uncaught',
  'unhandled',
  'caught',
  'rejection',
  'device',
  'request',
  'response',
]);

function writeEvent(log: TaskLogWriter, kind: RunEventKind, text: string): void {
  if (kind === 'stdout' || kind === 'stderr') log.writeOutput(kind, text.length, () => text);
  else if (TEXT_KINDS.has(kind)) log.writeTextEvent(kind as TextEventKind, text);
}

/** Whether a path or URL is that of the only file, or an end of it. */
function isCartFile(file = ''): boolean {
  return `/${CART_FILE}`.endsWith(`/${file.replace(/^\//, '')}`);
}

class ScriptedSearch {
  readonly #tasks: readonly ScriptedTask[];
  readonly #specs: readonly BreakpointSpec[];
  readonly #isMet: NonNullable<ScriptOptions['isMet']>;
  position: Position;
  onProgress: (done: number) => void = () => {};

  constructor(
    tasks: readonly ScriptedTask[],
    specs: readonly BreakpointSpec[],
    from: Position,
    isMet: NonNullable<ScriptOptions['isMet']>,
  ) {
    this.#tasks = tasks;
    this.#specs = specs;
    this.#isMet = isMet;
    this.position = from;
  }

  runTo(to: Position): Promise<BreakpointHit[]> {
    const hits = this.#tasks.flatMap((task, i) => {
      const start = { position: at(i + 1, 0), line: undefined, events: task.events ?? [] };
      const statements = statementsOf(task).map(({ line, events = [] }, j) => ({
        position: at(i + 1, j + 1),
        line,
        events,
      }));
      return [start, ...statements].flatMap(({ position, line, events }) =>
        comparePositions(position, this.position) >= 0 && comparePositions(position, to) < 0
          ? this.#hitsAt(position, line, events)
          : [],
      );
    });
    this.position = to;
    return Promise.resolve(hits);
  }

  #hitsAt(position: Position, line: number | undefined, events: readonly ScriptedEvent[]): BreakpointHit[] {
    return this.#specs.flatMap((spec, breakpoint): BreakpointHit[] => {
      const { condition, logExpression } = spec;
      if (condition !== undefined && !this.#isMet(condition, position)) return [];
      const logValue = logExpression && `${logExpression} at ${line}`;
      const hit = { position, breakpoint, logValue, error: undefined };
      if (spec.kind !== undefined) {
        const matches = spec.text === undefined ? () => true : firstLineMatcher(spec.text);
        return events.filter(([kind, text]) => kind === spec.kind && matches(text)).map(() => hit);
      }
      if (line === undefined || spec.line !== line || !isCartFile(spec.file)) return [];
      return spec.column === undefined || spec.column === locationOf(line).column ? [hit] : [];
    });
  }

  close(): void {}
}

function scriptedDriver(
  tasks: readonly ScriptedTask[],
  search: (specs: readonly BreakpointSpec[], from: Position) => ScriptedSearch,
  { values, awaiting = [], liveActors = [], overrides = {} }: ScriptOptions,
): ReplayDriver {
  let position = at(1, 0);
  const statementAt = (): ScriptedStatement | undefined => {
    const task = tasks[position.order - 1];
    return task && statementsOf(task)[position.statement - 1];
  };
  /** Line of the statement that has called the function of the current one; 1 if it is not in the task. */
  const callerLine = (): number => {
    const statements = statementsOf(tasks[position.order - 1] as ScriptedTask).slice(0, position.statement);
    const { depth = 1 } = statements.at(-1) ?? {};
    return statements.findLast((each) => (each.depth ?? 1) < depth)?.line ?? 1;
  };
  const entry = { name: 'price', kind: 'variable', isEnumerable: true, value: { kind: 'number', preview: '3' } };
  const object = { kind: 'object', class: 'Cart', preview: 'Cart {total: 9}', id: 3 };
  const evaluation = { value: object, error: undefined, isPure: true, isUndone: false };
  const unwritten = { kind: 'unwritten', part: 'x', isApproximate: false, position: undefined };
  const promise = { value: { ...object, id: 7 }, description: 'a promise', waitsFor: [], waiters: [], waiterCount: 0 };
  const driver = {
    get pausePoint() {
      return { position, worker: 0, epoch: 0, location: undefined };
    },
    seek: (target: Position) => {
      values?.forgetIds();
      return Promise.resolve((position = target));
    },
    traceTasks: (from: number, to: number) =>
      Promise.resolve(tasks.slice(from - 1, to).map((task, i) => traceOf(from + i, task))),
    stack: () => {
      const statement = statementAt();
      if (statement === undefined) return Promise.resolve({ frames: [], moreAwaiting: 0 });
      const location = locationOf(statement.line);
      const caller = locationOf(callerLine());
      const awaitingFrames = awaiting.slice(0, MAX_AWAITING_FRAMES).map(({ line, ...each }, i) => {
        const suspension = locationOf(line);
        return { index: i + 2, function: suspension.function, location: suspension, awaiting: each };
      });
      const frames = [
        { index: 0, function: location.function, location },
        { index: 1, function: caller.function, location: caller },
        ...awaitingFrames,
      ];
      return Promise.resolve({ frames, moreAwaiting: awaiting.length - awaitingFrames.length });
    },
    stackSince: async (_: number, target: Position) => {
      position = target;
      return { ...(await driver.stack()), since: 1 };
    },
    locals: () => Promise.resolve([entry]),
    localsAt: () => Promise.resolve([entry]),
    awaitingLocals: () => Promise.resolve([entry]),
    evaluateAwaiting: () => Promise.resolve(evaluation),
    evaluate: () => Promise.resolve(evaluation),
    evaluateAt: () => Promise.resolve(evaluation),
    names: () => Promise.resolve([]),
    namesAt: () => Promise.resolve([]),
    expand: () => Promise.resolve({ entries: [entry], total: 1 }),
    partsAt: () => Promise.resolve({ entries: [entry], total: 1 }),
    actors: () => Promise.resolve([{ worker: 0, id: 1, name: 'Cart#1', turns: 1, waitingCount: 1, value: object }]),
    mailbox: () => Promise.resolve({ messages: [{ subject: 'add', sender: 'main', values: [entry.value] }], total: 1 }),
    promises: () => Promise.resolve({ promises: [promise], total: 1 }),
    states: (_: Position, owners: readonly unknown[]) => Promise.resolve(owners.map(() => undefined)),
    searchBreakpoints: search,
    searchWrites: (_: string, { order }: Position) =>
      search([{ file: CART_FILE, line: WRITING_LINE, column: undefined }], at(order, 0)),
    searchChanges: () => ({ runTo: () => Promise.resolve([]), close: () => {} }),
    recentWrite: () => Promise.resolve(unwritten),
    lastWrite: () => Promise.resolve(unwritten),
    close: () => Promise.resolve(),
  };
  const withOwn = values === undefined ? driver : withValues(driver, values, liveActors);
  return Object.create(withOwn, Object.getOwnPropertyDescriptors(overrides)) as ReplayDriver;
}

function withValues(driver: object, values: ScriptedValues, liveActors: readonly ScriptedActor[]): object {
  const overrides = {
    locals: (frame: number) => Promise.resolve(values.locals(frame)),
    localsAt: () => Promise.resolve(values.locals(1)),
    awaitingLocals: (index: number) => Promise.resolve(values.locals(index + 2)),
    evaluateAwaiting: (index: number, expression: string) =>
      Promise.resolve(values.evaluate(expression, index + 2, 'none')),
    evaluate: (expression: string, _: unknown, effects?: string) =>
      Promise.resolve(values.evaluate(expression, 0, effects)),
    evaluateAt: (_: Position, expression: string) => Promise.resolve(values.evaluate(expression, 1, 'none')),
    names: (query: NamesQuery, awaiting?: number) =>
      Promise.resolve(values.names(query, awaiting === undefined ? 0 : awaiting + 2)),
    namesAt: (_: Position, query: NamesQuery) => Promise.resolve(values.names(query, 1)),
    expand: async (id: number, page: Page) => values.expand(id, page),
    text: async (id: number, page: Page) => values.text(id, page),
    actors: () =>
      Promise.resolve(
        liveActors.map(({ name, state, mailbox = [] }, i) => ({
          worker: 0,
          id: i + 1,
          name,
          turns: 1,
          waitingCount: mailbox.length,
          value: state === undefined ? undefined : values.describe(state),
        })),
      ),
    mailbox: ({ id }: { readonly id: number }, { from, count }: Page) => {
      const { mailbox = [] } = liveActors[id - 1] ?? {};
      const messages = mailbox.slice(from, from + count).map((each) => ({
        subject: 'add',
        sender: 'main',
        values: each.map((value) => values.describe(value)),
      }));
      return Promise.resolve({ messages, total: mailbox.length });
    },
  };
  return Object.create(driver, Object.getOwnPropertyDescriptors(overrides)) as object;
}

function traceOf(order: number, task: ScriptedTask): StatementTrace {
  const statements = statementsOf(task);
  return traceOfStatements(
    order,
    statements.map(({ line, depth = 1 }, i) => ({ location: locationOf(line), depth, startsList: i === 0 })),
    {
      sends: task.sends ?? [],
      runs: task.runs ?? [{}],
      events: [
        ...(task.events ?? []).map(([kind, text]) => [-1, kind, text] as const),
        ...statements.flatMap(({ events = [] }, i) => events.map(([kind, text]) => [i, kind, text] as const)),
      ],
    },
  );
}
