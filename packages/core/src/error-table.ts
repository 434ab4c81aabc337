// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const CORE_ERRORS = {
  TT_NO_TICKS: {
    area: 'internal',
    messages: ["nextTick: this realm's host has no tick queue; give createRealm a host with nextTick()"],
    meaning: 'Code called process.nextTick() in a realm whose host has no tick queue.',
    cause: 'createRealm() of @turntable/core got a host without the optional function nextTick.',
    remedy: 'Pass a host with nextTick() to createRealm(). Programs started by Turntable have one.',
  },
  TT_NO_FORWARDING: {
    area: 'internal',
    messages: ['an eventual was forwarded out of the realm, but the realm has no receiver; call onForward() first'],
    meaning: 'An eventual of the realm was to settle an eventual elsewhere, and nothing receives the outcome.',
    cause: 'The embedder forwarded an eventual without registering a receiver with onForward().',
    remedy: 'Call onForward() of the realm before you forward eventuals.',
  },
  TT_DYNAMIC_CODE: {
    area: 'internal',
    messages: [
      "Function(…): this realm's host cannot compile source text; give createRealm a host with compileFunction()",
    ],
    meaning: 'Code called Function(…) in a realm whose host cannot compile source text.',
    cause: 'createRealm() of @turntable/core got a host without the optional function compileFunction.',
    remedy: 'Pass a host with compileFunction() to createRealm(). Programs started by Turntable have one.',
  },
  TT_UNKNOWN_STATE: {
    area: 'recording',
    messages: [
      'allocate: core has no objects of kind KIND; restore the state with the version that wrote it',
      'allocateEngineObject: core has no objects of kind KIND; restore the state with the version that wrote it',
      'closure: core has no closure N; restore the state with the version that wrote it',
      'FinalizationRegistry: it was allocated but never filled; restore another snapshot',
    ],
    meaning: 'A state contains an object that this version of Turntable cannot create.',
    cause: 'Another version of Turntable wrote the state, or the state is damaged.',
    remedy: 'Restore the state with the version of Turntable that wrote it, or restore another snapshot.',
  },
  TT_FOREIGN_STATE: {
    area: 'recording',
    messages: [
      'the state PROBLEM; restore it with the version and program that wrote it',
      'the state has format version N, this Turntable reads version N; restore it with the version and program that wrote it',
      'the state has ABI version N, this Turntable has version N; restore it with the version and program that wrote it',
      'the state belongs to the program NAME, not to NAME; restore it with the version and program that wrote it',
      'the state refers to NAME (byte N), which does not exist here; restore with the same version of Node and the same modules',
      'this Node (VERSION) has no NAME in event targets and events; run the program on a supported Node (24 or 26)',
      "AsyncLocalStorage: the state has asynchronous contexts, but this realm's host has none; give createRealm a host with contexts",
    ],
    meaning: 'A state is intact, but this process cannot read it.',
    cause: 'The state was written by another version of Turntable or Node, or by another program.',
    remedy: 'Restore it with the same program and the same versions of Turntable and Node.',
  },
  TT_SECOND_COPY: {
    area: 'loading',
    messages: [
      'COPY is already loaded, and COPY is a second copy: neither can capture objects of the other; install one version of turntable for all packages (npm ls turntable lists the copies)',
    ],
    meaning: 'One thread has loaded two copies of @turntable/core.',
    cause: 'Packages of the program depend on different versions or installations of turntable.',
    remedy: 'Install one version of turntable for all packages. List the copies with `npm ls turntable`.',
  },
  TT_ENGINE_CLOSED: {
    area: 'loading',
    messages: [
      'Internals of V8 objects cannot be read: REASON; run the program on a supported Node (24 or 26)',
      'Timers cannot be captured: REASON; run the program on a supported Node (24 or 26)',
      'FinalizationRegistry: its targets cannot be read; give createRealm a host with an engine view',
    ],
    meaning: 'This version of Node does not provide internals of objects that a capture must read.',
    cause: 'The program runs on a version of Node that Turntable does not support.',
    remedy: 'Run the program on Node 24 or 26.',
  },
  TT_CALL_MODE: {
    area: 'internal',
    messages: [
      'CLASS.METHOD has no mode; the table of its class must have a mode for each method',
      'CLASS.METHOD has a mode, but does not exist; the table of its class must have a mode for each method',
    ],
    meaning: 'The table of call modes of an intercepted class does not match the methods of the class.',
    cause: 'A method of Turntable was added or renamed without its entry in the table.',
    remedy: 'Report this bug in Turntable.',
  },
} as const;
