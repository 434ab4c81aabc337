// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const DAP_ERRORS = {
  TT_DAP_FRAME: {
    area: 'protocols',
    messages: [
      'a message must start with Content-Length, not with TEXT',
      'a message must start with Content-Length',
      'a message must start with a header of at most N bytes',
      'Content-Length must be a number of bytes, not TEXT',
      'a message must have at most N bytes, not N',
    ],
    meaning: 'The input of the debug adapter is not a DAP message. The connection ends.',
    cause: 'The client does not speak the Debug Adapter Protocol, or another program wrote to its connection.',
    remedy: 'Connect a DAP client, and send every message with a Content-Length header.',
  },
  TT_DAP_ARGUMENTS: {
    area: 'protocols',
    messages: [
      'REQUEST: arguments.NAME must be TYPE, not VALUE',
      'REQUEST: arguments.NAME is missing; it must be TYPE',
      'REQUEST: arguments.NAME must map names to strings or numbers',
      'the configuration must have either "recording" or "program"',
      'stopAt must be "start" or "end", not VALUE',
      'direction must be forward or backward, not VALUE',
      'there is no move NAME; available: NAMES',
      'there is no method NAME; available: NAMES',
    ],
    meaning: 'The arguments of a DAP request or the fields of a debug configuration are invalid.',
    cause: 'A field is missing, misspelt, or has another type.',
    remedy: 'Correct the field that the message names in launch.json or in the client.',
  },
  TT_DAP_REQUEST: {
    area: 'protocols',
    messages: [
      'REQUEST needs a recording; send REQUEST first',
      'send REQUEST first',
      'initialize was already sent; send it only once',
      'this session already has a recording; start another session for another recording',
      'the request NAME is not supported',
      'request N is still open; use another seq',
      'N requests are open, the maximum; wait for a response',
      'a request must have an integer seq and a string command',
    ],
    meaning: 'A DAP request is unknown, or not allowed at this stage of the session.',
    cause: 'The client sent requests out of order, or a request that this debug adapter does not support.',
    remedy: 'Send initialize, then launch or attach, then other requests.',
  },
  TT_DAP_NOT_THERE: {
    area: 'protocols',
    messages: [
      'there is no thread N; threads are numbered from 1 to N',
      'there is no frame N at the current position; request stackTrace again',
      'there is no variable N at the current position; request scopes and variables again',
      'there is no target N; use an id that gotoTargets returned',
      'the recording has no such file; loadedSources lists its files',
      'EXPRESSION has no value',
      'the position of this frame is unknown; select a frame of a function',
      'this frame executes no code at the current position; restart the frame to move to it',
      'the variables of this frame are unavailable; select another frame',
      'no exception breakpoint of this client was hit at the current position',
      'the time machine has no move NAME',
    ],
    meaning: 'The requested thread, frame, variable, file or move does not exist at the current position.',
    cause:
      'Ids of frames and variables are valid only until the next move, and a recording contains only files that the program loaded.',
    remedy: 'Request the ids again after each move.',
  },
  TT_DAP_CANCELLED: {
    area: 'protocols',
    messages: ['cancelled'],
    meaning: 'A DAP request was cancelled.',
    cause: 'The client sent the cancel request, or the session ended.',
    remedy: 'Repeat the request if you need its result.',
  },
  TT_DAP_TOKEN: {
    area: 'protocols',
    messages: [
      'the token is missing or wrong; set "token" in the configuration to the token that turntable dap --port printed',
    ],
    meaning: 'A client at a port of the debug adapter did not send the token of that port.',
    cause: 'The debug configuration has no "token", or the one of an earlier start.',
    remedy: 'Set "token" in the debug configuration to the token that `turntable dap --port` printed.',
  },
} as const;
