// The latest statements of each call of an async function, across all tasks in which the call runs. A call is
// identified by its frame, which core reports before the frame begins or resumes. The first statement after such a
// report, and the following statements of the same function, belong to this frame.
import type { StartedStatement } from './call-trail.ts';

export interface PositionedStatement extends StartedStatement {
  readonly position: readonly [task: number, list: number, statement: number];
}

const MAX_CALL_STATEMENTS = 200;

export class FrameTrails {
  readonly #trails = new WeakMap<object, PositionedStatement[]>();
  /** Trail of the running call of each function, by function number. */
  readonly #runningTrails = new Map<number, PositionedStatement[]>();
  /** Trails of the calls that began or resumed in this task, by list and number of their first statement there. */
  #resumedTrails = new Map<string, readonly PositionedStatement[]>();
  #nextFrame: object | undefined;

  /** Notes that a frame is about to begin or to resume. */
  readonly onFrameRun = (frame: object): void => {
    this.#nextFrame = frame;
  };

  startTask(): void {
    this.#nextFrame = undefined;
    this.#resumedTrails = new Map();
  }

  /** Adds a statement of an async function. @param fn number of the function */
  addStatement(fn: number, statement: PositionedStatement): void {
    const nextFrame = this.#nextFrame;
    let trail = nextFrame === undefined ? this.#runningTrails.get(fn) : this.#trailOf(nextFrame);
    if (nextFrame !== undefined && trail !== undefined) {
      this.#nextFrame = undefined;
      this.#runningTrails.set(fn, trail);
      this.#resumedTrails.set(`${statement.position[1]}.${statement.position[2]}`, trail);
    }
    // A call that began before the tracking has no trail.
    trail ??= [];
    if (trail.length >= MAX_CALL_STATEMENTS) trail.splice(0, MAX_CALL_STATEMENTS / 2);
    trail[trail.length] = statement;
  }

  #trailOf(frame: object): PositionedStatement[] {
    let trail = this.#trails.get(frame);
    if (trail === undefined) this.#trails.set(frame, (trail = []));
    return trail;
  }

  /** Earlier statements of the call that resumed at this statement, in order; empty if none resumed here. */
  statementsBefore(list: number, statement: number, task: number): readonly PositionedStatement[] {
    const trail = this.#resumedTrails.get(`${list}.${statement}`) ?? [];
    return trail.filter(({ position: at }) => at[0] < task || at[1] < list || (at[1] === list && at[2] < statement));
  }
}
