// Finds the targets of moves: between tasks in the run index, inside tasks with the step controller.
import type { StopHistory } from '../stepping/breakpoint-controller.ts';
import type { StepController } from '../stepping/step-controller.ts';
import { STEP_MOVES, type StepMove } from '../stepping/step-moves.ts';
import type { LastWriteInfo } from '../stepping/step-result.ts';
import { breakpointKindOf } from '../stepping/breakpoint-kinds.ts';
import { EVENT_KIND_GROUPS } from '../run-event-kinds.ts';
import { parseMoveArguments } from '../moves/move-arguments.ts';
import { findDestination, textFilter, notFound, tasksOfEventMove } from '../moves/move.ts';
import type { MoveArguments, Direction, MoveDestination, Move } from '../moves/move.ts';
import { MOVES } from '../moves/moves.ts';
import { canHaveText } from '../task-log.ts';
import { comparePositions, taskStart, isTaskStart, type Position } from '../position.ts';
import { type ParamsOf, type ResultOf } from '../protocol.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import type { RecordingInfo } from './greeting.ts';
import { programEnd, type ProgramEnd } from './program-end.ts';
import { throwStatementAt } from './throw-statement.ts';
import { yieldToOthers, type ClientContext } from './client-context.ts';
import { invalidParams, steppingUnavailable } from './protocol-error.ts';
import type { StateOwner } from '../replay-process/actor-states.ts';

/** The target of a move with notes for users, or the reason why there is none. */
export type MoveTarget =
  | {
      readonly position: Position;
      readonly note?: string | undefined;
      readonly lastWrite?: LastWriteInfo;
      readonly breakpoints?: readonly number[];
      /** See `StepResult`. */
      readonly isEdge?: boolean;
      readonly fatalError?: string | undefined;
      readonly history?: StopHistory;
      readonly arrive?: () => void;
    }
  | { readonly reason: string };

const EXCEPTION_KINDS: ReadonlySet<string> = new Set([...EVENT_KIND_GROUPS.exception, ...EVENT_KIND_GROUPS.uncaught]);

export class MoveResolver {
  readonly #graph: TaskGraph;
  readonly #stepper: StepController | undefined;
  readonly #recording: Pick<RecordingInfo, 'until' | 'exitCode'>;

  /** @param stepper undefined if moves inside tasks are unavailable */
  constructor(
    graph: TaskGraph,
    stepper: StepController | undefined,
    recording: Pick<RecordingInfo, 'until' | 'exitCode'>,
  ) {
    this.#graph = graph;
    this.#stepper = stepper;
    this.#recording = recording;
  }

  get moves(): readonly (Move | StepMove)[] {
    return this.#stepper === undefined ? MOVES : [...STEP_MOVES, ...MOVES];
  }

  moveNamed(id: string): Move | StepMove {
    const moves = this.moves;
    const move = moves.find((each) => each.id === id);
    if (move !== undefined) return move;
    const known = moves.map((each) => each.id).join(', ');
    throw invalidParams(`there is no move ${JSON.stringify(id)}; available: ${known}`);
  }

  /** Finds the target of a move from a position. @param thisActor the actor that `this` means in expressions */
  async resolve(
    { count = 1, ...params }: ParamsOf<'move'>,
    position: Position,
    context: ClientContext,
    thisActor?: StateOwner,
  ): Promise<MoveTarget> {
    let target = await this.#resolveOnce(params, { position }, context, thisActor);
    for (let done = 1; done < count && 'position' in target && target.isEdge !== true; done++) {
      const previous = target;
      const next = await this.#resolveOnce(params, previous, context, thisActor);
      if ('reason' in next) return { ...previous, note: `stopped after ${done} of ${count}: ${next.reason}` };
      target = next;
    }
    return target;
  }

