// Positions of a recording: the start of a task, or a statement of it that is about to begin. Positions are ordered as
// the recording ran, across all threads. Users and clients write them as texts that name a task by its phase and its
// number in the phase, so a text stays valid when a recording loses its first phases.

export interface Position {
  /** Number of the task, from 1 on. The end of the recording is one more than the last task. */
  readonly order: number;
  /**
   * Lists of statements that the task has entered, and statements begun in the last of them (docs/internals/transform.md, "Debug
   * mode"). Both are 0 before the first statement.
   */
  readonly list: number;
  readonly statement: number;
}

/** The start of a task, or the end of the recording. */
export function taskStart(order: number): Position {
  return { order, list: 0, statement: 0 };
}

/** Whether a position is the start of a task. `list` alone does not tell: it may still be 0 after an `await`. */
export function isTaskStart({ list, statement }: Position): boolean {
  return list === 0 && statement === 0;
}

/** The position of a process when its running task has ended; the same position if no task is running. */
export function endOfRunningTask(position: Position): Position {
  return isTaskStart(position) ? position : taskStart(position.order + 1);
}

/** Negative if the first position is before the second, positive if it is after. */
export function comparePositions(first: Position, second: Position): number {
  return first.order - second.order || first.list - second.list || first.statement - second.statement;
}

/** The start of a phase, whose tasks are consecutive. */
export interface PhaseStart {
  readonly phase: number;
  readonly firstTask: number;
}

/**
 * Formats the start of a task as `2.137` and one of its statements as `2.137:45.2`.
 * @param phases ascending
 */
export function formatPosition(position: Position, phases: readonly PhaseStart[]): string {
  const { order, list, statement } = position;
  const { phase, firstTask } = phases.findLast((each) => each.firstTask <= order) ?? { phase: 0, firstTask: 1 };
  return `${phase}.${order - firstTask + 1}${isTaskStart(position) ? '' : `:${list}.${statement}`}`;
}

const POSITION_PATTERN = /^(?:(\d{1,10})\.)?(\d{1,10})(?::(\d{1,10})(?:\.(\d{1,10}))?)?$/;

/**
 * Parses a text that `formatPosition` has written, `start`, `end`, or a task by its number in the recording (`137`,
 * `137:45.2`). After a phase, a list without a statement means its first statement; `1:45` is a turn of a worker and not a
 * position. Undefined for other texts and missing tasks.
 * @param count number of tasks
 */
export function parsePosition(text: string, phases: readonly PhaseStart[], count: number): Position | undefined {
  if (text === 'start' || text === 'end') return taskStart(text === 'start' ? 1 : count + 1);
  const match = POSITION_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, phase, number, list = '0', statement = '1'] = match;
  if (phase === undefined && match[3] !== undefined && match[4] === undefined) return undefined;
  const order = phase === undefined ? Number(number) : orderOf(Number(phase), Number(number), phases);
  if (order === undefined || order < 1 || order > count + 1) return undefined;
  const isStatement = match[3] !== undefined;
  if (isStatement && (Number(statement) === 0 || order > count)) return undefined;
  return { order, list: Number(list), statement: isStatement ? Number(statement) : 0 };
}

function orderOf(phase: number, number: number, phases: readonly PhaseStart[]): number | undefined {
  if (phases.length === 0) return phase === 0 && number === 1 ? 1 : undefined;
  const index = phases.findIndex((each) => each.phase === phase);
  const phaseStart = phases[index];
  if (phaseStart === undefined || number < 1) return undefined;
  const order = phaseStart.firstTask + number - 1;
  const nextPhaseTask = phases[index + 1]?.firstTask ?? Infinity;
  return order < nextPhaseTask ? order : undefined;
}
