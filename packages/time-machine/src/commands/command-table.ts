// All commands of the debugger, by subject. Help, completion, documentation, key bindings and the palette of the window
// are made from this table. Names and letters are those of gdb and rr where these have the command.
import type { Direction } from '../moves/move.ts';

export const COMMAND_SUBJECTS = {
  run: 'run forward',
  reverse: 'run backward',
  travel: 'go to an event, a message or a position',
  breakpoints: 'stop at places, events and changes',
  stack: 'look at the stack and at source code',
  data: 'look at values and at who wrote them',
  recording: 'list what is in the recording',
  debugger: 'use the debugger',
} as const;
export type CommandSubject = keyof typeof COMMAND_SUBJECTS;

export interface DebuggerCommand {
  readonly name: string;
  /** Short name, as in gdb or rr. */
  readonly letter?: string;
  /** Other names that users of gdb and rr know. */
  readonly aliases?: readonly string[];
  readonly subject: CommandSubject;
  /** Arguments as help shows them. */
  readonly arguments?: string;
  /** What the command does, in the imperative. */
  readonly summary: string;
  readonly example: string;
  /** More lines of help. */
  readonly details?: readonly string[];
  /** The move that the command makes. */
  readonly move?: {
    readonly id: string;
    readonly direction?: Direction;
    readonly arguments?: Readonly<Record<string, string>>;
  };
  /** The request of the Debug Adapter Protocol that does the same. */
  readonly dapRequest?: string;
  /** Key in the window, as in `KeyboardEvent.key`. */
  readonly key?: string;
  /** Whether the command needs a recording that can be replayed statement by statement. */
  readonly needsStatements?: boolean;
  /** Whether Enter repeats the command on a terminal. */
  readonly isRepeatable?: boolean;
}

const STATEMENT_MOVE = { needsStatements: true, isRepeatable: true } as const;
const LOCATION = 'LOCATION is LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method.';

const RUN: readonly DebuggerCommand[] = [
  {
    name: 'step',
    letter: 's',
    aliases: ['stepi', 'si'],
    subject: 'run',
    arguments: '[COUNT]',
    summary: 'go to the next statement, stepping into calls',
    example: 'step 3',
    move: { id: 'step', direction: 'forward' },
    dapRequest: 'stepIn',
    key: 's',
    ...STATEMENT_MOVE,
  },
  {
    name: 'next',
    letter: 'n',
    aliases: ['nexti', 'ni'],
    subject: 'run',
    arguments: '[COUNT]',
    summary: 'go to the next statement, stepping over calls',
    example: 'next',
    move: { id: 'next', direction: 'forward' },
    dapRequest: 'next',
    key: 'n',
    ...STATEMENT_MOVE,
  },
  {
    name: 'finish',
    letter: 'fin',
    subject: 'run',
    arguments: '[COUNT]',
    summary: 'run until this function returns',
    example: 'finish',
    move: { id: 'finish', direction: 'forward' },
    dapRequest: 'stepOut',
    key: 'o',
    ...STATEMENT_MOVE,
  },
  {
    name: 'until',
    letter: 'u',
    subject: 'run',
    arguments: '[LOCATION]',
    summary: 'run to a later line of this function, leaving loops',
    example: 'until 42',
    details: [LOCATION, 'Stops also where this function returns.'],
    move: { id: 'until' },
    key: 'u',
    ...STATEMENT_MOVE,
  },
  {
    name: 'advance',
    subject: 'run',
    arguments: 'LOCATION',
    summary: 'run to the next execution of a location, in any function',
    example: 'advance cart.ts:42',
    details: [LOCATION, 'Breakpoints stop it.'],
    move: { id: 'advance', direction: 'forward' },
    needsStatements: true,
  },
  {
    name: 'continue',
    letter: 'c',
    aliases: ['fg'],
    subject: 'run',
    arguments: '[COUNT]',
    summary: 'run to the next breakpoint, or to the end of the recording',
    example: 'continue 2',
    details: ['With COUNT, stops at that breakpoint hit from here.'],
    move: { id: 'continue', direction: 'forward' },
    dapRequest: 'continue',
    key: 'c',
    ...STATEMENT_MOVE,
  },
];

