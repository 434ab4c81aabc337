// Moves inside tasks, which need a replay in debug mode. Moves between tasks are in moves.ts.
import { DIRECTIONS, type MoveArguments, type MoveDescription } from '../moves/move.ts';
import type { OperationContext } from './operation-context.ts';
import type { StepController, StepRequest, StepTarget } from './step-controller.ts';

export interface StepMove extends MoveDescription {
  /** Finds the target; undefined if there is none. */
  readonly run: (
    stepper: StepController,
    step: StepRequest,
    context: OperationContext,
    args: MoveArguments,
  ) => Promise<StepTarget>;
}

const STATEMENT_MOVE = { group: 'Statements', directions: DIRECTIONS, parameters: [] } as const;
const LOCATION_TITLE = 'LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method';

export const STEP_MOVES: readonly StepMove[] = [
  {
    id: 'step',
    title: '{next} statement of this function or its caller, into calls',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.stepInto(step, context),
  },
  {
    id: 'stepi',
    title: '{next} statement on any thread',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.nextStatement(step, context),
  },
  {
    id: 'next',
    title: '{next} statement of this function or its caller, over calls and awaits',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.stepOver(step, context),
  },
  {
    id: 'finish',
    title: '{next} statement of the caller of this function, or of what awaits it',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.stepOut(step, context),
  },
  {
    id: 'until',
    title: 'a later statement of this function, leaving loops',
    group: 'Statements',
    directions: [],
    parameters: [
      { name: 'location', kind: 'location', title: LOCATION_TITLE, defaultDescription: 'the next statement below' },
    ],
    run: (stepper, step, context, args) => {
      const location = args.get('location');
      return location === undefined
        ? stepper.until(step, context)
        : stepper.untilLocation(step, String(location), context);
    },
  },
  {
    id: 'advance',
    title: '{next} execution of a location, or the breakpoint before it',
    group: 'Statements',
    directions: DIRECTIONS,
    parameters: [{ name: 'location', kind: 'location', title: LOCATION_TITLE, defaultDescription: undefined }],
    run: (stepper, step, context, args) => stepper.advance(step, String(args.get('location')), context),
  },
  {
    id: 'continue',
    title: '{next} stop at a breakpoint, or the end of the recording in that direction',
    ...STATEMENT_MOVE,
    run: (stepper, step, context) => stepper.continue(step, context),
  },
  {
    id: 'last-write',
    title: 'the statement that wrote the current value of an expression',
    group: 'Values',
    directions: [],
    parameters: [
      {
        name: 'expression',
        kind: 'expression',
        title:
          "a variable, a property, a member or an entry: total, this.sum, items[2].price, this.#name, stock.get('tea')",
        defaultDescription: undefined,
      },
    ],
    run: (stepper, { from, thisActor }, { signal }, args) =>
      stepper.lastWrite(from, { expression: String(args.get('expression')), thisActor }, signal),
  },
];
