// Steps inside tasks of random runs: trees of calls, traced statement by statement. Backward undoes forward, over and
// out agree with calls and returns, and a search backward for a breakpoint agrees with one forward.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  comparePositions,
  RunIndex,
  TaskGraph,
  type Direction,
  type ReplayDriver,
  type BreakpointHit,
  type Position,
} from '@turntable/time-machine';
import { NO_SENDER, TaskLogWriter } from '@turntable/time-machine/task-log';
import type { BreakpointSpec, StatementLocation, TracedEvent } from '@turntable/time-machine/replay-process';
import type { Breakpoint, BreakpointOptions } from '../src/stepping/breakpoints.ts';
import type { Delay } from '../src/stepping/prefetcher.ts';
import { StepController, type StepTarget } from '../src/stepping/step-controller.ts';
import type { StatementTrace } from '../src/replay-process/statement-trace.ts';
import { traceOfStatements } from './traces.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The statements of a function: each has a separate line, and may call a function. */
interface Call {
  readonly statements: readonly (Call | undefined)[];
}

const { call } = fc.letrec<{ call: Call; statement: Call | undefined }>((tie) => ({
  call: fc.record({ statements: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }) }),
  statement: fc.option(tie('call'), { nil: undefined, maxDepth: 4, depthSize: 'small' }),
}));
const taskCalls = fc.array(fc.option(call, { nil: undefined, freq: 4 }), { minLength: 1, maxLength: 6 });

interface PlannedStatement {
  readonly position: Position;
  readonly line: number;
  readonly depth: number;
  /** Identity of the call. */
  readonly call: Call;
}

/** Events of a statement: one kind on lines that are multiples of 3, another one on multiples of 5. */
function eventTextsOf({ line }: PlannedStatement): string[] {
  return [...(line % 3 === 0 ? ['GET /a'] : []), ...(line % 5 === 0 ? ['POST /a'] : [])];
}

/** The statements of a call as the statement clock and the stack would count them; each function has a list. */
function plannedStatements(order: number, root: Call | undefined): PlannedStatement[] {
  const all: PlannedStatement[] = [];
  // As after an await, no list is entered before the first statement.
  let lists = order % 2 === 0 ? -1 : 0;
  const run = (call: Call, depth: number): void => {
    const { statements } = call;
    const line = depth * 10;
    let list = ++lists;
    statements.forEach((called, i) => {
      // After a call, which entered other lists, the next statement is the first of a new list, as in a branch.
      if (list !== lists) list = ++lists;
      const own = all.filter(({ position }) => position.list === list).length;
      all.push({ position: { order, list, statement: own + 1 }, line: line + i, depth, call });
      if (called !== undefined) run(called, depth + 1);
    });
  };
  if (root !== undefined) run(root, 1);
  return all;
}

interface Fixture {
  readonly controller: StepController;
  readonly graph: TaskGraph;
  /** All statements, in order. */
  readonly statements: readonly PlannedStatement[];
  readonly statementsByTask: readonly (readonly PlannedStatement[])[];
  /** First and last tasks of all traces. */
  readonly tracedRanges: (readonly [from: number, to: number])[];
  /** Targets of all seeks. */
  readonly seekPositions: Position[];
}

function locationAt(line: number): StatementLocation {
  // A function for each depth.
  const ordinal = Math.floor(line / 10);
  const about = { function: 'f', ordinal, kind: 'statement', code: 'c', number: line };
  return { file: 'file:///p/a.ts', line, column: 1, endLine: line, endColumn: 9, ...about };
}

function traceOfPlanned(order: number, planned: readonly PlannedStatement[]): StatementTrace {
  const events = planned.flatMap((each, i): TracedEvent[] => eventTextsOf(each).map((text) => [i, 'device', text]));
  const statements = planned.map(({ line, depth, call, position }) => {
    return { location: locationAt(line), depth, call, startsList: position.list > 0 && position.statement === 1 };
  });
  return traceOfStatements(order, statements, { events });
}

/** Number of all searches. */
let searches = 0;

