// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const RUNTIME_ERRORS = {
  TT_NOT_PASSABLE: {
    area: 'actors',
    messages: [
      'PATH in MESSAGE: the function NAME cannot leave its actor; pass data, or an object with a method, wrapped in far(…)',
      'PATH in MESSAGE: an instance of CLASS is not plain data; pass its data, make its class extend Actor, or pass a reference to it with far(…)',
      'PATH in MESSAGE: a Proxy cannot be copied; pass a copy of its properties ({ ...proxy })',
      'PATH in MESSAGE: it has properties with symbol keys; use string keys, or leave them out',
      'PATH in MESSAGE: its memory was transferred; pass it before the transfer, or pass a copy',
      'PATH in MESSAGE: two actors would have access to shared memory; pass a copy of its contents',
      'PATH in MESSAGE: SYMBOL is known only to its actor; use Symbol.for(…), or a string',
      'far(…) must be given an object, not VALUE',
    ],
    meaning: 'An argument or result of a message contains a value that cannot be passed to another actor.',
    cause:
      'The value is a function, an instance of a class, a Proxy, shared memory, or another object that is not plain data.',
    remedy: 'Pass plain data, or wrap an object with methods in far(…).',
  },
  TT_ACTOR_STOPPED: {
    area: 'actors',
    messages: [
      'ACTOR has been stopped; it takes no more messages',
      'ACTOR has ended: it was stopped, or no reference to it was left',
    ],
    meaning: 'A message was sent to an actor that has ended.',
    cause: 'The actor was stopped with stop(…), or no reference to it was left.',
    remedy: 'Send messages before you stop the actor, or spawn another one.',
  },
  TT_ACTOR_FAILED: {
    area: 'actors',
    messages: ['ACTOR could not be created: REASON', 'ACTOR could not be created on THREAD: REASON'],
    meaning: 'A message was sent to an actor whose constructor has failed.',
    cause: 'The constructor of the class threw an error, or the class could not be loaded on that worker.',
    remedy: 'Correct the failure that the message and the `cause` of the error name.',
  },
  TT_ACTOR_LOST: {
    area: 'actors',
    messages: [
      'ACTOR is lost: worker N has ended: REASON',
      'actor ID is lost: REASON',
      'worker N has ended: REASON; its actors are lost, except supervised ones, which are restarted or restored',
      'worker N has ended: REASON; its actors are lost, and it is not replaced because it was lost too often',
      'this object belonged to an earlier epoch of ACTOR: REASON',
      'ACTOR was restored, and calls that it awaited before that are not answered: REASON',
    ],
    meaning: 'The worker of an actor has ended, so its calls are never answered.',
    cause: 'Code on that worker called process.exit(), exhausted its memory, or crashed.',
    remedy: 'Correct the failure of the worker, and spawn important actors with the option `supervise`.',
  },
  TT_UNKNOWN_METHOD: {
    area: 'actors',
    messages: ['ACTOR has no method NAME; only methods of its class can be called'],
    meaning: 'A message names a method that the actor does not have.',
    cause: 'The name is misspelt, or it is not a method of the class, for example a property.',
    remedy: 'Call a method of the class of the actor.',
  },
  TT_NOT_A_REFERENCE: {
    area: 'actors',
    messages: [
      'METHOD() was sent to VALUE, which is not a far reference; await it and call it, or let the other actor return far(…)',
      'CALL(…) was given VALUE, which is not a far reference; await a promise first',
    ],
    meaning: 'A message was sent to a value that is not a reference to an actor or its objects.',
    cause:
      'A promise was fulfilled with plain data, or a function such as stop(…) got a value that is not a reference.',
    remedy: 'Await the value and call it directly, or let the other actor return far(…).',
  },
  TT_RELEASED: {
    area: 'actors',
    messages: ['ACTOR has released this object, so references to it no longer work'],
    meaning: 'A message was sent to an object whose actor has released it.',
    cause: 'The actor called release(…) with the reference.',
    remedy: 'Ask the actor for another reference, or release the object later.',
  },
  TT_NOT_OWNER: {
    area: 'actors',
    messages: [
      'only ACTOR can release its objects; call release(…) in a method of that actor',
      'ACTOR is an actor, not an object of an actor; stop it with stop(…)',
      'stop(…) must be given a reference to a spawned actor; revoke other references with release(…) in the actor that owns them',
    ],
    meaning: 'stop(…) or release(…) was called with a reference that it does not apply to.',
    cause: 'stop(…) takes references to spawned actors; release(…) takes references to objects of the calling actor.',
    remedy: 'Stop actors with stop(…), and call release(…) in the actor that owns the object.',
  },
  TT_DEADLINE: {
    area: 'actors',
    messages: [
      'METHOD was not answered within N ms; it waits for:',
      'the query has not answered within N ms and was ended; allow more with app.queryWith({ timeout }, fn)',
    ],
    meaning: 'A call or a query was not answered before its deadline.',
    cause: 'An actor in the listed chain is busy or waits for another one, or the query takes longer than its timeout.',
    remedy: 'Follow the chain in the message to the actor that does not answer, or allow more time.',
  },
  TT_MAILBOX_FULL: {
    area: 'actors',
    messages: [
      'the mailbox of ACTOR is full, because N messages wait; send fewer messages at a time, or spawn it with a higher mailbox.limit',
    ],
    meaning: 'A message was refused because the mailbox of the actor has reached its limit.',
    cause: 'Senders are faster than the actor, which was spawned with `mailbox.limit`.',
    remedy: 'Send fewer messages at a time, or raise `mailbox.limit`.',
  },
  TT_UNKNOWN_CLASS: {
    area: 'actors',
    messages: [
      "CLASS is defined in FILE, the program's entry file, which workers do not run; export it from another module, or spawn it with { on: 'main' }",
      "CLASS is not exported by FILE, so no worker can find it; export it, or spawn it with { on: 'main' }",
      "FILE exports no class CLASS on this thread; export it on all threads, or spawn it with { on: 'main' }",
      'spawn(…) must be given a class, not VALUE; if import cycles lead to its module, spawn it after they are evaluated',
      'no other worker can find CLASS',
      'there is no class ADDRESS',
    ],
    meaning: 'spawn(…) was given a value that is not a class, or a class that another worker cannot find.',
    cause: 'Workers load classes by module and export name, and this class has no such name there.',
    remedy: "Export the class from a module other than the entry file, or spawn it with { on: 'main' }.",
  },
  TT_PLACEMENT: {
    area: 'actors',
    messages: [
      'there is no worker N; choose 0, the main thread, or a worker from 1 to N',
      'worker N has ended; spawn the actor on another worker',
      'workers must be a number from 0 to N, not VALUE',
      "THREAD is a worker thread of the program; only the main thread and Turntable's workers run actors",
      'app.restore() replaces the process; call it on the main thread',
    ],
    meaning: 'An actor was placed on a worker that does not exist, or a function was called on the wrong thread.',
    cause:
      'The option `on` or `workers` is out of range, the worker has ended, or the caller is a thread of the program.',
    remedy: 'Choose a worker in the range that the message gives, or call the function on the main thread.',
  },
  TT_OPTIONS: {
    area: 'actors',
    messages: [
      'CALL has no option NAME; its options are NAMES',
      'mailbox.NAME must be a number of messages, at least 1, not VALUE',
      "supervise must be 'restart', 'rollback', 'restore' or undefined, not VALUE",
      'deadline must be milliseconds or a Date, not VALUE',
      'query: NAME must be a number above 0, not VALUE',
      'phase must be the number of a snapshot, not VALUE',
      "code must be 'files' or 'recorded', not VALUE",
      'recording must be the directory of a recording, not VALUE',
      "this program is recorded from start to end; to start and stop recording while it runs, start it with the setting trace: 'later'",
    ],
    meaning: 'An option of spawn(…), of a call, or of the app is invalid.',
    cause:
      'The option has another type or an unknown value, or the program was started without a setting that it needs.',
    remedy: 'Set the option to a value that the message lists.',
  },
  TT_STARTED: {
    area: 'actors',
    messages: [
      'the app has been started already: call start() once, before the first spawn()',
      'start() was called on worker N, which has loaded the module that calls it; call it in the entry file, or move the actors to modules that do not import this one',
    ],
    meaning: 'start() was called too late, twice, or on a worker.',
    cause:
      'The first spawn(…) starts the app with default options if start() was not called before. A worker loads the modules of its actors, and their imports.',
    remedy: 'Call start() once, in the entry file, before the first spawn(…).',
  },
  TT_DIVERGED: {
    area: 'replaying',
    messages: [
      'event N of the trace: recorded: EVENT; now: EVENT (PLACE)',
      'worker N diverged from the recording, PLACE: DIVERGENCE',
      'REQUEST is unavailable to evaluated code in a replay, because only requests of the program are recorded; use values that the program has read',
      'the trace of this worker stops here',
      'the trace of this worker has ended',
    ],
    meaning: 'A replay did something else than the recorded run, or code asked for an input that was not recorded.',
    cause:
      'The code, a package, Node or Turntable has changed since the recording, or an input of the program was not recorded.',
    remedy:
      'Run `turntable replay DIR` to see the first divergence with its source line, and replay the recorded sources with `--code recorded`.',
  },
  TT_CLOSED: {
    area: 'actors',
    messages: [
      'the app is closing and spawns no more actors; spawn them before it closes',
      'this was requested before the snapshot from which the program was restored, and gets no answer; request it again',
    ],
    meaning: 'A request came after the end of the app, or belongs to an earlier run of a restored program.',
    cause: 'The app is closing, or the program was restored while the request was open.',
    remedy: 'Spawn actors before the app closes, and repeat requests after a restore.',
  },
  TT_DAMAGED_MESSAGE: {
    area: 'internal',
    messages: [
      'a message of another worker is damaged: REASON; this is a bug in Turntable, please report it',
      'WORKER has sent a message of an unknown kind, N; this is a bug in Turntable, please report it',
      'this memory is not a ring; create one with createRing()',
    ],
    meaning: 'Bytes from another worker are not a message.',
    cause: 'Shared memory of the message transport was overwritten, or the transport has a bug.',
    remedy: 'Report this bug in Turntable.',
  },
  TT_NO_SNAPSHOT: {
    area: 'recording',
    messages: [
      'snapshot N could not be taken: THREAD: REASON',
      'REASON; the program continues without this snapshot',
      'this program is not recorded: start it with --recordings DIR, or with TURNTABLE_RECORDINGS=DIR in the environment',
      'this program is not recorded, so it has no snapshots; start it with --recordings DIR',
      'DIR has no complete snapshot; record with --snapshots every=30s',
      'DIR has no snapshot N; turntable inspect lists the snapshots',
      'DIR is a recording of PROGRAM, and this program is PROGRAM; restore it in another process with turntable restore',
      'no snapshot in DIR has a complete part of worker N',
      'no snapshot was taken, because the program is ending',
      'the snapshot for the query could not be written to disk; see the earlier recording warning',
      'the snapshot that this reply waits for could not be written to disk; check the disk (the request may have been processed anyway)',
      'there is no recording PATH',
    ],
    meaning: 'A snapshot could not be taken, or a requested snapshot does not exist.',
    cause:
      'A value of the program cannot be captured, the program is not recorded, or the recording has no such snapshot.',
    remedy: 'Follow the reason in the message. List the snapshots of a recording with `turntable inspect DIR`.',
  },
  TT_QUERY: {
    area: 'recording',
    messages: [
      'query(…) must be given a function, not VALUE',
      'query(…) was given NAME without source text (bound or native); give it an ordinary function',
      'a query must be a function of a snapshot, but TEXT is TYPE; write snapshot => …',
      'the text of the query is not a function: REASON',
      'the query uses NAME, which is not defined: only the source of the function is copied; pass it as an argument, app.query(fn, NAME), or import(…) it in the query',
      'an argument of the query cannot be copied to its thread: REASON; give it plain data',
      'the result of the query cannot be copied to the program: REASON; return plain data',
      'the result of the query cannot be read; return plain data',
      'the query ended its thread with exit code N; return a result instead',
      'the query took more than N MB of memory and was ended; allow more with app.queryWith({ memory }, fn)',
      'the query ended its thread: REASON',
      'the query failed: REASON',
    ],
    meaning: 'A query over a snapshot could not be run, or its result could not be returned.',
    cause: 'A query runs on another thread with a copy of its source text, so it has no variables from around it.',
    remedy: 'Pass values as arguments of app.query(fn, …), and return plain data.',
  },
  TT_IN_PLACE: {
    area: 'recording',
    messages: [
      'this process cannot be restored in place: REASON',
      'this process cannot be restored in place: REASON; restore the file',
      'the program was rolled back N times within N seconds',
      'a restore in place closes the channel to the parent process',
      'restore(…) is for the main thread of a process',
    ],
    meaning: 'This process cannot be replaced by a restored program.',
    cause:
      'Node or the operating system cannot replace the process image, the process is a cluster worker, or it was rolled back too often.',
    remedy: 'Restore the program in another process with `turntable restore DIR`.',
  },
  TT_DAMAGED_SNAPSHOT: {
    area: 'recording',
    messages: [
      'the snapshot is damaged: REASON; restore an older one',
      'snapshot N is damaged: REASON; inspect another one with --phase',
    ],
    meaning: 'The bytes of a snapshot are not the state of a program with actors.',
    cause: 'The disk or a copy lost bytes, or another version of Turntable wrote the snapshot.',
    remedy: 'Restore an older snapshot. `turntable inspect DIR` lists the readable ones.',
  },
} as const;