const REVERSE: readonly DebuggerCommand[] = [
  {
    name: 'reverse-step',
    letter: 'rs',
    aliases: ['reverse-stepi', 'rsi'],
    subject: 'reverse',
    arguments: '[COUNT]',
    summary: 'go back to the previous statement, stepping into calls',
    example: 'reverse-step',
    move: { id: 'step', direction: 'backward' },
    key: 'S',
    ...STATEMENT_MOVE,
  },
  {
    name: 'reverse-next',
    letter: 'rn',
    aliases: ['reverse-nexti', 'rni'],
    subject: 'reverse',
    arguments: '[COUNT]',
    summary: 'go back to the previous statement, stepping over calls',
    example: 'reverse-next 2',
    move: { id: 'next', direction: 'backward' },
    dapRequest: 'stepBack',
    key: 'N',
    ...STATEMENT_MOVE,
  },
  {
    name: 'reverse-finish',
    subject: 'reverse',
    arguments: '[COUNT]',
    summary: 'go back to the call of this function',
    example: 'reverse-finish',
    move: { id: 'finish', direction: 'backward' },
    key: 'O',
    ...STATEMENT_MOVE,
  },
  {
    name: 'reverse-continue',
    letter: 'rc',
    aliases: ['reverse'],
    subject: 'reverse',
    arguments: '[COUNT]',
    summary: 'run back to the previous breakpoint, or to the start',
    example: 'reverse-continue',
    move: { id: 'continue', direction: 'backward' },
    dapRequest: 'reverseContinue',
    key: 'C',
    ...STATEMENT_MOVE,
  },
];

const TRAVEL: readonly DebuggerCommand[] = [
  {
    name: 'forward',
    letter: 'fw',
    subject: 'travel',
    arguments: 'KIND [TEXT]',
    summary: 'go to the next event of a kind, whose text contains TEXT',
    example: 'forward request POST /orders',
    isRepeatable: true,
  },
  {
    name: 'back',
    letter: 'bk',
    subject: 'travel',
    arguments: 'KIND [TEXT]',
    summary: 'go to the previous event of a kind',
    example: 'back exception',
    isRepeatable: true,
  },
  {
    name: 'sender',
    subject: 'travel',
    summary: 'go to the task that sent the message of this task',
    example: 'sender',
    move: { id: 'sender' },
    key: 'm',
    isRepeatable: true,
  },
  {
    name: 'receiver',
    subject: 'travel',
    arguments: '[NUMBER]',
    summary: 'go to a task that handles a message of this task',
    example: 'receiver 2',
    move: { id: 'receiver' },
    key: 'v',
  },
  {
    name: 'reply',
    subject: 'travel',
    arguments: '[NUMBER]',
    summary: 'go to the turn that handles a reply of this task',
    example: 'reply',
    move: { id: 'reply' },
    key: 'z',
  },
  {
    name: 'resolver',
    subject: 'travel',
    summary: 'go to the task that settled the promise of this turn',
    example: 'resolver',
    move: { id: 'resolver' },
  },
  {
    name: 'spawner',
    subject: 'travel',
    summary: 'go to the task that spawned this actor',
    example: 'spawner',
    move: { id: 'spawner' },
  },
  {
    name: 'birth',
    subject: 'travel',
    summary: 'go to the turn that constructed this actor',
    example: 'birth',
    move: { id: 'birth' },
  },
  {
    name: 'goto',
    subject: 'travel',
    arguments: 'TARGET',
    summary: 'go to a position, percentage, time, start, end or turn',
    example: 'goto 50%',
    details: [
      'TARGET is a position (2.137, 2.137:45.2 or 137), a percentage (50%), seconds',
      'since the start (+1.5s), a time (2026-11-23T12:00:00Z), start, end, or a turn',
      'of a worker (WORKER:TURN).',
    ],
    move: { id: 'goto' },
    dapRequest: 'goto',
    key: 'g',
  },
  {
    name: 'run',
    aliases: ['start', 'starti'],
    subject: 'travel',
    summary: 'go to the start of the recording',
    example: 'run',
    move: { id: 'goto', arguments: { target: 'start' } },
    dapRequest: 'restart',
    key: 'Home',
  },
  {
    name: 'bookmark',
    aliases: ['checkpoint'],
    subject: 'travel',
    arguments: '[NOTE]',
    summary: 'set a bookmark here',
    example: 'bookmark before the transfer',
  },
  { name: 'bookmarks', subject: 'travel', summary: 'list bookmarks', example: 'bookmarks' },
  {
    name: 'restart',
    subject: 'travel',
    arguments: 'NUMBER',
    summary: 'go to a bookmark',
    example: 'restart 1',
  },
  {
    name: 'peek',
    subject: 'travel',
    arguments: 'COMMAND',
    summary: 'show where a command would lead, without moving',
    example: 'peek back exception',
  },
  {
    name: 'latest',
    subject: 'travel',
    summary: 'read the latest events of a running program (--pid)',
    example: 'latest',
  },
];

