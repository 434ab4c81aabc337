// Help for the terminal's commands and for the server's moves.
import type { ResultOf, MoveInfo } from '@turntable/time-machine/protocol';
import { formatCount } from '@turntable/replayer/entry';
import { sanitizeText } from '@turntable/replayer/replay';

interface ReplCommand {
  /** Name of the command, followed by its arguments. */
  readonly usage: string;
  readonly letter?: string;
  readonly description: string;
  /** Whether the command requires a recording that is replayed statement by statement. */
  readonly needsStatements?: boolean;
}

const COMMAND_TABLE: readonly ReplCommand[] = [
  {
    usage: 'next [MOVE [ARGUMENT…]]',
    letter: 'n',
    description: 'move forward; without MOVE, by the first move below',
  },
  { usage: 'back [MOVE [ARGUMENT…]]', letter: 'b', description: 'move backward' },
  {
    usage: 'peek [next|back] MOVE [ARGUMENT…]',
    letter: 'k',
    description: 'show the destination of a move without moving',
  },
  { usage: 'where', letter: 'w', description: 'show the current position' },
  {
    usage: 'list [FROM [COUNT]]',
    letter: 'l',
    description: 'list tasks from here or FROM; again: the next ones',
  },
  { usage: 'received', letter: 'r', description: 'list the tasks that handle messages sent here' },
  {
    usage: 'marks KIND [MATCHING]',
    letter: 'm',
    description: 'list events: request, response, error, exception, rejection, device, stdout …',
  },
  {
    usage: 'find TEXT',
    description: 'search names of actors and methods, errors, requests, host calls and output',
  },
  {
    usage: 'requests [slowest] [open] [STATUS] [TEXT]',
    description: 'list requests with response and duration: slowest first, unanswered, of at least STATUS, with TEXT',
  },
  { usage: 'actors [NAME]', letter: 'a', description: 'list actors; NAME may contain *' },
  { usage: 'history [COUNT]', description: 'show the chain of senders that led here' },
  {
    usage: 'population',
    description: 'list live actors with their waiting messages',
    needsStatements: true,
  },
  { usage: 'mailbox ACTOR', description: 'list the waiting messages of an actor', needsStatements: true },
  {
    usage: 'promises [#NUMBER|ACTOR]',
    description: 'list pending promises with their waiters, or the chain of one',
    needsStatements: true,
  },
  {
    usage: 'difference FROM [TO] [ACTOR]',
    description: 'compare the state of an actor at two positions; TO defaults to here',
    needsStatements: true,
  },
  {
    usage: 'changes EXPRESSION',
    description: 'list every change of EXPRESSION: of this, or of a variable of the file',
    needsStatements: true,
  },
  {
    usage: 'print EXPRESSION',
    letter: 'p',
    description: 'evaluate EXPRESSION in this frame',
    needsStatements: true,
  },
  {
    usage: 'variables [FRAME]',
    letter: 'v',
    description: 'list the variables of this frame or of FRAME',
    needsStatements: true,
  },
  {
    usage: 'expand NUMBER',
    letter: 'x',
    description: 'list the parts of an object shown as #NUMBER',
    needsStatements: true,
  },
  { usage: 'frames', letter: 'f', description: 'show the stack', needsStatements: true },
  {
    usage: 'break FILE:LINE[:COLUMN]|KIND [MATCHING] [times N] [if EXPRESSION]',
    description: 'set a breakpoint on a line or event kind; without arguments, list breakpoints',
    needsStatements: true,
  },
  {
    usage: 'log FILE:LINE[:COLUMN] EXPRESSION',
    description: 'log the value of EXPRESSION at each execution of a line, from here on',
    needsStatements: true,
  },
  { usage: 'unbreak NUMBER', description: 'remove a breakpoint', needsStatements: true },
  { usage: 'now', description: 'read the latest events of a running program (--pid) and move to their end' },
  { usage: 'help [COMMAND|MOVE]', letter: 'h', description: 'show this list, or help on one command or move' },
  { usage: 'quit', letter: 'q', description: 'quit' },
];
export const REPL_COMMANDS = COMMAND_TABLE.map((command) => ({ ...command, name: command.usage.replace(/ .*/, '') }));

/** Commands and moves by the names that other debuggers give them. */
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
    verdict === 'same' ? '' : verdict === 'truncated' ? '; the recording ends there' : '; the replay diverges there';
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
    'A move alone moves forward. A position (2.137, 2.137:45.2 or 137), a percentage (50%) or a',
    'time (+1.5) alone moves there. Words can be abbreviated; quote names with spaces. Commands of',
    'other debuggers work, too: step, finish, continue, reverse, locals, bt. Ctrl-C cancels.',
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

/** Help for the arguments of `break`; empty without breakpoint kinds. */
export function breakHelp(breakpointKinds: ResultOf<'hello'>['breakpointKinds']): string {
  const lines = breakpointKinds.map((kind) => kindRow(kind));
  return lines.length === 0
    ? ''
    : `KIND, and the text that MATCHING filters; * matches anything:\n${lines.join('\n')}\n`;
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
