// A place in a recording: the beginning of a task, or a statement of it that is about to begin. Positions are in the order in which everything ran, on whatever thread. People and
// clients have them as texts, in which a task is told by its phase and its number in that, so that a text means the same where the recording has lost its first phases since.

export interface Position {
  /** The task, from 1 on; one more than there are: the end, behind the last one. */
  readonly order: number;
  /** Lists of statements that it has entered, and statements begun since the last of them (docs/transform.md, "Debug mode"); both 0: before the first statement. */
  readonly list: number;
  readonly statement: number;
}

/** The beginning of a task; of one more than there are: the end. */
export function taskStart(order: number): Position {
  return { order, list: 0, statement: 0 };
}

/** Whether it is the beginning of a task. Behind an `await` statements may begin before any list is entered. */
export function isTaskStart({ list, statement }: Position): boolean {
  return list === 0 && statement === 0;
}

/** Less than 0 if the first comes before the other. */
export function comparePositions(first: Position, second: Position): number {
  return first.order - second.order || first.list - second.list || first.statement - second.statement;
}

/** A phase of a recording: it is a piece of the order. */
export interface PhaseStart {
  readonly phase: number;
  /** The place of its first task. */
  readonly firstTask: number;
}

/**
 * `2.137`, the beginning of a task; `2.137:45.2`, a statement of it.
 * @param phases ascending
 */
export function formatPosition(position: Position, phases: readonly PhaseStart[]): string {
  const { order, list, statement } = position;
  const { phase, firstTask } = phases.findLast((each) => each.firstTask <= order) ?? { phase: 0, firstTask: 1 };
  return `${phase}.${order - firstTask + 1}${isTaskStart(position) ? '' : `:${list}.${statement}`}`;
}

const POSITION_PATTERN = /^(?:(\d{1,10})\.)?(\d{1,10})(?::(\d{1,10})(?:\.(\d{1,10}))?)?$/;

/**
 * Of such a text; of `start` and `end`; of one without a phase (`137`, `137:45.2`), whose number is the place among all; of one with a list alone, the list's first statement. Undefined of any
 * other, and where the recording has no such task.
 * @param count how many tasks there are
 */
export function parsePosition(text: string, phases: readonly PhaseStart[], count: number): Position | undefined {
  if (text === 'start' || text === 'end') return taskStart(text === 'start' ? 1 : count + 1);
  const match = POSITION_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, phase, number, list = '0', statement = '1'] = match;
  const order = phase === undefined ? Number(number) : orderOf(Number(phase), Number(number), phases);
  if (order === undefined || order < 1 || order > count + 1) return undefined;
  const isStatement = match[3] !== undefined;
  if (isStatement && (Number(statement) === 0 || order > count)) return undefined;
  return { order, list: Number(list), statement: isStatement ? Number(statement) : 0 };
}

function orderOf(phase: number, number: number, phases: readonly PhaseStart[]): number | undefined {
  if (phases.length === 0) return phase === 0 && number === 1 ? 1 : undefined;
  const at = phases.findIndex((each) => each.phase === phase);
  const phaseStart = phases[at];
  if (phaseStart === undefined || number < 1) return undefined;
  const order = phaseStart.firstTask + number - 1;
  // Where the next phase has begun, this one has no more.
  return order < (phases[at + 1]?.firstTask ?? Infinity) ? order : undefined;
}