const BREAKPOINTS: readonly DebuggerCommand[] = [
  {
    name: 'break',
    letter: 'b',
    aliases: ['hbreak', 'catch'],
    subject: 'breakpoints',
    arguments: '[LOCATION|KIND [TEXT]] [if EXPR] [times N]',
    summary: 'set a breakpoint at a location or at a kind of event',
    example: 'break cart.ts:42 if total > 100',
    details: [
      LOCATION,
      'Without a location or kind, the breakpoint is at this statement.',
      'if: stop only where EXPR is true. times: stop only at the N-th hit.',
    ],
    dapRequest: 'setBreakpoints',
    needsStatements: true,
  },
  {
    name: 'tbreak',
    letter: 'tb',
    aliases: ['thbreak'],
    subject: 'breakpoints',
    arguments: '[LOCATION|KIND [TEXT]] [if EXPR] [times N]',
    summary: 'set a breakpoint that is deleted at its first stop',
    example: 'tbreak Cart.add',
    needsStatements: true,
  },
  {
    name: 'watch',
    subject: 'breakpoints',
    arguments: 'EXPR',
    summary: 'stop where the value of EXPR changes, in both directions',
    example: 'watch this.total',
    dapRequest: 'setDataBreakpoints',
    needsStatements: true,
  },
  {
    name: 'log',
    aliases: ['dprintf'],
    subject: 'breakpoints',
    arguments: 'LOCATION EXPR',
    summary: 'show the value of EXPR at each execution of a location',
    example: 'log cart.ts:42 total',
    details: ['Shows the executions from here on. Nothing is recorded again.'],
    needsStatements: true,
  },
  {
    name: 'delete',
    letter: 'd',
    aliases: ['clear'],
    subject: 'breakpoints',
    arguments: '[NUMBER…|bookmark NUMBER]',
    summary: 'delete breakpoints; without NUMBER, all',
    example: 'delete 2',
    needsStatements: true,
  },
  {
    name: 'enable',
    subject: 'breakpoints',
    arguments: '[NUMBER…]',
    summary: 'enable breakpoints; without NUMBER, all',
    example: 'enable 2',
    needsStatements: true,
  },
  {
    name: 'disable',
    subject: 'breakpoints',
    arguments: '[NUMBER…]',
    summary: 'disable breakpoints; without NUMBER, all',
    example: 'disable 2',
    needsStatements: true,
  },
  {
    name: 'condition',
    subject: 'breakpoints',
    arguments: 'NUMBER [EXPR]',
    summary: 'set the condition of a breakpoint; without EXPR, remove it',
    example: 'condition 2 total > 100',
    needsStatements: true,
  },
  {
    name: 'ignore',
    subject: 'breakpoints',
    arguments: 'NUMBER COUNT',
    summary: 'pass the next COUNT hits of a breakpoint',
    example: 'ignore 2 10',
    needsStatements: true,
  },
];

const STACK: readonly DebuggerCommand[] = [
  {
    name: 'bt',
    aliases: ['backtrace', 'where'],
    subject: 'stack',
    arguments: '[COUNT|full]',
    summary: 'show the stack; full: with all variables',
    example: 'bt',
    dapRequest: 'stackTrace',
    needsStatements: true,
  },
  {
    name: 'frame',
    letter: 'f',
    subject: 'stack',
    arguments: '[NUMBER]',
    summary: 'select a frame, and show it',
    example: 'frame 1',
    needsStatements: true,
  },
  {
    name: 'up',
    subject: 'stack',
    arguments: '[COUNT]',
    summary: 'select the caller of this frame',
    example: 'up',
    needsStatements: true,
    isRepeatable: true,
  },
  {
    name: 'down',
    subject: 'stack',
    arguments: '[COUNT]',
    summary: 'select the frame that this one called',
    example: 'down',
    needsStatements: true,
    isRepeatable: true,
  },
  {
    name: 'list',
    letter: 'l',
    subject: 'stack',
    arguments: '[LOCATION|FIRST,LAST|-]',
    summary: 'show source code; again: the next lines; -: those before',
    example: 'list Cart.add',
    dapRequest: 'source',
    isRepeatable: true,
  },
  {
    name: 'info',
    letter: 'i',
    subject: 'stack',
    arguments: 'SUBJECT',
    summary: 'show position, line, locals, args, threads, breakpoints, …',
    example: 'info breakpoints',
  },
];

