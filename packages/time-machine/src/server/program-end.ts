// The statement at which a recorded program ended, where `continue` stops if no breakpoint is hit: the statement that
// threw the uncaught error, even if listeners of `exit` ran after it; otherwise the last statement of any thread.
import { ReplayError } from '../replay-process/replay-error.ts';
import type { StepController } from '../stepping/step-controller.ts';
import type { OperationContext } from '../stepping/operation-context.ts';
import { comparePositions, taskStart, type Position } from '../position.ts';
import { EVENT_KIND_GROUPS } from '../run-event-kinds.ts';
import { firstLineOf } from '../moves/pattern.ts';
import { eventText } from '../run-index/run-index.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { throwStatementAt } from './throw-statement.ts';

export interface ProgramEnd {
  readonly position: Position;
  readonly isEdge: true;
  /** The first line of the uncaught error that was thrown here. */
  readonly fatalError?: string;
  readonly note: string;
}

interface EndedProgram {
  readonly graph: TaskGraph;
  readonly stepper: StepController;
  readonly exitCode: number | undefined;
}

/** Returns where the program ended, if that is after a position. Undefined if no statement comes after it. */
export async function programEnd(
  { after, ...program }: EndedProgram & { readonly after: Position },
  context: OperationContext,
): Promise<ProgramEnd | undefined> {
  const failure = (program.exitCode ?? 0) !== 0 ? await fatalThrow(program, context) : undefined;
  if (failure !== undefined && comparePositions(failure.position, after) > 0) return failure;
  const last = await lastStatement(program, context);
  // What the constructor of the thrown error runs belongs to the `throw`.
  const begin = failure !== undefined && comparePositions(failure.thrownAt, after) > 0 ? failure.thrownAt : after;
  return last !== undefined && comparePositions(last.position, begin) > 0 ? { ...last, isEdge: true } : undefined;
}

/** Returns the last statement of any thread; the end of the recording if it is in a task that is too long to trace. */
async function lastStatement(
  { graph, stepper }: EndedProgram,
  context: OperationContext,
): Promise<Pick<ProgramEnd, 'position' | 'note'> | undefined> {
  try {
    const position = await stepper.nextStatement({ from: END, direction: 'backward' }, context);
    return position && { position, note: 'the recording ends after this statement' };
  } catch (error) {
    if (!(error instanceof ReplayError && error.code === 'TT_TASK_TOO_LONG')) throw error;
    return { position: taskStart(graph.count + 1), note: `the last statement is not known: ${error.message}` };
  }
}

/** Returns the statement that threw the last uncaught error, unless a later task of the main thread ran statements. */
async function fatalThrow(
  { graph, stepper, exitCode }: EndedProgram,
  context: OperationContext,
): Promise<(ProgramEnd & { readonly thrownAt: Position }) | undefined> {
  const order = graph.tasksOfWorker(MAIN_THREAD).findLast((each) => graph.runIndex.task(each).statementLists > 0);
  if (order === undefined) return undefined;
  const event = graph.runIndex.eventsAt(order).findLast(({ kind }) => UNCAUGHT_KINDS.has(kind));
  if (event === undefined) return undefined;
  const fatalError = firstLineOf(eventText(event) ?? '');
  const matches = (text: string): boolean => firstLineOf(text) === fatalError;
  const lastEvent = (tasks: ArrayLike<number>, kinds: readonly string[]): Promise<Position | undefined> =>
    stepper.nextEvent({ from: END, direction: 'backward' }, { tasks, kinds, matches }, context);
  // An unhandled error was thrown when it rejected its promise, perhaps in an earlier task.
  const rejection =
    event.kind === 'unhandled'
      ? await lastEvent(graph.tasksWithMatchingEvents(matches, ...THROWN_KINDS), THROWN_KINDS)
      : undefined;
  const thrownAt = rejection ?? (await lastEvent([order], [event.kind]));
  if (thrownAt === undefined) return undefined;
  const position = (await throwStatementAt(stepper, thrownAt, context.signal)) ?? thrownAt;
  const note = `uncaught ${fatalError}; the program ended with exit code ${exitCode}`;
  return { position, isEdge: true, fatalError, note, thrownAt };
}

const MAIN_THREAD = 0;
const END = taskStart(Infinity);
const UNCAUGHT_KINDS: ReadonlySet<string> = new Set(EVENT_KIND_GROUPS.uncaught);
const THROWN_KINDS = ['caught', 'rejection'] as const;
