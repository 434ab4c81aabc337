// The latest statements of each call of a suspendable function, across all tasks in which the call runs. A call is
// identified by its frame.
import type { StartedStatement } from './call-trail.ts';
import type { FrameRuns } from './frame-runs.ts';

export interface PositionedStatement extends StartedStatement {
  readonly position: readonly [task: number, list: number, statement: number];
}

interface Trail {
  readonly statements: PositionedStatement[];
  lastRun: number;
}

type FrameRun = NonNullable<FrameRuns['current']>;

const MAX_CALL_STATEMENTS = 200;

export class FrameTrails {
  readonly #trails = new WeakMap<object, Trail>();
  /** Trails of the calls that began or resumed in this task, by list and number of their first statement there. */
  #resumedTrails = new Map<string, Trail>();

  startTask(): void {
    this.#resumedTrails = new Map();
  }

  /** Adds a statement of the run of a frame. */
  addStatement({ frame, name }: FrameRun, statement: PositionedStatement): void {
    let trail = this.#trails.get(frame);
    if (trail === undefined) this.#trails.set(frame, (trail = { statements: [], lastRun: -1 }));
    if (trail.lastRun !== name) this.#resumedTrails.set(`${statement.position[1]}.${statement.position[2]}`, trail);
    trail.lastRun = name;
    const { statements } = trail;
    if (statements.length >= MAX_CALL_STATEMENTS) statements.splice(0, MAX_CALL_STATEMENTS / 2);
    statements[statements.length] = statement;
  }

  /** Earlier statements of the call that resumed at this statement, in order; empty if none resumed here. */
  statementsBefore(list: number, statement: number, task: number): readonly PositionedStatement[] {
    const { statements = [] } = this.#resumedTrails.get(`${list}.${statement}`) ?? {};
    return statements.filter(
      ({ position: at }) => at[0] < task || at[1] < list || (at[1] === list && at[2] < statement),
    );
  }
}
