// What the terminal says of itself, and of the moves that the server has.
import type { ResultOf, ToldMove } from '@turntable/time-machine/protocol';
import { counted } from '@turntable/replayer/entry';
import { shown } from '@turntable/replayer/replay';

interface OwnCommand {
  /** Its name, then its arguments. */
  readonly usage: string;
  readonly letter?: string;
  readonly about: string;
  /** Only of recordings that are replayed statement by statement. */
  readonly isInside?: boolean;
}

const COMMANDS: readonly OwnCommand[] = [
  {
    usage: 'next [MOVE [ARGUMENT…]]',
    letter: 'n',
    about: 'forward to the nearest such place; without a move, by the first of those below',
  },
  { usage: 'back [MOVE [ARGUMENT…]]', letter: 'b', about: 'the same backward' },
  { usage: 'peek [next|back] MOVE [ARGUMENT…]', letter: 'k', about: 'shows where a move would lead, and goes nowhere' },
  { usage: 'where', letter: 'w', about: 'shows where you are' },
  {
    usage: 'list [FROM [COUNT]]',
    letter: 'l',
    about: 'stretches from here on, or from a place on; again: those that follow',
  },
  { usage: 'received', letter: 'r', about: 'what has come of the messages that were sent here' },
  {
    usage: 'marks KIND [MATCHING]',
    letter: 'm',
    about: 'what stands at stretches from here on: request, response, error, exception, rejection, device, stdout …',
  },
  {
    usage: 'find TEXT',
    about:
      'where it stands from here on: in names of actors and methods, errors, requests, calls of the outside, what was printed',
  },
  {
    usage: 'requests [slowest] [open] [STATUS] [TEXT]',
    about:
      'requests to services, what they were answered and how long that took; the slowest first, those that are open, those answered with such a status or a higher one, those with such a text',
  },
  { usage: 'actors [NAME]', letter: 'a', about: 'actors, those of such a name, * for anything in it' },
  { usage: 'history [COUNT]', about: 'what led here: who has sent this, who has sent that, and so on back' },
  { usage: 'population', about: 'the actors that live here, and how many messages wait for each', isInside: true },
  { usage: 'mailbox ACTOR', about: 'the messages that wait for one of them', isInside: true },
  {
    usage: 'promises [#NUMBER|ACTOR]',
    about: 'the promises that somebody waits for here, and who does; or one of them, and what it waits for',
    isInside: true,
  },
  {
    usage: 'difference FROM [TO] [ACTOR]',
    about:
      'what differs in the state of this actor, or of those of such a name, between two positions; without TO, here',
    isInside: true,
  },
  {
    usage: 'changes EXPRESSION',
    about: 'every stretch in which it became another one: of this, the actor, and of variables of the file',
    isInside: true,
  },
  { usage: 'print EXPRESSION', letter: 'p', about: 'what it comes to, with the variables here', isInside: true },
  {
    usage: 'variables [FRAME]',
    letter: 'v',
    about: 'those of the function that you are in, or of a frame of the stack',
    isInside: true,
  },
  { usage: 'expand NUMBER', letter: 'x', about: 'the parts of an object that was shown as #NUMBER', isInside: true },
  { usage: 'frames', letter: 'f', about: 'the stack', isInside: true },
  {
    usage: 'break FILE:LINE[:COLUMN]|KIND [MATCHING] [times N] [if EXPRESSION]',
    about: 'a breakpoint at a line or of a kind, for the move breakpoint; without more, those that there are',
    isInside: true,
  },
  {
    usage: 'log FILE:LINE[:COLUMN] EXPRESSION',
    about: 'what it comes to each time that the recording comes by there, from here on',
    isInside: true,
  },
  { usage: 'unbreak NUMBER', about: 'takes one away', isInside: true },
  { usage: 'now', about: 'of a program that goes on (--pid): to the end of what it has recorded by now' },
  { usage: 'help [COMMAND|MOVE]', letter: 'h', about: 'this, or more of one' },
  { usage: 'quit', letter: 'q', about: 'ends' },
];
export const OWN_COMMANDS = COMMANDS.map((command) => ({ ...command, name: command.usage.replace(/ .*/, '') }));

/** What other debuggers call these, and some moves. */
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

export function overview({ recording, stretches, threads, begins, ends, phases }: ResultOf<'hello'>): string {
  const { name, from, verdict, until } = recording;
  const soFar = until === undefined ? '' : `, as recorded until ${timeText(until)}`;
  const begin = from === undefined ? '' : `, from snapshot ${from} on`;
  const whole =
    verdict === 'same'
      ? ''
      : verdict === 'truncated'
        ? '; it goes no further'
        : '; it differs there when it is run again';
  const seconds = ((ends - begins) / 1000).toFixed(3);
  return `${shown(name)}${begin}${soFar}: ${counted(stretches, 'stretch')} on ${counted(threads.length, 'thread')}, ${counted(phases.length, 'phase')}, ${seconds} s${whole}\n`;
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19)}Z`;
}

export function helpText({
  moves,
  statements,
  breakpoints,
}: Pick<ResultOf<'hello'>, 'moves' | 'statements' | 'breakpoints'>): string {
  const lines = COMMANDS.filter(({ isInside = false }) => statements || !isInside).map(({ usage, letter, about }) =>
    row(usage, letter === undefined ? about : `${about} (${letter})`),
  );
  for (const [group, those] of Map.groupBy(moves, (move) => move.group)) {
    lines.push('', `${group}:`);
    for (const move of those) lines.push(row(usageOf(move), move.title.replace('{next}', 'the next or previous')));
  }
  if (breakpoints.length > 0) lines.push('', 'Kinds of breakpoints:', ...breakpoints.map(kindRow));
  lines.push(
    '',
    'A move alone goes forward. A position (2.137, 2.137:45.2 or 137), a percentage (50%) or a time (+1.5) alone goes there. Words need no more letters than',
    'tell them from others; names with spaces stand in quotes. What other debuggers say is understood, too: step, finish, continue,',
    'reverse, locals, bt. Ctrl-C gives up what takes too long.',
  );
  return `${lines.join('\n')}\n`;
}

export function moveHelp(move: ToldMove): string {
  const { parameters, title, directions } = move;
  const lines = [usageOf(move), `  to ${title.replace('{next}', 'the next')}`];
  if (directions.length > 0) lines.push(`  back ${usageOf(move)}: to ${title.replace('{next}', 'the previous')}`);
  for (const { name, title, otherwise } of parameters)
    lines.push(`  ${name.toUpperCase()}: ${title}${otherwise === undefined ? '' : `; otherwise ${otherwise}`}`);
  return `${lines.join('\n')}\n`;
}

/** Of the command: what else it takes. */
export function breakHelp(breakpoints: ResultOf<'hello'>['breakpoints']): string {
  const lines = breakpoints.map((kind) => kindRow(kind));
  return lines.length === 0 ? '' : `KIND, and what MATCHING is compared with, * for anything:\n${lines.join('\n')}\n`;
}

function kindRow({ id, title, tells }: ResultOf<'hello'>['breakpoints'][number]): string {
  return row(
    `break ${id}${tells === undefined ? '' : ' [MATCHING]'}`,
    tells === undefined ? title : `${title} (${tells})`,
  );
}

function usageOf({ id, parameters }: ToldMove): string {
  const given = parameters.map(({ name, otherwise }) => {
    const word = name.toUpperCase();
    return otherwise === undefined ? ` ${word}` : ` [${word}]`;
  });
  return `${id}${given.join('')}`;
}

function row(usage: string, about: string): string {
  return `  ${usage.padEnd(34)}  ${about}`;
}