/** Tasks of one thread, with drivers that know their statements. `isMet`: result of a condition at a position. */
function createFixture(
  roots: readonly (Call | undefined)[],
  isMet: (position: Position) => boolean = () => true,
  delay?: Delay,
): Fixture {
  const tracedRanges: [number, number][] = [];
  const seekPositions: Position[] = [];
  const runDirectory = mkdtempSync(join(directory, 'run-'));
  const notes = new TaskLogWriter(join(runDirectory, '0.0.tsv'), { worker: 0, epoch: 0, phase: 0 });
  const statementsByTask = roots.map((root, i) => plannedStatements(i + 1, root));
  const about = {
    kind: 'entry',
    actor: 'a',
    method: 'timer',
    methodLocation: '',
    turn: 0,
    traceEvent: 1,
    time: 1,
  } as const;
  for (const statements of statementsByTask) {
    for (const text of new Set(statements.flatMap(eventTextsOf))) notes.writeTextEvent('device', text);
    notes.writeTask(
      { ...about, sender: NO_SENDER, senderEpoch: 0, causeNumber: 1 },
      statements.at(-1)?.position.list ?? 0,
      0,
    );
  }
  notes.finish('ended', 0, 0);
  const graph = TaskGraph.of(RunIndex.read(runDirectory));
  rmSync(runDirectory, { recursive: true });
  let at: Position = { order: 1, list: 0, statement: 0 };
  const driver = {
    get pausePoint() {
      return { position: at, worker: 0, epoch: 0, location: undefined };
    },
    seek: (position: Position) => {
      seekPositions.push(position);
      return Promise.resolve((at = position));
    },
    stack: () => Promise.resolve({ frames: [], moreAwaiting: 0 }),
    searchBreakpoints: (breakpoints: readonly BreakpointSpec[], from: Position) => {
      let reached = from;
      searches++;
      return {
        position: from,
        runTo: (position: Position): Promise<BreakpointHit[]> => {
          const passedStatements = statementsByTask
            .flat()
            .filter(
              (each) => comparePositions(each.position, reached) >= 0 && comparePositions(each.position, position) < 0,
            );
          reached = position;
          const hits = passedStatements.flatMap((each) =>
            breakpoints.flatMap(({ line, condition, logExpression }, breakpoint) => {
              if (line !== each.line || (condition !== undefined && !isMet(each.position))) return [];
              const error = condition === 'throws' ? 'Error' : undefined;
              return [
                {
                  position: each.position,
                  breakpoint,
                  logValue: logExpression && `${logExpression} ${each.line}`,
                  error,
                },
              ];
            }),
          );
          return Promise.resolve(hits);
        },
        close: () => {},
      };
    },
    traceTasks: async (from: number, to: number): Promise<StatementTrace[]> => {
      tracedRanges.push([from, to]);
      await setImmediate();
      return statementsByTask.slice(from - 1, to).map((planned, i) => traceOfPlanned(from + i, planned));
    },
  } as unknown as ReplayDriver;
  return {
    controller: new StepController(
      graph,
      { current: driver, scout: driver },
      { ...(delay !== undefined && { delay }) },
    ),
    graph,
    statements: statementsByTask.flat(),
    statementsByTask,
    tracedRanges,
    seekPositions,
  };
}

const context = { signal: new AbortController().signal, progress: () => {} };
const stepRequest = (from: Position, direction: Direction): { from: Position; direction: Direction } => ({
  from,
  direction,
});

/** The position at which a move arrives; undefined if there is none. */
async function moved(target: Promise<StepTarget>): Promise<Position | undefined> {
  const found = await target;
  if (found === undefined || 'reason' in found) return undefined;
  return 'position' in found ? found.position : found;
}

function addBreakpoint(controller: StepController, options: BreakpointOptions): Promise<Breakpoint | string> {
  return controller.breakpoints.add(options, { order: 1, list: 0, statement: 0 }, context);
}

async function nextBreakpoint(
  { breakpoints }: StepController,
  from: Position,
  direction: Direction,
): Promise<Position | undefined> {
  return (await breakpoints.next(from, direction, context)).position;
}

const propertyOptions = { numRuns: 60 };

test('statement by statement, all statements are visited in order, and backward in reverse', async () => {
  await fc.assert(
    fc.asyncProperty(taskCalls, async (roots) => {
      const { controller, statements: all, graph } = createFixture(roots);
      const visited: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await controller.nextStatement(stepRequest(at, 'forward'), context)) !== undefined) visited.push(at);
      expect(visited).toEqual(all.map(({ position }) => position));
      expect(visited).toEqual(visited.toSorted(comparePositions));
      const visitedBackward: Position[] = [];
      at = { order: graph.count + 1, list: 0, statement: 0 };
      while ((at = await controller.nextStatement(stepRequest(at, 'backward'), context)) !== undefined)
        visitedBackward.push(at);
      expect(visitedBackward.toReversed()).toEqual(visited);
    }),
    propertyOptions,
  );
});

