// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const TIME_MACHINE_ERRORS = {
  TT_REPLAY_LOST: {
    area: 'debugging',
    messages: ['the replay process ended: DESCRIPTION', 'the replay process was ended', 'the replay was closed'],
    meaning: 'The process that replays the recording has ended, so a request has no answer.',
    cause: 'The replay process crashed, ran out of memory, or was killed, or the session was closed.',
    remedy: 'Repeat the move, which starts another replay process. Run `turntable replay DIR` if it ends again.',
  },
  TT_REPLAY_NOT_STARTED: {
    area: 'debugging',
    messages: ['cannot start a replay process: DESCRIPTION'],
    meaning: 'A replay process could not be started.',
    cause: 'The start snapshot cannot be restored here, or the recorded program or its directory is missing.',
    remedy: 'Follow the description in the message.',
  },
  TT_TASK_TOO_LONG: {
    area: 'debugging',
    messages: [
      'only the first N statements of this task can be stepped through; use continue, or goto with an earlier position',
    ],
    meaning: 'The task has more statements than a step can list, and the step would lead beyond them.',
    cause: 'A task, such as a long computation without an await, has tens of millions of statements.',
    remedy: 'Set a breakpoint near the statement, and use continue. Variables can be seen at every statement.',
  },
  TT_NO_POSITION: {
    area: 'debugging',
    messages: [
      'there is no position N:N.N: tasks are numbered from 1 to N, and N is the end',
      'there are no tasks from N to N; tasks are numbered from 1 to N',
      'no call has started at this position; step to a statement of the task first',
      'frame N needs its last statement: call localsAt',
      '#N is not a pending promise here',
      'there is no worker N',
      'the variables of frame N cannot be seen',
    ],
    meaning: 'A position, frame, variable or promise does not exist at this point of the recording.',
    cause: 'The number is out of range, or it belongs to another position.',
    remedy: 'Use a number that is shown at the current position.',
  },
  TT_ABORTED: {
    area: 'debugging',
    messages: ['the request was aborted', 'the search was aborted', 'the search for the last write was aborted'],
    meaning: 'A request to the replay was aborted by its caller.',
    cause: 'The user cancelled the move or search, or started another one.',
    remedy: 'Repeat the request if you need its result.',
  },
} as const;
