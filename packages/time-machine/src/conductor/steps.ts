// The moves that need a run statement by statement. They describe themselves as the others do (moves.ts).
import { DIRECTIONS, type Arguments, type MoveDescription } from '../moves/move.ts';
import type { Position } from '../position.ts';
import type { Conductor, Step, Waiting } from './conductor.ts';
import type { Led } from './ways.ts';

export interface ConductedMove extends MoveDescription {
  /** Nothing, if there is no such place. */
  readonly conducts: (
    conductor: Conductor,
    step: Step,
    waiting: Waiting,
    its: Arguments,
  ) => Promise<Position | Led | undefined>;
}

const STATEMENTS = { group: 'Statements', directions: DIRECTIONS, parameters: [] } as const;

export const STEPS: readonly ConductedMove[] = [
  {
    id: 'over',
    title: '{next} statement here or in who has called this, over what it calls',
    ...STATEMENTS,
    conducts: (conductor, step, waiting) => conductor.over(step, waiting),
  },
  {
    id: 'into',
    title: '{next} statement of all, into what is called, on whatever thread',
    ...STATEMENTS,
    conducts: (conductor, step, waiting) => conductor.statement(step, waiting),
  },
  {
    id: 'out',
    title: '{next} statement of who has called this function',
    ...STATEMENTS,
    conducts: (conductor, step, waiting) => conductor.out(step, waiting),
  },
  {
    id: 'breakpoint',
    title: '{next} statement with a breakpoint',
    ...STATEMENTS,
    conducts: async (conductor, step, waiting) => {
      const position = await conductor.breakpoint(step, waiting);
      return position && { position, breakpoints: conductor.breakpointsAt(position) };
    },
  },
  {
    id: 'wrote',
    title: 'the statement that has given something the value that it has here',
    group: 'Values',
    directions: [],
    parameters: [
      {
        name: 'what',
        kind: 'expression',
        title:
          "a variable, a property, a member or an entry: total, this.sum, items[2].price, this.#name, stock.get('tea')",
        otherwise: undefined,
      },
    ],
    conducts: (conductor, { from, of }, { signal }, its) =>
      conductor.wrote(from, { text: String(its.get('what')), of }, signal),
  },
];