const DATA: readonly DebuggerCommand[] = [
  {
    name: 'print',
    letter: 'p',
    aliases: ['inspect', 'call'],
    subject: 'data',
    arguments: 'EXPR',
    summary: 'evaluate EXPR in the selected frame',
    example: 'print items.length',
    details: ['Changes that EXPR makes are undone at the next move.'],
    dapRequest: 'evaluate',
    needsStatements: true,
  },
  {
    name: 'display',
    subject: 'data',
    arguments: '[EXPR]',
    summary: 'print EXPR at each stop',
    example: 'display total',
    needsStatements: true,
  },
  {
    name: 'undisplay',
    subject: 'data',
    arguments: '[NUMBER…]',
    summary: 'remove expressions of display; without NUMBER, all',
    example: 'undisplay 1',
    needsStatements: true,
  },
  {
    name: 'locals',
    subject: 'data',
    summary: 'list the variables of the selected frame',
    example: 'locals',
    dapRequest: 'variables',
    needsStatements: true,
  },
  {
    name: 'whatis',
    aliases: ['ptype'],
    subject: 'data',
    arguments: 'EXPR',
    summary: 'show the type of the value of EXPR',
    example: 'whatis cart',
    needsStatements: true,
  },
  {
    name: 'expand',
    subject: 'data',
    arguments: '#NUMBER',
    summary: 'list the parts of an object that is shown as #NUMBER',
    example: 'expand #3',
    needsStatements: true,
  },
  {
    name: 'last-write',
    subject: 'data',
    arguments: 'EXPR',
    summary: 'go to the statement that wrote the value of EXPR',
    example: 'last-write this.total',
    details: ['If EXPR is an argument: to the call. If a message brought it: to the send.'],
    move: { id: 'last-write' },
    needsStatements: true,
    isRepeatable: true,
  },
  {
    name: 'changes',
    subject: 'data',
    arguments: 'EXPR',
    summary: 'list every change of EXPR: of this, or a variable of the file',
    example: 'changes this.total',
    needsStatements: true,
  },
  {
    name: 'diff',
    subject: 'data',
    arguments: 'FROM [TO] [ACTOR]',
    summary: 'compare the state of an actor at two positions',
    example: 'diff 2.1 2.9 Cart#1',
    details: ['TO defaults to this position, ACTOR to the actor of this task.'],
    needsStatements: true,
  },
  {
    name: 'why',
    subject: 'data',
    arguments: '[COUNT]',
    summary: 'show what led here: the chain of senders and causes',
    example: 'why',
  },
];

const RECORDING: readonly DebuggerCommand[] = [
  {
    name: 'tasks',
    subject: 'recording',
    arguments: '[FROM [COUNT]]',
    summary: 'list tasks from here or FROM; again: the next ones',
    example: 'tasks 100 20',
    isRepeatable: true,
  },
  {
    name: 'events',
    subject: 'recording',
    arguments: '[KIND] [TEXT]',
    summary: 'list events',
    example: 'events exception',
  },
  {
    name: 'requests',
    subject: 'recording',
    arguments: '[slowest] [open] [STATUS] [TEXT]',
    summary: 'list requests with response and duration',
    example: 'requests slowest 500 /orders',
    details: ['slowest: slowest first. open: unanswered. STATUS: of at least this status.'],
  },
  {
    name: 'find',
    aliases: ['search', 'forward-search'],
    subject: 'recording',
    arguments: 'TEXT',
    summary: 'search names, errors, requests, host calls and output',
    example: 'find out of stock',
  },
  {
    name: 'actors',
    subject: 'recording',
    arguments: '[NAME]',
    summary: 'list actors; NAME may contain *',
    example: 'actors Cart*',
  },
  {
    name: 'mailbox',
    subject: 'recording',
    arguments: 'ACTOR',
    summary: 'list the waiting messages of an actor',
    example: 'mailbox Cart#1',
    needsStatements: true,
  },
  {
    name: 'promises',
    subject: 'recording',
    arguments: '[#NUMBER|ACTOR]',
    summary: 'list pending promises with their waiters, or the chain of one',
    example: 'promises',
    needsStatements: true,
  },
  {
    name: 'replies',
    subject: 'recording',
    summary: 'list the tasks that handle messages sent by this task',
    example: 'replies',
  },
];

