// The help of the terminal's commands and of the server's moves.
import type { ResultOf, MoveInfo } from '@turntable/time-machine/protocol';
import { formatCount } from '@turntable/replayer/entry';
import { sanitizeText } from '@turntable/replayer/replay';

interface ReplCommand {
  /** Name and arguments. */
  readonly usage: string;
  readonly letter?: string;
  readonly description: string;
  /** Requires a recording that is replayed statement by statement. */
  readonly needsStatements?: boolean;
}

const COMMAND_TABLE: readonly ReplCommand[] = [
  {
    usage: 'next [MOVE [ARGUMENT…]]',
    letter: 'n',
    description: 'forward to the nearest such place; without a move, by the first of those below',
  },
  { usage: 'back [MOVE [ARGUMENT…]]', letter: 'b', description: 'the same backward' },
  {
    usage: 'peek [next|back] MOVE [ARGUMENT…]',
    letter: 'k',
    description: 'shows where a move would lead, and goes nowhere',
  },
  { usage: 'where', letter: 'w', description: 'shows where you are' },
  {
    usage: 'list [FROM [COUNT]]',
    letter: 'l',
    description: 'tasks from here on, or from a place on; again: those that follow',
  },
  { usage: 'received', letter: 'r', description: 'what has come of the messages that were sent here' },
  {
    usage: 'marks KIND [MATCHING]',
    letter: 'm',
    description: 'what stands at tasks from here on: request, response, error, exception, rejection, device, stdout …',
  },
  {
    usage: 'find TEXT',
    description:
      'where it stands from here on: in names of actors and methods, errors, requests, calls of the outside, what was printed',
  },
  {
    usage: 'requests [slowest] [open] [STATUS] [TEXT]',
    description:
      'requests to services, what they were answered and how long that took; the slowest first, those that are open, those answered with such a status or a higher one, those with such a text',
  },
  { usage: 'actors [NAME]', letter: 'a', description: 'actors, those of such a name, * for anything in it' },
  { usage: 'history [COUNT]', description: 'what led here: who has sent this, who has sent that, and so on back' },
  {
    usage: 'population',
    description: 'the actors that live here, and how many messages wait for each',
    needsStatements: true,
  },
  { usage: 'mailbox ACTOR', description: 'the messages that wait for one of them', needsStatements: true },
  {
    usage: 'promises [#NUMBER|ACTOR]',
    description: 'the promises that somebody waits for here, and who does; or one of them, and what it waits for',
    needsStatements: true,
  },
  {
    usage: 'difference FROM [TO] [ACTOR]',
    description:
      'what differs in the state of this actor, or of those of such a name, between two positions; without TO, here',
    needsStatements: true,
  },
  {
    usage: 'changes EXPRESSION',
    description: 'every task in which it became another one: of this, the actor, and of variables of the file',
    needsStatements: true,
  },
  {
    usage: 'print EXPRESSION',
    letter: 'p',
    description: 'what it comes to, with the variables here',
    needsStatements: true,
  },
  {
    usage: 'variables [FRAME]',
    letter: 'v',
    description: 'those of the function that you are in, or of a frame of the stack',
    needsStatements: true,
  },
  {
    usage: 'expand NUMBER',
    letter: 'x',
    description: 'the parts of an object that was shown as #NUMBER',
    needsStatements: true,
  },
  { usage: 'frames', letter: 'f', description: 'the stack', needsStatements: true },
  {
    usage: 'break FILE:LINE[:COLUMN]|KIND [MATCHING] [times N] [if EXPRESSION]',
    description: 'a breakpoint at a line or of a kind, for the move breakpoint; without more, those that there are',
    needsStatements: true,
  },
  {
    usage: 'log FILE:LINE[:COLUMN] EXPRESSION',
    description: 'what it comes to each time that the recording comes by there, from here on',
    needsStatements: true,
  },
  { usage: 'unbreak NUMBER', description: 'takes one away', needsStatements: true },
  { usage: 'now', description: 'of a program that goes on (--pid): to the end of what it has recorded by now' },
  { usage: 'help [COMMAND|MOVE]', letter: 'h', description: 'this, or more of one' },
  { usage: 'quit', letter: 'q', description: 'ends' },
];
export const REPL_COMMANDS = COMMAND_TABLE.map((command) => ({ ...command, name: command.usage.replace(/ .*/, '') }));

