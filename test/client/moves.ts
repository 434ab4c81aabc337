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
  move: 'match',
  direction: 'forward',
  arguments: { actor: 'Till*', method: 'add' },
} as const;

const ARGUMENTS: Readonly<Record<string, object>> = {
  wrote: { what: 'this.sum' },
  match: { actor: 'Till*' },
  position: { position: '0.9' },
  percentage: { percentage: 50 },
  time: { time: '+0' },
  nth: { worker: 0, turn: 1 },
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
