// Moves as commands of the palette, of buttons and of keys, from the table of the debugger's commands. A move of the
// server that the table does not have appears with the server's own title.
import { COMMANDS, moveTitle, NAVIGATION_KINDS, type Direction } from '@turntable/time-machine/client';
import type { MoveInfo } from '@turntable/time-machine/protocol';

export interface MoveCommand {
  readonly move: MoveInfo;
  readonly direction: Direction | undefined;
  /** Name of the command, as it is typed in the terminal. */
  readonly name: string;
  /** Title for menus and tooltips, for example "Go to the next request to a service". */
  readonly title: string;
  /** The key that makes the move, as in `KeyboardEvent.key`; undefined for a move without a key. */
  readonly key: string | undefined;
  /** Arguments that the command always has. */
  readonly fixedArguments: Readonly<Record<string, string>> | undefined;
  /** Whether a parameter has no default, so that the palette must ask for its argument. */
  readonly needsArguments: boolean;
}

interface CommandText {
  readonly name: string;
  readonly title: string;
  readonly key?: string | undefined;
  readonly fixedArguments?: Readonly<Record<string, string>> | undefined;
}

export function moveCommands(moves: readonly MoveInfo[]): MoveCommand[] {
  return moves.flatMap((move) => {
    const directions: readonly (Direction | undefined)[] = move.directions.length === 0 ? [undefined] : move.directions;
    return directions.flatMap((direction) =>
      textsOf(move, direction).map(({ name, title, key, fixedArguments }) => ({
        move,
        direction,
        name,
        title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
        key,
        fixedArguments,
        needsArguments:
          fixedArguments === undefined &&
          move.parameters.some(({ defaultDescription }) => defaultDescription === undefined),
      })),
    );
  });
}

/** The commands that make a move: commands of the table, and moves that only the server names. */
function textsOf(move: MoveInfo, direction: Direction | undefined): readonly CommandText[] {
  const kind = NAVIGATION_KINDS.find((each) => each.kind === move.id);
  if (kind !== undefined) {
    const isBack = direction === 'backward';
    return [
      {
        name: `${isBack ? 'back' : 'forward'} ${kind.kind}`,
        title: `go to the ${isBack ? 'previous' : 'next'} ${kind.summary}`,
        key: isBack ? kind.key?.toUpperCase() : kind.key,
      },
    ];
  }
  const commands = COMMANDS.filter((each) => each.move?.id === move.id && each.move.direction === direction);
  const texts = commands.map(({ name, summary, key, move: made }) => ({
    name,
    title: summary,
    key,
    fixedArguments: made?.arguments,
  }));
  if (texts.length > 0) return move.id === 'goto' ? [...texts, END_COMMAND] : texts;
  const text = moveTitle(move, direction);
  return [{ name: direction === 'backward' ? `back ${move.id}` : move.id, title: `go to ${text}` }];
}

/** `goto end`: one of the targets of `goto`, since it has a key. */
const END_COMMAND: CommandText = {
  name: 'goto end',
  title: 'go to the end of the recording',
  key: 'End',
  fixedArguments: { target: 'end' },
};

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
