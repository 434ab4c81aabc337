// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const DEVTOOLS_ERRORS = {
  TT_CDP_JSON: {
    area: 'protocols',
    messages: ['JSON: syntax error', 'a message may be nested at most N levels deep'],
    meaning: 'A message of a DevTools client is not JSON, or its objects and lists are nested too deep.',
    cause: 'The client sent another protocol, or a truncated message.',
    remedy: 'Send each command as one JSON text, nested as /json/protocol describes.',
  },
  TT_CDP_REQUEST: {
    area: 'protocols',
    messages: ['Message PROBLEM'],
    meaning: 'A message of a DevTools client is not a command.',
    cause: 'The message lacks an integer `id` or a string `method`.',
    remedy: 'Send an object with `id`, `method` and optional `params`.',
  },
  TT_CDP_METHOD: {
    area: 'protocols',
    messages: ["'METHOD' wasn't found"],
    meaning: 'A DevTools client sent a command that this server does not support.',
    cause: 'The command belongs to a domain for browsers, or the name is misspelt.',
    remedy: 'Use the commands that /json/protocol of the server describes.',
  },
  TT_CDP_PARAMS: {
    area: 'protocols',
    messages: [
      'Invalid parameters',
      'parameters must be JSON or an expression, not TEXT: REASON',
      'there is no breakpoint kind NAME; available: NAMES',
      'there is no command NAME; available: NAMES',
      'there is no method NAME; available: NAMES',
      'there is no move NAME; available: NAMES',
    ],
    meaning: 'The parameters of a DevTools command do not match its schema.',
    cause: 'A parameter is missing, misspelt, or has another type. The `data` of the error names it.',
    remedy: 'Correct the parameter that the message or its `data` names.',
  },
  TT_CDP_SESSION: {
    area: 'protocols',
    messages: ['Session with given id not found.'],
    meaning: 'A DevTools command names a session, but this server has no sessions.',
    cause: 'The client sent `sessionId`, which only browsers with several targets support.',
    remedy: 'Send the command without `sessionId`.',
  },
  TT_CDP_NOT_THERE: {
    area: 'protocols',
    messages: [
      'Could not find object with given id',
      'Could not find call frame with given id',
      'No call frame is at position POSITION',
      'Stack trace with given id is not found',
      'Breakpoint at specified location already exists.',
      'Could not resolve breakpoint',
      'Either url or urlRegex or scriptHash must be specified.',
      'No script for id: ID',
      'Debugger agent is not enabled',
      'Execution was terminated',
      'Pattern parser error: REASON',
      'The position of this frame is unknown',
      "Object couldn't be returned by value",
      'Objects of several call frames cannot be passed to one function',
      'Functions can be called only on objects that an expression in a current call frame evaluates to',
      'The function and its arguments must have at most N characters',
      'A recording has no CPU profile: REASON',
    ],
    meaning: 'The requested object, frame, script or position does not exist, or a DevTools command failed.',
    cause:
      'Ids of objects and frames are valid only until the next move. The messages are the same as in V8 where V8 has such an error.',
    remedy: 'Request the ids again after each move.',
  },
} as const;
