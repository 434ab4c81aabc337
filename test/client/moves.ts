// The description of moves and breakpoint kinds that clients receive, and requests for every move in every direction,
// for a recording of test/engine/programs/selling.ts.

export interface MovesDescription {
  readonly moves: { id: string; directions: string[]; parameters: { name: string; defaultDescription?: string }[] }[];
  readonly breakpointKinds: { id: string; detail?: string; canHaveCondition: boolean }[];
}

/**
 * The start position for each move: a turn with a sender, of an actor with a sum. Not a number, since the order of
 * tasks depends on the threads of the recorded run.
 */
export const START_MOVE = {
  move: 'turn',
  direction: 'forward',
  arguments: { text: 'Till*.add' },
} as const;

const ARGUMENTS: Readonly<Record<string, object>> = {
  'last-write': { expression: 'this.sum' },
  advance: { location: 'Till.add' },
  actor: { name: 'Till*' },
  goto: { target: '50%' },
};

interface MoveRequest {
  readonly move: string;
  readonly direction: string | undefined;
  readonly arguments: object;
}

export function movesOf({ moves }: MovesDescription): MoveRequest[] {
  return moves.flatMap(({ id, directions }) =>
    (directions.length === 0 ? [undefined] : directions).map((direction) => ({
      move: id,
      direction,
      arguments: ARGUMENTS[id] ?? {},
    })),
  );
}
