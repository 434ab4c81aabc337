// Commands that have another name now, and commands of other debuggers without a counterpart.

/** Commands of gdb and rr that are a command with an argument here. */
export const EXPANDED_COMMANDS: ReadonlyMap<string, string> = new Map([['when', 'info position']]);

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
  'seek-ticks': 'positions are tasks and statements; use: goto POSITION',
  thread: 'positions are in one thread at a time; use: forward worker NUMBER',
};
