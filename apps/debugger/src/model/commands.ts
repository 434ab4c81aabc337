// Moves as commands of the palette, of buttons and of keys. The server describes the moves: a move unknown to this file
// appears like any other. Only key bindings are defined here; Shift reverses a move.
import { moveTitle, type Direction } from '@turntable/time-machine/client';
import type { MoveInfo } from '@turntable/time-machine/protocol';

export interface MoveCommand {
  readonly move: MoveInfo;
  readonly direction: Direction | undefined;
  /** Title for menus and tooltips, for example "Go to the next turn of any actor". */
  readonly title: string;
  /** The key that makes the move, as in `KeyboardEvent.key`; undefined for a move without a key. */
  readonly key: string | undefined;
  /** Whether a parameter has no default, so that the palette must ask for its argument. */
  readonly needsArguments: boolean;
}

const MOVE_KEYS: Readonly<Record<string, string>> = {
  over: 'n',
  into: 'i',
  out: 'o',
  breakpoint: 'b',
  task: 'j',
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

export function moveCommands(moves: readonly MoveInfo[]): MoveCommand[] {
  return moves.flatMap((move) => {
    const directions: readonly (Direction | undefined)[] = move.directions.length === 0 ? [undefined] : move.directions;
    return directions.map((direction) => ({
      move,
      direction,
      title: `Go to ${moveTitle(move, direction)}`,
      key: moveKey(move.id, direction),
      needsArguments: move.parameters.some(({ defaultDescription }) => defaultDescription === undefined),
    }));
  });
}

function moveKey(id: string, direction: Direction | undefined): string | undefined {
  const key = Object.hasOwn(MOVE_KEYS, id) ? MOVE_KEYS[id] : undefined;
  return direction === 'backward' ? key?.toUpperCase() : key;
}

/** Returns the key as it is displayed, for example ⇧N for N with Shift. */
export function formatKey(key: string): string {
  if (key.length > 1) return key;
  return key === key.toLowerCase() ? key.toUpperCase() : `⇧${key}`;
}

/** Returns the items whose titles contain all words of `text`, those with more matches at starts of words first. */
export function filterByWords<T extends { readonly title: string }>(items: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ title }: T): number => {
    const lower = title.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return -1;
    return words.filter((word) => lower.split(/[^\p{L}\p{N}]+/u).some((each) => each.startsWith(word))).length;
  };
  return items
    .map((each) => [score(each), each] as const)
    .filter(([points]) => points >= 0)
    .toSorted(([one], [other]) => other - one)
    .map(([, each]) => each);
}
