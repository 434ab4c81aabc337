/** Messages between the shell and its windows. */
export const CHANNELS = {
  /** Of a window: of which recording it is, and which were opened lately. */
  windowState: 'window:state',
  /** Of a window: one of these is to be opened. Answered with why not. */
  open: 'window:open',
  /** Of a window: somebody is to choose one. Answered likewise. */
  pick: 'window:pick',
  /** Of a window: that place is to be left out of the list. */
  removeRecent: 'window:remove-recent',
  /** Of a window: another recording is to be chosen in it. */
  showStartPage: 'window:show-start-page',
  /** Of a window: which programs are being recorded. */
  services: 'services:list',
  /** Of a window: one of them is wanted to do something. */
  requestService: 'services:request',
  /** Of a window: what one has recorded so far is to be opened. Answered with why not. */
  openService: 'services:open',
  /** Of the shell's own part of a window: somebody has dropped this there. */
  dropped: 'window:dropped',
  /** Of a window: an engine is wanted. Answered with why there is none. */
  startServer: 'server:start',
  /** Of a window: a text for its engine. */
  send: 'server:send',
  /** To a window: a text of its engine. */
  text: 'server:text',
  /** To a window: its engine has ended, and why. */
  closed: 'server:closed',
} as const;

/** Characters of a text of a window, as the protocol has it. */
export const MAX_TEXT_LENGTH: number = 1 << 20;
