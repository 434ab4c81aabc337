// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const REPLAYER_ERRORS = {
  TT_NO_RUN_INDEX: {
    area: 'replaying',
    messages: [
      'it cannot be replayed here: REASONS',
      'the replay process ended (DESCRIPTION) without a result',
      'the replay cannot start: REASON',
      'snapshot N cannot be restored here: REASON',
    ],
    meaning: 'A recording cannot be replayed here, so its tasks cannot be listed or debugged.',
    cause:
      'Traces, packages or the working directory are missing, versions or platform differ, or the replay process ended.',
    remedy:
      'Follow the reasons in the message. `--force` replays in spite of differing versions, packages and platforms.',
  },
  TT_SANDBOX: {
    area: 'replaying',
    messages: [
      'a replay cannot be restricted here: REASON; install bubblewrap, use Node 24.12 or later, or run the code of the recording unrestricted with --trusted',
      'a replay is only restricted here: REASON; install bubblewrap or util-linux and allow user namespaces, or leave out --require-isolation',
    ],
    meaning: 'A process that would run the code of a recording cannot be restricted as demanded.',
    cause: 'This machine has no namespaces for it, or this version of Node no permission model that allows evaluation.',
    remedy:
      'Install bubblewrap or util-linux (Linux), or use a later version of Node. `--trusted` runs the code of a recording unrestricted: use it only for recordings of your own programs.',
  },
  TT_UNHANDLED: {
    area: 'actors',
    messages: ['ACTOR: a failure that no caller receives: ERROR'],
    meaning: 'An actor failed in a message that no caller waits for.',
    cause: 'The message was sent without waiting for its result, or the constructor failed before any message arrived.',
    remedy: 'Catch the error in the actor, or await the call where it is sent.',
  },
  TT_NOT_RESTORED: {
    area: 'actors',
    messages: [
      'ACTOR was restarted without the previous state: REASON',
      'ACTORS were restarted without the previous state: REASON',
    ],
    meaning: "Actors supervised by 'restore' were restarted with new state.",
    cause: 'No snapshot contains the state of their lost worker, or it could not be read.',
    remedy: 'Record the program with `--snapshots`, so that a recent state exists.',
  },
  TT_SNAPSHOTS_PASSED_OVER: {
    area: 'debugging',
    messages: ['skipping snapshots, replaying from the start: REASON'],
    meaning: 'A debug session does not use the snapshots of the recording, so distant moves take longer.',
    cause: 'A replay process could not be started from a snapshot.',
    remedy: 'Follow the reason in the message, or ignore the warning: positions and values are the same.',
  },
  TT_RESTORED_ELSEWHERE: {
    area: 'recording',
    messages: ['DIFFERENCES: formatting and sorting may differ'],
    meaning: 'A program was restored with another locale, time zone, platform or version of ICU.',
    cause: 'The program was captured on another machine or with other environment variables.',
    remedy: 'Restore the program with the same environment, or ignore the warning.',
  },
  TT_NOT_DURABLE: {
    area: 'recording',
    messages: [
      'responses are sent although the events that they depend on are not on the disk after N s; record to a faster disk',
    ],
    meaning: 'HTTP responses were sent before the events that they depend on were written.',
    cause: 'The disk of the recording did not answer.',
    remedy: 'Record to a faster disk, or use a lower level of `durability`.',
  },
  TT_LONG_PAUSE: {
    area: 'recording',
    messages: [
      'a snapshot paused the program for N ms to write SIZE of state; snapshots at an interval become rarer, so that they take at most 1 % of the time; for shorter pauses, divide the state among several actors; for fewer, use a longer interval (--snapshots every=5m)',
    ],
    meaning: 'A snapshot paused the program for more than 50 ms. The warning is printed once.',
    cause: 'The state of one actor, or of a program without actors, is written at once.',
    remedy: 'Divide the state among several actors, or take fewer snapshots.',
  },
  TT_ROLLBACK: {
    area: 'actors',
    messages: ['REASON; rolling back to snapshot N of DIR'],
    meaning: 'A worker was lost, and the whole program is restored from the last snapshot.',
    cause: "An actor with supervise: 'rollback' was on the worker that ended.",
    remedy: 'Correct the failure of the worker that the message names.',
  },
  TT_NO_ROLLBACK: {
    area: 'actors',
    messages: [
      "REASON; the program cannot be rolled back to the last snapshot: REASON; actors supervised by 'rollback' are restarted instead",
    ],
    meaning: 'A worker was lost, and the program could not be restored from its last snapshot.',
    cause: 'The program is not recorded, has no complete snapshot, or was rolled back too often.',
    remedy: 'Record the program with `--snapshots every=30s`.',
  },
} as const;
