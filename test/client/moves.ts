// Moves and kinds of things to stop at as a client is told of them, and each way in which a move can be made in a recording of test/engine/programs/selling.ts.

export interface Described {
  readonly moves: { id: string; directions: string[]; parameters: { name: string; otherwise?: string }[] }[];
  readonly breakpoints: { id: string; tells?: string; conditions: boolean }[];
}

/** To where each move is tried from: a turn that somebody has sent, of an actor with a sum. What stands at a number of the order depends on how the threads of the recorded run took turns. */
export const TO_WHERE = { move: 'match', direction: 'forward', arguments: { actor: 'Till*', method: 'add' } } as const;

const ARGUMENTS: Readonly<Record<string, object>> = {
  wrote: { what: 'this.sum' },
  match: { actor: 'Till*' },
  position: { position: '0.9' },
  percentage: { percentage: 50 },
  time: { time: '+0' },
  nth: { worker: 0, turn: 1 },
};

interface Wanted {
  readonly move: string;
  readonly direction: string | undefined;
  readonly arguments: object;
}

export function waysOf({ moves }: Described): Wanted[] {
  return moves.flatMap(({ id, directions }) =>
    (directions.length === 0 ? [undefined] : directions).map((direction) => ({
      move: id,
      direction,
      arguments: ARGUMENTS[id] ?? {},
    })),
  );
}
