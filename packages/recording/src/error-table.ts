// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const RECORDING_ERRORS = {
  TT_RECORDING: {
    area: 'recording',
    messages: [
      'FILE is damaged at byte N: expected CONTENT; restore an older snapshot, this one cannot be read',
      'FILE is damaged at byte N: expected CONTENT; copy it again from where it was packed',
      'FILE is damaged at byte N: expected CONTENT; the trace can be replayed up to here, and from any later snapshot',
      'FILE cannot be opened: REASON',
      'FILE is not a file; recordings consist of plain files',
      'FILE contains snapshot N; give the file its original name',
      'FILE contains phase N of worker N in epoch N; give the file its original name',
      'FILE is followed by phase N, but phases must ascend; copy the recording again',
      'DIR cannot be read: REASON',
    ],
    meaning: 'A file of a recording is damaged, cut off, renamed, or cannot be opened.',
    cause:
      'The disk or a copy lost bytes, the recorded process was killed during a write, or this user may not read the file.',
    remedy:
      'Restore or replay from an earlier snapshot, or copy the recording again. `turntable inspect DIR` lists what can be read.',
  },
  TT_RECORDING_VERSION: {
    area: 'recording',
    messages: [
      'recorded by VERSION (format N); this is VERSION (format N); replay it with that version',
      'FILE is not the manifest of a recording; name the directory of a recording',
      'FILE is not a snapshot, because it does not start with MAGIC; name a snapshot file',
      'FILE has snapshot format N, this Turntable reads format N; restore it with the version that wrote it',
      'FILE has trace format N, this Turntable reads format N; replay it with the version that wrote it',
      'FILE is packed in format N, this Turntable reads format N; unpack it with the version that packed it',
      'FILE is not a packed recording: it does not start with MAGIC; name a file that turntable pack wrote',
      'FILE is sealed in a format that this Turntable does not read; read it with the version that wrote it',
    ],
    meaning: 'A file has another format, or a format version that this Turntable does not read.',
    cause: 'Another version of Turntable wrote the file, or the file is not part of a recording.',
    remedy: 'Use the version of Turntable that the message names, or name another file.',
  },
  TT_RECORDING_TOO_LARGE: {
    area: 'recording',
    messages: [
      'FILE: the SUBJECT has N bytes, more than the N allowed; raise the limit if you trust its source',
      'FILE has N bytes, more than the limit of N; it is not part of a recording',
      'FILE holds N bytes, but DIR has only N free; free some space, or unpack it elsewhere',
    ],
    meaning: 'Reading or unpacking would take more memory or disk space than allowed or available.',
    cause: 'The recording is larger than a limit of the reader or than the free space, or the file is damaged.',
    remedy: 'Free some space, or raise the limit of the reader for files whose source you trust.',
  },
  TT_RECORDING_KEY: {
    area: 'recording',
    messages: [
      'FILE is sealed; name the file with its key: --key FILE, or TURNTABLE_KEY=FILE in the environment',
      'FILE is sealed with another key; pass the key of the recording with --key or TURNTABLE_KEY',
      '--key or TURNTABLE_KEY names FILE, which is not a key; a key file has N bytes, also as hexadecimal digits or in base64',
      '--key or TURNTABLE_KEY names FILE, which cannot be read: REASON',
    ],
    meaning: 'A recording is sealed, and its key is missing or wrong.',
    cause:
      'The recording was made with --key or TURNTABLE_KEY, and this command has no key, another key, or an unreadable key file.',
    remedy: 'Pass the key file of the recording with `--key FILE` or TURNTABLE_KEY.',
  },
  TT_RECORDING_MISSING: {
    area: 'recording',
    messages: [
      'there is no recording in DIR; make one with turntable record FILE, or list recordings with turntable ls',
      'FILE: there is no such file; it was never written, or retention has deleted it',
      'FILE: retention has just deleted it; pack the recording again, or after the program has ended',
      'DIR: worker N has no trace of epoch N; it was not recorded, or retention has deleted it',
      'FILE: worker N has no part NAME; its parts are NAMES',
      'there is no trace of THREAD; available: --worker N',
      'it has no traces: none were recorded (use turntable record or the setting trace), or none could be written',
      'it has no snapshot N, nor any other',
    ],
    meaning: 'A recording, or a snapshot, trace or source of it, does not exist.',
    cause: 'It was not recorded, retention limits (--keep) have deleted it, or the path is wrong.',
    remedy: 'List recordings with `turntable ls DIR` and the contents of one with `turntable inspect DIR`.',
  },
  TT_RECORDING_WRITE: {
    area: 'recording',
    messages: [
      'recording to DIR fails: REASON; existing snapshots stay usable, and each trigger tries again; REMEDY',
      'recording to DIR has stopped: REASON; existing snapshots stay usable; REMEDY, then start the program again',
      'recording to DIR has stopped, because its writer thread failed: REASON; existing snapshots stay usable; start the program again',
      'a part of the recording was deleted: REASON; the next snapshot makes the recording again; do not delete a recording while it is being written',
      'the trace ends here, since it can no longer be recorded to DIR: REASON; it can be replayed up to here, and the next snapshot starts another trace; REMEDY',
      'the trace of worker N ends here: REASON; it can be replayed up to here, and the next snapshot starts another trace',
      'the end of a recording in DIR is missing: it could not be written within N ms of the end of the process; a replay ends at the last event on the disk; record to a faster disk',
      'FILE cannot be written: REASON',
    ],
    meaning: 'A recording or an exported file could not be written. The recorded program continues.',
    cause:
      'The disk is full or read-only, this user may not write there, or the recording was deleted while it was written.',
    remedy: 'Follow the end of the message: free space, grant write permission, or record to another directory.',
  },
  TT_SERVICE: {
    area: 'recording',
    messages: [
      'no process PID of this user is being recorded; turntable services lists recorded processes',
      'process PID has recorded nothing to replay yet: REMEDY',
      'the program does not answer: REASON',
      'the program has ended before it answered',
      'the program has not answered in time; try again',
      'the response of the program is too long; use the same version of Turntable',
      'the response of the program is invalid; use the same version of Turntable',
      'this program takes no snapshots; start it with --snapshots end, or every=30s',
      'this program is recorded from start to end; to start and stop recording while it runs, start it with --later',
      'the program is already being recorded',
      'the program is not being recorded now',
    ],
    meaning: 'A running recorded program did not answer a command, or refused it.',
    cause: 'The program has ended, is busy, or was started without the option that the command needs.',
    remedy: 'List running programs and their commands with `turntable services`.',
  },
  TT_RECORDING_USE: {
    area: 'recording',
    messages: [
      'FILE already exists; name another file, or remove it',
      'DIR already exists; unpack the file elsewhere, or remove it',
      'PATTERN is not a regular expression: REASON',
      'WORKER has epochs N, N: select one with --worker N.N',
      'OPTION must be a number that is not negative, not VALUE',
      'snapshot N cannot follow snapshot N; phases of a recording must be ascending integers',
      'FILE has been closed; open it again',
    ],
    meaning: 'A function or command for recordings was used with invalid arguments, or in the wrong order.',
    cause: 'An argument is invalid or ambiguous, or the target exists already.',
    remedy: 'Correct the argument that the message names.',
  },
} as const;