  async #resolveOnce(
    { move: id, direction, arguments: input = {} }: Omit<ParamsOf<'move'>, 'count'>,
    { position, history }: { readonly position: Position; readonly history?: StopHistory },
    context: ClientContext,
    thisActor: StateOwner | undefined,
  ): Promise<MoveTarget> {
    const stepper = this.#stepper;
    const move = this.moveNamed(id);
    if (direction !== undefined && move.directions.length === 0)
      throw invalidParams(`the move ${id} takes no direction`);
    const args = parseMoveArguments(move, input, this.#graph);
    if (typeof args === 'string') throw invalidParams(args);
    const step = { from: position, direction: direction ?? 'forward' };
    if ('run' in move) {
      if (stepper === undefined) throw steppingUnavailable();
      const run = (from: Position, previous = history): ReturnType<StepMove['run']> =>
        move.run(stepper, { ...step, from, thisActor, history: previous }, context, args);
      let result = await run(position);
      for (;;) {
        if (result === undefined) return notFound(move, step.direction);
        if ('order' in result) return { position: result };
        if ('isEdge' in result && step.direction === 'forward') return this.#endAfter(position, result, context);
        if (!('breakpoints' in result) || !this.#areExceptions(stepper, result.breakpoints)) return result;
        const thrown = await this.#throwOf(stepper, result.position, step, context.signal);
        if (thrown !== 'current') return { ...result, position: thrown };
        if (id !== 'continue') return result;
        result = await run(result.position, result.history);
      }
    }
    if ('eventKinds' in move && stepper !== undefined) {
      const eventQuery = {
        tasks: tasksOfEventMove(move, this.#graph, args),
        kinds: move.eventKinds,
        matches: textFilter(args) ?? (() => true),
      };
      for (let from = position; ;) {
        const result = await stepper.nextEvent({ ...step, from }, eventQuery, context);
        if (result === undefined) return notFound(move, step.direction);
        if (!move.eventKinds.every((each) => EXCEPTION_KINDS.has(each))) return { position: result };
        const thrown = await this.#throwOf(stepper, result, step, context.signal);
        if (thrown !== 'current') return { position: thrown };
        from = result;
      }
    }
    const landing = await this.#findDestination(move, { ...step, args }, context);
    if ('reason' in landing) return landing;
    if ('isLastStatement' in landing)
      return (await this.#programEnd(taskStart(1), context)) ?? { position: taskStart(this.#graph.count + 1) };
    const { task: order, position: target = taskStart(order) } = landing;
    if (isTaskStart(target)) return { position: target };
    if (stepper === undefined)
      return { reason: 'this recording is not replayed statement by statement; give the start of a task' };
    if ((await stepper.locationOf(target, context.signal)) !== undefined) return { position: target };
    return { reason: `task ${target.order} has no statement ${target.list}.${target.statement}` };
  }

  /** The statement at which the program ended; for a running program, the end of the recording. */
  async #endAfter(from: Position, edge: { readonly position: Position }, context: ClientContext): Promise<MoveTarget> {
    if (this.#recording.until !== undefined) return edge;
    const end = await this.#programEnd(from, context);
    if (end !== undefined) return { ...edge, ...end };
    return isTaskStart(from) ? edge : { reason: 'this is the end of the recording' };
  }

  async #programEnd(after: Position, context: ClientContext): Promise<ProgramEnd | undefined> {
    if (this.#stepper === undefined) return undefined;
    const { exitCode } = this.#recording;
    return programEnd({ after, graph: this.#graph, stepper: this.#stepper, exitCode }, context);
  }

  #areExceptions(stepper: StepController, ids: readonly number[]): boolean {
    const hits = stepper.breakpoints.breakpoints.filter(({ id }) => ids.includes(id));
    return (
      hits.length > 0 &&
      hits.every(({ kind = '' }) => breakpointKindOf(kind)?.runEvents.every((each) => EXCEPTION_KINDS.has(each)))
    );
  }

  /**
   * Returns the statement that throws the error of an event, or the position of the event if that is not known.
   * 'current': the move starts at this statement, so that the event is not another one.
   */
  async #throwOf(
    stepper: StepController,
    event: Position,
    { from, direction }: { readonly from: Position; readonly direction: Direction },
    signal: AbortSignal,
  ): Promise<Position | 'current'> {
    const thrown = await throwStatementAt(stepper, event, signal);
    if (thrown === undefined) return event;
    const order = comparePositions(thrown, from);
    if (direction === 'backward' || order > 0) return thrown;
    return order === 0 ? 'current' : event;
  }

  completions({ move, parameter, prefix = '', count }: ParamsOf<'completions'>): ResultOf<'completions'> {
    const namedMove = this.moveNamed(move);
    const kind = namedMove.parameters.find(({ name }) => name === parameter)?.kind;
    if (kind === undefined) throw invalidParams(`the move ${move} has no parameter "${parameter}"`);
    const { actors, runIndex } = this.#graph;
    const values =
      kind === 'worker'
        ? runIndex.threads.map(({ worker }) => String(worker))
        : kind === 'source'
          ? this.#graph.sources
          : kind === 'actor'
            ? actors.map(({ name }) => name)
            : 'eventKinds' in namedMove
              ? namedMove.eventKinds.flatMap((kind) => (canHaveText(kind) ? runIndex.eventTexts(kind) : []))
              : [];
    return { values: [...new Set(values)].filter((each) => each.startsWith(prefix)).slice(0, count) };
  }

  async #findDestination(
    move: Move,
    { from: position, direction, args }: { from: Position; direction: Direction; args: MoveArguments },
    context: ClientContext,
  ): Promise<MoveDestination> {
    const from = { task: position.order, isInTask: !isTaskStart(position) };
    const search = findDestination(move, { graph: this.#graph, from, direction, args });
    for (let step = search.next(); ; step = search.next()) {
      if (step.done === true) return step.value;
      await yieldToOthers(context, step.value, this.#graph.count);
    }
  }
}
