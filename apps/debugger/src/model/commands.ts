// What can be done, as the palette, the buttons and the keys have it. Moves are the server's: it says which there are, and one that this file does not know is in the palette and among the buttons like any other.
// Of the client's own are only the keys that it gives to some of them; with Shift a move goes the other way.
import { titleOf, type Direction } from '@turntable/time-machine/client';
import type { ToldMove } from '@turntable/time-machine/protocol';

export interface MoveCommand {
  readonly move: ToldMove;
  readonly direction: Direction | undefined;
  /** To the next turn of any actor. */
  readonly title: string;
  /** As `event.key` has it. */
  readonly key: string | undefined;
  /** Whether something has to be given. */
  readonly needs: boolean;
}

const KEYS: Readonly<Record<string, string>> = {
  over: 'n',
  into: 'i',
  out: 'o',
  breakpoint: 'b',
  stretch: 'j',
  turn: 't',
  actor: 'a',
  worker: 'w',
  sender: 's',
  receiver: 'r',
  answer: 'm',
  resolver: 'v',
  birth: 'h',
  output: 'p',
  error: 'e',
  snapshot: 'c',
  entry: 'd',
  start: 'Home',
  end: 'End',
  position: 'g',
};

export function commandsOf(moves: readonly ToldMove[]): MoveCommand[] {
  return moves.flatMap((move) => {
    const directions: readonly (Direction | undefined)[] = move.directions.length === 0 ? [undefined] : move.directions;
    return directions.map((direction) => ({
      move,
      direction,
      title: `Go to ${titleOf(move, direction)}`,
      key: keyOf(move.id, direction),
      needs: move.parameters.some(({ otherwise }) => otherwise === undefined),
    }));
  });
}

function keyOf(id: string, direction: Direction | undefined): string | undefined {
  const key = Object.hasOwn(KEYS, id) ? KEYS[id] : undefined;
  return direction === 'backward' ? key?.toUpperCase() : key;
}

/** As people read it: ⇧N. */
export function keyText(key: string): string {
  if (key.length > 1) return key;
  return key === key.toLowerCase() ? key.toUpperCase() : `⇧${key}`;
}

/** Those whose words are all there, in their order; the ones that begin so first. */
export function matching<T extends { readonly title: string }>(all: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ title }: T): number => {
    const lower = title.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return -1;
    return words.filter((word) => lower.split(/[^\p{L}\p{N}]+/u).some((each) => each.startsWith(word))).length;
  };
  return all
    .map((each) => [score(each), each] as const)
    .filter(([points]) => points >= 0)
    .toSorted(([one], [other]) => other - one)
    .map(([, each]) => each);
}