/** Names that other debuggers use for commands and moves. */
export const ALIASES: Readonly<Record<string, string>> = {
  step: 'into',
  s: 'into',
  finish: 'out',
  continue: 'next breakpoint',
  c: 'next breakpoint',
  reverse: 'back',
  rc: 'back breakpoint',
  locals: 'variables',
  bt: 'frames',
  backtrace: 'frames',
  stack: 'frames',
  goto: 'position',
  delete: 'unbreak',
  exit: 'quit',
};

export function overviewText({ recording, taskCount, threads, startTime, endTime, phases }: ResultOf<'hello'>): string {
  const { name, from, verdict, until } = recording;
  const soFar = until === undefined ? '' : `, as recorded until ${timeText(until)}`;
  const startText = from === undefined ? '' : `, from snapshot ${from} on`;
  const verdictText =
    verdict === 'same'
      ? ''
      : verdict === 'truncated'
        ? '; it goes no further'
        : '; it differs there when it is run again';
  const seconds = ((endTime - startTime) / 1000).toFixed(3);
  return `${sanitizeText(name)}${startText}${soFar}: ${formatCount(taskCount, 'task')} on ${formatCount(threads.length, 'thread')}, ${formatCount(phases.length, 'phase')}, ${seconds} s${verdictText}\n`;
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19)}Z`;
}

export function helpText({
  moves,
  canStep,
  breakpointKinds,
}: Pick<ResultOf<'hello'>, 'moves' | 'canStep' | 'breakpointKinds'>): string {
  const lines = COMMAND_TABLE.filter(({ needsStatements = false }) => canStep || !needsStatements).map(
    ({ usage, letter, description }) => row(usage, letter === undefined ? description : `${description} (${letter})`),
  );
  for (const [group, groupMoves] of Map.groupBy(moves, (move) => move.group)) {
    lines.push('', `${group}:`);
    for (const move of groupMoves) lines.push(row(usageOf(move), move.title.replace('{next}', 'the next or previous')));
  }
  if (breakpointKinds.length > 0) lines.push('', 'Kinds of breakpoints:', ...breakpointKinds.map(kindRow));
  lines.push(
    '',
    'A move alone goes forward. A position (2.137, 2.137:45.2 or 137), a percentage (50%) or a time (+1.5) alone goes there. Words need no more letters than',
    'tell them from others; names with spaces stand in quotes. What other debuggers say is understood, too: step, finish, continue,',
    'reverse, locals, bt. Ctrl-C gives up what takes too long.',
  );
  return `${lines.join('\n')}\n`;
}

export function moveHelp(move: MoveInfo): string {
  const { parameters, title, directions } = move;
  const lines = [usageOf(move), `  to ${title.replace('{next}', 'the next')}`];
  if (directions.length > 0) lines.push(`  back ${usageOf(move)}: to ${title.replace('{next}', 'the previous')}`);
  for (const { name, title, defaultDescription } of parameters)
    lines.push(
      `  ${name.toUpperCase()}: ${title}${defaultDescription === undefined ? '' : `; otherwise ${defaultDescription}`}`,
    );
  return `${lines.join('\n')}\n`;
}

/** The arguments of `break`. */
export function breakHelp(breakpointKinds: ResultOf<'hello'>['breakpointKinds']): string {
  const lines = breakpointKinds.map((kind) => kindRow(kind));
  return lines.length === 0 ? '' : `KIND, and what MATCHING is compared with, * for anything:\n${lines.join('\n')}\n`;
}

function kindRow({ id, title, detail }: ResultOf<'hello'>['breakpointKinds'][number]): string {
  return row(
    `break ${id}${detail === undefined ? '' : ' [MATCHING]'}`,
    detail === undefined ? title : `${title} (${detail})`,
  );
}

function usageOf({ id, parameters }: MoveInfo): string {
  const usageArguments = parameters.map(({ name, defaultDescription }) => {
    const word = name.toUpperCase();
    return defaultDescription === undefined ? ` ${word}` : ` [${word}]`;
  });
  return `${id}${usageArguments.join('')}`;
}

function row(usage: string, description: string): string {
  return `  ${usage.padEnd(34)}  ${description}`;
}
