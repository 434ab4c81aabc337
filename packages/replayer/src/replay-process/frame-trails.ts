// The last statements of each call of an async function, across the tasks in which it goes on: by its frame, which core tells of whenever it runs. What belongs to a call in one task is
// known by the stack; where it went on, it is the frame that runs next.
import type { StartedStatement } from './call-trail.ts';

export interface PositionedStatement extends StartedStatement {
  readonly position: readonly [task: number, list: number, statement: number];
}

/** Of one call. */
const MAX_CALL_STATEMENTS = 200;

export class FrameTrails {
  readonly #trails = new WeakMap<object, PositionedStatement[]>();
  /** What each function's call runs, by the function. */
  readonly #runningTrails = new Map<number, PositionedStatement[]>();
  /** Where calls have begun or gone on in this task. */
  #resumedTrails = new Map<string, readonly PositionedStatement[]>();
  #nextFrame: object | undefined;

  /** It is about to begin, or to go on. */
  readonly onFrameRun = (frame: object): void => {
    this.#nextFrame = frame;
  };

  /** A task begins. */
  startTask(): void {
    this.#nextFrame = undefined;
    this.#resumedTrails = new Map();
  }

  /** A statement of an async function. @param fn its number */
  addStatement(fn: number, statement: PositionedStatement): void {
    const nextFrame = this.#nextFrame;
    let trail = nextFrame === undefined ? this.#runningTrails.get(fn) : this.#trailOf(nextFrame);
    if (nextFrame !== undefined && trail !== undefined) {
      this.#nextFrame = undefined;
      this.#runningTrails.set(fn, trail);
      this.#resumedTrails.set(`${statement.position[1]}.${statement.position[2]}`, trail);
    }
    // One that began before anybody looked.
    trail ??= [];
    if (trail.length >= MAX_CALL_STATEMENTS) trail.splice(0, MAX_CALL_STATEMENTS / 2);
    trail[trail.length] = statement;
  }

  #trailOf(frame: object): PositionedStatement[] {
    let trail = this.#trails.get(frame);
    if (trail === undefined) this.#trails.set(frame, (trail = []));
    return trail;
  }

  /** What has begun in the same call before it went on at this statement, in order; nothing, if it did not go on there. */
  statementsBefore(list: number, statement: number, task: number): readonly PositionedStatement[] {
    const trail = this.#resumedTrails.get(`${list}.${statement}`) ?? [];
    return trail.filter(({ position: at }) => at[0] < task || at[1] < list || (at[1] === list && at[2] < statement));
  }
}
