/** Messages between the shell and its windows. */
export const CHANNELS = {
  /** Of a window: of which recording it is, and which were opened lately. */
  begin: 'window:begin',
  /** Of a window: one of these is to be opened. Answered with why not. */
  open: 'window:open',
  /** Of a window: somebody is to choose one. Answered likewise. */
  choose: 'window:choose',
  /** Of a window: that place is to be left out of the list. */
  forget: 'window:forget',
  /** Of a window: another recording is to be chosen in it. */
  startAgain: 'window:start-again',
  /** Of a window: which programs are being recorded. */
  services: 'services:list',
  /** Of a window: one of them is wanted to do something. */
  askService: 'services:ask',
  /** Of a window: what one has recorded so far is to be opened. Answered with why not. */
  lookAt: 'services:look',
  /** Of the shell's own part of a window: somebody has dropped this there. */
  dropped: 'window:dropped',
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