test('over a call leads to the next statement that is no deeper, out of it to the caller, and back the same way', async () => {
  await fc.assert(
    fc.asyncProperty(taskCalls, async (roots) => {
      const { controller, statementsByTask } = createFixture(roots);
      for (const statements of statementsByTask)
        for (const [i, { position, depth }] of statements.entries()) {
          const go = async (method: 'stepOver' | 'stepOut', direction: Direction): Promise<number> => {
            const found = await moved(controller[method](stepRequest(position, direction), context));
            return statements.findIndex((each) => found !== undefined && comparePositions(each.position, found) === 0);
          };
          const over = statements.findIndex((each, j) => j > i && each.depth <= depth);
          const out = statements.findIndex((each, j) => j > i && each.depth < depth);
          expect(await go('stepOver', 'forward')).toBe(over);
          expect(await go('stepOut', 'forward')).toBe(out);
          expect(await go('stepOver', 'backward')).toBe(
            statements.findLastIndex((each, j) => j < i && each.depth <= depth),
          );
          expect(await go('stepOut', 'backward')).toBe(
            statements.findLastIndex((each, j) => j < i && each.depth < depth),
          );
          if (over === -1 || statements[over]?.depth !== depth) continue;
          const next = (statements[over] as PlannedStatement).position;
          expect(await controller.stepOver(stepRequest(next, 'backward'), context)).toEqual(position);
        }
    }),
    propertyOptions,
  );
});

test('the earlier statements of a call and its caller are known at each statement', () => {
  fc.assert(
    fc.property(call, (root) => {
      const planned = plannedStatements(1, structuredClone(root));
      const trace = traceOfPlanned(1, planned);
      for (const [i, each] of planned.entries()) {
        const before = planned.flatMap(({ call }, at) => (at < i && call === each.call ? [at] : []));
        expect(trace.earlierInCall(i)).toEqual(before);
        expect(trace.callerStatement(trace.callOf(i))).toBe(
          planned.findLastIndex(({ depth }, at) => at < i && depth < each.depth),
        );
      }
    }),
    propertyOptions,
  );
});

test('a step stays where nothing of the program waits for a function, and goes from task to task at their starts', async () => {
  const { controller, statementsByTask, graph } = createFixture([
    { statements: [{ statements: [undefined] }, undefined] },
    undefined,
    { statements: [undefined] },
  ]);
  const beginning = (order: number): Position => ({ order, list: 0, statement: 0 });
  const [first, last] = [statementsByTask[0]?.[0], statementsByTask[0]?.at(-1)].map(
    (each) => each?.position as Position,
  );
  const unawaited = { reason: 'end of f, which no function called; use continue' };
  const over = (from: Position, direction: Direction): Promise<StepTarget> =>
    controller.stepOver(stepRequest(from, direction), context);
  expect(await over(last as Position, 'forward')).toEqual(unawaited);
  expect(await controller.stepOut(stepRequest(last as Position, 'forward'), context)).toEqual(unawaited);
  expect(await over(first as Position, 'backward')).toEqual({ reason: 'start of f, which no function called' });
  expect(await over(beginning(2), 'forward')).toEqual(beginning(3));
  expect(await over(beginning(3), 'forward')).toEqual(statementsByTask[2]?.[0]?.position);
  expect(await over(beginning(3), 'backward')).toEqual(beginning(2));
  expect(await over(beginning(2), 'backward')).toEqual(last);
  expect(await over(beginning(1), 'backward')).toBeUndefined();
  expect(await over(beginning(graph.count + 1), 'backward')).toEqual(statementsByTask[2]?.[0]?.position);
});

