/** Names of the IPC channels between the shell and the pages and preload scripts of its windows. */
export const CHANNELS = {
  /** From a page: requests the path of its recording, and the recent recordings. */
  windowState: 'window:state',
  /** From a page: opens a recent recording. The reply is the reason of a failure. */
  open: 'window:open',
  /** From a page: shows a dialog to open a recording. The reply is the reason of a failure. */
  pick: 'window:pick',
  /** From a page: removes a path from the recent recordings. */
  removeRecent: 'window:remove-recent',
  /** From a page: returns to the start page. */
  showStartPage: 'window:show-start-page',
  /** From a page: lists the running programs that can be recorded. */
  services: 'services:list',
  /** From a page: sends a command to a running program. */
  requestService: 'services:request',
  /** From a page: opens the recording of a running program. The reply is the reason of a failure. */
  openService: 'services:open',
  /** From a preload script: the user has dropped a file on the window. */
  dropped: 'window:dropped',
  /** From a page: starts the debug server of its window. The reply is the reason of a failure. */
  startServer: 'server:start',
  /** From a page: a message to the debug server. */
  send: 'server:send',
  /** To a page: a message of the debug server. */
  text: 'server:text',
  /** To a page: the debug server has ended, with the reason. */
  closed: 'server:closed',
} as const;

/** Maximum length of a message to the debug server in UTF-16 code units, as in the protocol. */
export const MAX_TEXT_LENGTH: number = 1 << 20;
