// Moves inside tasks, which need a replay in debug mode. Moves between tasks are in moves.ts.
import { DIRECTIONS, type MoveArguments, type MoveDescription } from '../moves/move.ts';
import type { Position } from '../position.ts';
import type { StepController, StepRequest, OperationContext } from './step-controller.ts';
import type { StepResult } from './step-result.ts';

export interface StepMove extends MoveDescription {
  /** Finds the target; undefined if there is none. */
  readonly run: (
    stepper: StepController,
    step: StepRequest,
    context: OperationContext,
    args: MoveArguments,
  ) => Promise<Position | StepResult | undefined>;
}

const STATEMENT_MOVE = { group: 'Statements', directions: DIRECTIONS, parameters: [] } as const;

export const STEP_MOVES: readonly StepMove[] = [
  {
    id: 'over',
    title: '{next} statement of this function or its caller, stepping over calls',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.stepOver(step, context),
  },
  {
    id: 'into',
    title: '{next} statement on any thread, stepping into calls',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.nextStatement(step, context),
  },
  {
    id: 'out',
    title: '{next} statement of the caller of this function',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.stepOut(step, context),
  },
  {
    id: 'breakpoint',
    title: '{next} statement with a breakpoint',
    ...STATEMENT_MOVE,
    run: async (stepper, step, context) => {
      const position = await stepper.nextBreakpoint(step, context);
      return position && { position, breakpoints: stepper.breakpointsAt(position) };
    },
  },
  {
    id: 'wrote',
    title: 'the statement that wrote the current value of an expression',
    group: 'Values',
    directions: [],
    parameters: [
      {
        name: 'what',
        kind: 'expression',
        title:
          "a variable, a property, a member or an entry: total, this.sum, items[2].price, this.#name, stock.get('tea')",
        defaultDescription: undefined,
      },
    ],
    run: (stepper, { from, thisActor }, { signal }, args) =>
      stepper.lastWrite(from, { expression: String(args.get('what')), thisActor }, signal),
  },
];