test('the next trace and the next seek are prefetched once drivers have a position', async () => {
  let prepare: (() => void) | undefined;
  const later: Delay = (run) => {
    prepare = run;
    return () => void (prepare = undefined);
  };
  const roots = Array.from({ length: 6 }, () => ({ statements: [undefined] }));
  const { controller, statementsByTask, tracedRanges, seekPositions } = createFixture(roots, undefined, later);
  const beginning = (order: number): Position => ({ order, list: 0, statement: 0 });
  const goTo = (position: Position): void => {
    controller.cursorMoved(position);
    prepare?.();
  };
  goTo(beginning(3));
  expect([tracedRanges, seekPositions]).toEqual([[], []]);
  await controller.stack.at(beginning(3), context.signal);
  goTo(beginning(4));
  await controller.stepOver(stepRequest(beginning(4), 'forward'), context);
  expect(seekPositions).toEqual([beginning(3), beginning(4)]);
  expect(tracedRanges).toEqual([[4, 4]]);
  goTo(statementsByTask[3]?.[0]?.position ?? beginning(0));
  // A step during the prefetch waits for it.
  await controller.stepOver(stepRequest(beginning(5), 'forward'), context);
  expect(tracedRanges).toEqual([
    [4, 4],
    [5, 5],
  ]);
});

test('moves to events visit their statements in order, and backward in reverse', async () => {
  await fc.assert(
    fc.asyncProperty(taskCalls, fc.constantFrom('GET *', '*'), async (roots, matching) => {
      const { controller, statements: all, graph } = createFixture(roots);
      const isMeant = (text: string): boolean => matching === '*' || text.startsWith('GET');
      const eventQuery = {
        tasks: graph.tasksWithMatchingEvents(isMeant, 'device'),
        kinds: ['device'],
        matches: isMeant,
      };
      const go = (from: Position, direction: Direction): Promise<Position | undefined> =>
        controller.nextEvent(stepRequest(from, direction), eventQuery, context);
      const expected = all.filter((each) => eventTextsOf(each).some(isMeant)).map(({ position }) => position);
      const visited: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await go(at, 'forward')) !== undefined) visited.push(at);
      expect(visited).toEqual(expected);
      const visitedBackward: Position[] = [];
      at = { order: graph.count + 1, list: 0, statement: 0 };
      while ((at = await go(at, 'backward')) !== undefined) visitedBackward.push(at);
      expect(visitedBackward.toReversed()).toEqual(visited);
    }),
    propertyOptions,
  );
});

test('a search backward for a breakpoint finds the same as one forward, also with conditions', async () => {
  await fc.assert(
    fc.asyncProperty(taskCalls, fc.nat(3), fc.boolean(), async (roots, i, isOdd) => {
      const isMet = ({ list }: Position): boolean => list % 2 === (isOdd ? 1 : 0);
      const { controller, statements: all, graph } = createFixture(roots, isMet);
      await addBreakpoint(controller, { file: 'a.ts', line: 20 + i });
      await addBreakpoint(controller, { file: 'a.ts', line: 20 + i });
      await addBreakpoint(controller, { file: 'a.ts', line: 11, condition: 'x' });
      await addBreakpoint(controller, { file: 'a.ts', line: 12, condition: 'throws' });
      await addBreakpoint(controller, { file: 'a.ts', line: 10, hitNumber: 2 });
      const second = all.filter(({ line }) => line === 10)[1];
      const expected = all.filter(
        (each) => each.line === 20 + i || (each.line === 11 && isMet(each.position)) || each === second,
      );
      const visited: Position[] = [];
      let at: Position | undefined = { order: 1, list: 0, statement: 0 };
      while ((at = await nextBreakpoint(controller, at, 'forward')) !== undefined) visited.push(at);
      expect(visited).toEqual(expected.map(({ position }) => position));
      const visitedBackward: Position[] = [];
      at = { order: graph.count + 1, list: 0, statement: 0 };
      while ((at = await nextBreakpoint(controller, at, 'backward')) !== undefined) visitedBackward.push(at);
      expect(visitedBackward.toReversed()).toEqual(visited);
    }),
    propertyOptions,
  );
});

