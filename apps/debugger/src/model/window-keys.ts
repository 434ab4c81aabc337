// Keys of the window's own actions, as in `KeyboardEvent.key`. Keys of moves are in the table of the debugger's commands;
// no key may be in both.
export const WINDOW_KEYS = {
  previousPosition: '[',
  nextPosition: ']',
  bookmark: 'B',
  writeHistory: 'y',
  send: 'M',
  state: '1',
  messageGraph: '2',
  requests: '3',
  promises: '4',
  output: '5',
  snapshots: '6',
  search: '/',
  expression: 'p',
  timeline: '0',
} as const;
