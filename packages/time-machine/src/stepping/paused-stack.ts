// The stack at a position, with the variables and positions of its frames. The frames on V8's stack are followed by the
// suspended functions that await them. The position of an awaiting frame may take a replay of another task, so it is
// found only on request.
import type { Effects } from '../effects.ts';
import { isTaskStart, type Position } from '../position.ts';
import type {
  CompletionName,
  EvaluationResult,
  NamesQuery,
  StackFrame,
  ValueEntry,
} from '../replay-process/inspected-values.ts';
import type { RunName } from '../replay-process/task-trace.ts';
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import { ReplayError } from '../replay-process/replay-error.ts';
import type { StatementTrace } from '../replay-process/statement-trace.ts';
import type { Activations, NoStep } from './activations.ts';
import { lastStatementsOf } from './frame-statements.ts';
import type { OperationContext } from './operation-context.ts';

export interface EvaluationOptions {
  readonly expression: string;
  readonly effects: Effects | undefined;
  /** Index of the frame; default: 0, the innermost. In an outer frame, an expression must not have side effects. */
  readonly frame?: number | undefined;
}

export interface InspectableFrame extends StackFrame {
  /** The last statement that the frame began; undefined if its variables are not available, and for awaiting frames. */
  readonly lastStatement: Position | undefined;
}

export interface InspectableStack {
  readonly frames: readonly InspectableFrame[];
  /** Number of awaiting frames that are left out. */
  readonly moreAwaiting: number;
}

export interface PausedStackDeps {
  readonly scout: ReplayDriver;
  withDriverAt<T>(position: Position, signal: AbortSignal, run: (driver: ReplayDriver) => Promise<T>): Promise<T>;
  traceAt(position: Position, signal: AbortSignal): Promise<StatementTrace | undefined>;
  activations(context: OperationContext): Activations;
}

export class PausedStack {
  readonly #deps: PausedStackDeps;

  constructor(deps: PausedStackDeps) {
    this.#deps = deps;
  }

  async at(position: Position, signal: AbortSignal): Promise<InspectableStack> {
    const { frames, moreAwaiting } = await this.#deps.withDriverAt(position, signal, (driver) => driver.stack());
    const trace = isTaskStart(position) ? undefined : await this.#deps.traceAt(position, signal);
    const running = frames.filter(({ awaiting }) => awaiting === undefined);
    const lastStatements = lastStatementsOf(trace, position, running);
    return { frames: frames.map((frame, i) => ({ ...frame, lastStatement: lastStatements[i] })), moreAwaiting };
  }

  /** Variables of a frame. For an outer frame, as they were when its last statement began. */
  async variables(position: Position, frame: number, signal: AbortSignal): Promise<readonly ValueEntry[]> {
    if (frame === 0) return this.#deps.withDriverAt(position, signal, (driver) => driver.locals(0));
    const { at, awaiting } = await this.#inspectableFrame(position, frame, signal);
    return this.#deps.withDriverAt(position, signal, (driver) =>
      at === undefined ? driver.awaitingLocals(awaiting) : driver.localsAt(at),
    );
  }

  async evaluate(
    position: Position,
    { expression, effects, frame = 0 }: EvaluationOptions,
    signal: AbortSignal,
  ): Promise<EvaluationResult> {
    if (frame === 0)
      return this.#deps.withDriverAt(position, signal, (driver) => driver.evaluate(expression, signal, effects));
    const { at, awaiting } = await this.#inspectableFrame(position, frame, signal);
    return this.#deps.withDriverAt(position, signal, (driver) =>
      at === undefined
        ? driver.evaluateAwaiting(awaiting, expression, signal)
        : driver.evaluateAt(at, expression, signal),
    );
  }

  /** Names that can continue an expression in a frame. */
  async names(
    position: Position,
    { frame = 0, ...query }: NamesQuery & { readonly frame?: number | undefined },
    signal: AbortSignal,
  ): Promise<readonly CompletionName[]> {
    if (frame === 0) return this.#deps.withDriverAt(position, signal, (driver) => driver.names(query));
    const { at, awaiting } = await this.#inspectableFrame(position, frame, signal);
    return this.#deps.withDriverAt(position, signal, (driver) =>
      at === undefined ? driver.names(query, awaiting) : driver.namesAt(at, query),
    );
  }

  /** The last statement of a frame, or its index among the awaiting frames. Throws if its variables are unavailable. */
  async #inspectableFrame(
    position: Position,
    index: number,
    signal: AbortSignal,
  ): Promise<{ readonly at: Position | undefined; readonly awaiting: number }> {
    const { frames } = await this.at(position, signal);
    const { lastStatement: at, awaiting } = frames[index] ?? {};
    if (at === undefined && awaiting === undefined)
      throw new ReplayError('TT_NO_POSITION', `the variables of frame ${index} cannot be seen`);
    return { at, awaiting: index - frames.findIndex((each) => each.awaiting !== undefined) };
  }

  /** The position of a frame: its last statement, or the statement with the `await` at which it is suspended. */
  async positionOf(position: Position, index: number, context: OperationContext): Promise<Position | NoStep> {
    const { signal } = context;
    const { frames } = await this.at(position, signal);
    const frame = frames[index];
    if (frame === undefined) return { reason: `there is no frame ${index}` };
    if (frame.awaiting === undefined)
      return frame.lastStatement ?? { reason: 'the frame belongs to another task, or not to the program' };
    const run = frame.awaiting.run ?? (await this.#olderRun(position, index, signal));
    if (run === undefined) return { reason: 'the function was suspended before this recording' };
    const found = await this.#deps.activations(context).suspension(run);
    return 'reason' in found ? found : found.trace.position(found.index);
  }

  /** The last run of a frame that is older than the process at the position, found in processes from earlier states. */
  async #olderRun(position: Position, index: number, signal: AbortSignal): Promise<RunName | undefined> {
    const { order } = position;
    for (let distance = FIRST_SEARCH_DISTANCE; ; distance *= 2) {
      const stack = await this.#deps.scout.stackSince(Math.max(1, order - distance), position, signal);
      const run = stack.frames[index]?.awaiting?.run;
      if (run !== undefined || stack.since === 1) return run;
      distance = Math.max(distance, order - stack.since);
    }
  }
}

/** Number of tasks before a position among which the last run of an awaiting frame is searched first. */
const FIRST_SEARCH_DISTANCE = 64;
