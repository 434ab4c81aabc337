/** IPC channels between the shell and its windows. */
export const CHANNELS = {
  /** From a window: requests its recording and the recent ones. */
  windowState: 'window:state',
  /** From a window: opens a recent recording. The reply is the reason of a failure. */
  open: 'window:open',
  /** From a window: shows a dialog to open a recording. The reply is the reason of a failure. */
  pick: 'window:pick',
  /** From a window: removes a path from the recent recordings. */
  removeRecent: 'window:remove-recent',
  /** From a window: returns to the start page. */
  showStartPage: 'window:show-start-page',
  /** From a window: lists the recorded running programs. */
  services: 'services:list',
  /** From a window: sends a command to one of them. */
  requestService: 'services:request',
  /** From a window: opens the recording of one of them. The reply is the reason of a failure. */
  openService: 'services:open',
  /** From a window's preload script: a file was dropped. */
  dropped: 'window:dropped',
  /** From a window: starts its debug server. The reply is the reason of a failure. */
  startServer: 'server:start',
  /** From a window: a message to its server. */
  send: 'server:send',
  /** To a window: a message of its server. */
  text: 'server:text',
  /** To a window: its server has ended, with the reason. */
  closed: 'server:closed',
} as const;

/** Characters of a message, as in the protocol. */
export const MAX_TEXT_LENGTH: number = 1 << 20;