const DEBUGGER: readonly DebuggerCommand[] = [
  {
    name: 'source',
    subject: 'debugger',
    arguments: 'FILE',
    summary: 'run the commands in a file',
    example: 'source commands.txt',
  },
  {
    name: 'help',
    letter: 'h',
    subject: 'debugger',
    arguments: '[COMMAND|SUBJECT|KIND]',
    summary: 'show the commands, or help on one',
    example: 'help break',
  },
  { name: 'quit', letter: 'q', aliases: ['exit'], subject: 'debugger', summary: 'quit', example: 'quit' },
];

export const COMMANDS: readonly DebuggerCommand[] = [
  ...RUN,
  ...REVERSE,
  ...TRAVEL,
  ...BREAKPOINTS,
  ...STACK,
  ...DATA,
  ...RECORDING,
  ...DEBUGGER,
];

/** A kind of event or task for `forward` and `back`, which is also the id of the move that they make. */
export interface NavigationKind {
  readonly kind: string;
  readonly summary: string;
  /** Meaning of TEXT; undefined if the kind takes none. */
  readonly text?: string;
  /** Key in the window. With Shift, it goes back. */
  readonly key?: string;
}

export const NAVIGATION_KINDS: readonly NavigationKind[] = [
  { kind: 'request', summary: 'request to a service', text: 'method and URL', key: 'r' },
  { kind: 'response', summary: 'response of a service', text: 'method, URL and status' },
  { kind: 'exception', summary: 'throw or rejection, caught or not', text: 'the error message', key: 'e' },
  { kind: 'caught', summary: 'throw that was caught, or that ended a turn', text: 'the error message' },
  { kind: 'uncaught', summary: 'uncaught error', text: 'the error message' },
  { kind: 'rejection', summary: 'throw that rejected a promise', text: 'the error message' },
  { kind: 'output', summary: 'output', text: 'the printed text', key: 'x' },
  { kind: 'device', summary: 'host call', text: 'the function, such as fs.*, clock.*, random.*' },
  { kind: 'task', summary: 'task of any worker', text: 'the title', key: 'j' },
  { kind: 'turn', summary: 'turn of any actor', text: 'Actor.method', key: 't' },
  { kind: 'callback', summary: 'host callback', text: 'the source, such as timer', key: 'k' },
  { kind: 'snapshot', summary: 'phase that starts with a snapshot' },
  { kind: 'actor', summary: 'task of this actor', text: 'the name of another actor', key: 'a' },
  { kind: 'worker', summary: 'task on this worker', text: 'the number of another worker', key: 'w' },
];

/** Names of earlier versions, with the commands that replace them. */
export const RETIRED_COMMANDS: Readonly<Record<string, string>> = {
  into: 'step',
  over: 'next',
  out: 'finish',
  breakpoint: 'continue',
  wrote: 'last-write',
  answer: 'reply',
  entry: 'forward callback',
  match: 'forward actor',
  error: 'forward uncaught',
  position: 'goto',
  percentage: 'goto',
  time: 'goto',
  nth: 'goto',
  marks: 'events',
  received: 'replies',
  history: 'why',
  population: 'info actors',
  difference: 'diff',
  variables: 'locals',
  frames: 'bt',
  unbreak: 'delete',
  now: 'latest',
};

/** Commands of gdb that have no counterpart, with the nearest command. */
export const OTHER_DEBUGGERS: Readonly<Record<string, string>> = {
  rwatch: 'a recording keeps writes, not reads; use: watch EXPR',
  awatch: 'a recording keeps writes, not reads; use: watch EXPR',
  commands: 'breakpoints run no commands; use: log LOCATION EXPR',
  thread: 'positions are in one thread at a time; use: forward worker NUMBER',
};
