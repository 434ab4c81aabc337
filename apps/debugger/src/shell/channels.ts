/** Messages between the shell and its windows. */
export const CHANNELS = {
  /** Of a window: an engine is wanted. Answered with why there is none. */
  start: 'engine:start',
  /** Of a window: a text for its engine. */
  send: 'engine:send',
  /** To a window: a text of its engine. */
  text: 'engine:text',
  /** To a window: its engine has ended, and why. */
  closed: 'engine:closed',
} as const;

/** Characters of a text of a window, as the protocol has it. */
export const LONGEST: number = 1 << 20;