test('breakpoints are searched once, and again after the set has changed', async () => {
  const {
    controller,
    statements: all,
    graph,
  } = createFixture(Array.from({ length: 700 }, () => ({ statements: [undefined] })));
  const end = { order: graph.count + 1, list: 0, statement: 0 };
  const before = searches;
  const { id } = (await addBreakpoint(controller, { file: 'a.ts', line: 10 })) as Breakpoint;
  expect(await nextBreakpoint(controller, all[2]?.position ?? end, 'backward')).toEqual(all[1]?.position);
  expect(await nextBreakpoint(controller, all[2]?.position ?? end, 'forward')).toEqual(all[3]?.position);
  expect(await nextBreakpoint(controller, end, 'backward')).toEqual(all.at(-1)?.position);
  expect(await nextBreakpoint(controller, end, 'forward')).toBeUndefined();
  expect(searches).toBe(before + 1);
  expect(controller.breakpoints.remove(id)).toBe(true);
  expect(await nextBreakpoint(controller, end, 'backward')).toBeUndefined();
  await addBreakpoint(controller, { file: 'a.ts', line: 99 });
  expect(await nextBreakpoint(controller, end, 'backward')).toBeUndefined();
  expect(searches).toBe(before + 2);
});

test('an invalid breakpoint is refused with the expected form', async () => {
  const { controller } = createFixture([undefined]);
  const rejected: [options: BreakpointOptions, reason: RegExp][] = [
    [{}, /^a breakpoint must have a file and a line, a function, a kind, or an expression to watch$/],
    [{ file: 'a.ts' }, /^a breakpoint must have a file and a line$/],
    [{ file: 'a.ts', line: 1, kind: 'send' }, /a file and a line, a function, a kind, or an expression to watch$/],
    [{ function: 'f', kind: 'send' }, /a file and a line, a function, a kind, or an expression to watch$/],
    [{ function: 'f', line: 1 }, /a file and a line, a function, a kind, or an expression to watch$/],
    [{ function: 'f' }, /^the recorded code has no function f$/],
    [{ file: 'a.ts', line: 1, text: 'x' }, /give a condition for a line/],
    [{ kind: 'sent' }, /^there is no breakpoint kind "sent"; available: request, response, exception, /],
    [{ kind: 'await', text: 'x' }, /have no text to match with "x"/],
    [{ kind: 'snapshot', text: 'x' }, /have no text to match with "x"/],
    [{ kind: 'request', condition: 'x' }, /before the first statement/],
    [{ kind: 'turn', condition: 'x' }, /before the first statement/],
    [{ kind: 'actor' }, /^a breakpoint of the kind actor must have the name of the actor$/],
    [{ kind: 'worker', text: 'main' }, /^worker must be the number of a worker, not main$/],
  ];
  for (const [options, reason] of rejected) expect(await addBreakpoint(controller, options)).toMatch(reason);
  const valid = { kind: 'send', text: 'Cart*.add', condition: 'x', hitNumber: 2 };
  expect(await addBreakpoint(controller, valid)).toEqual({ ...valid, id: 1, isEnabled: true });
});

test('hits of a log point come page by page, each once', async () => {
  await fc.assert(
    fc.asyncProperty(taskCalls, fc.integer({ min: 1, max: 4 }), async (roots, count) => {
      const { controller, statements: all } = createFixture(roots);
      const loggedPositions: Position[] = [];
      let from: number | undefined = 1;
      for (let asked = 0; from !== undefined && asked < 99; asked++) {
        const { hits, next } = await controller.searches.logPointHits(
          { file: 'a.ts', line: 10, logExpression: 'x', from, count },
          context,
        );
        expect(hits.length).toBeLessThanOrEqual(count);
        loggedPositions.push(...hits.map(({ position }) => position));
        from = next;
      }
      const expected = all.filter(({ line }) => line === 10).map(({ position }) => position);
      // No more hits of one task than the maximum.
      const most = expected.filter(({ order }, i) => expected.findIndex((each) => each.order === order) + count > i);
      expect(loggedPositions).toEqual(most);
    }),
    propertyOptions,
  );
});

test('a position has a source location if it has a statement', async () => {
  const { controller, statements: all } = createFixture([{ statements: [{ statements: [undefined] }, undefined] }]);
  const { signal } = context;
  for (const { position, line } of all) expect((await controller.locationOf(position, signal))?.line).toBe(line);
  expect(await controller.locationOf({ order: 1, list: 0, statement: 0 }, signal)).toBeUndefined();
  expect(await controller.locationOf({ order: 1, list: 1, statement: 7 }, signal)).toBeUndefined();
  expect(await controller.locationOf({ order: 1, list: 99, statement: 1 }, signal)).toBeUndefined();
  expect(await controller.locationOf({ order: 2, list: 1, statement: 1 }, signal)).toBeUndefined();
});
