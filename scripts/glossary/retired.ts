// Words and names that the sources no longer use, with what to write instead. glossary-check looks them up.

/** Words that no identifier and no file name may contain. */
export const RETIRED_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stretch: 'task',
    stretches: 'tasks',
    survey: 'runIndex',
    surveyed: 'indexed',
    surveying: 'indexing',
    surveys: 'runIndexes',
    whereabouts: 'cursor, location or position',
    happening: 'run event or event kind',
    happenings: 'run events or event kinds',
    itinerary: 'seekPlan',
    conductor: 'stepController',
    journey: 'stepper',
    traveller: 'observer',
    governor: 'threadController',
    desk: 'coordinator',
    lookout: 'breakpointScanner',
    onlooker: 'observer',
    onlookers: 'observers',
    company: 'observers',
    neighbours: 'workerLinks',
    unborn: 'pending',
    births: 'creations',
    arrivals: 'inbound messages',
    debts: 'deferred references',
    wish: 'options, request or query',
    wishes: 'options, requests or queries',
    patience: 'timeoutMs',
    anew: 'fresh, cold or re-',
    told: 'info, reported or sent',
    retold: 'decoded',
    heard: 'received',
    begun: 'started',
    nobody: 'the role',
    somebody: 'the role',
    whoever: 'the role',
    whose: 'owner',
    its: 'the noun',
    those: 'the noun',
    goes: 'the verb of the field: runs, moves, resumes',
    comes: 'the noun: result, origin',
    stands: 'isPaused or position',
    settles: 'replyTo or settlement',
  }),
);

/** Names that are retired as a whole, where their words are ordinary English. */
export const RETIRED_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    House: 'DebugEmbedder',
    Works: 'ProgressReporter',
    Ground: 'SessionContext',
    Given: 'RequestArguments',
    Customs: 'CustomRequests',
    Writes: 'DataBreakpoints',
    Conversation: 'Connection',
    Asked: 'a request or query type',
    Asker: 'ClientContext',
    Asking: 'a request type',
    Answering: 'a handler type',
    Travel: 'MoveQueue',
    Ahead: 'Prefetcher',
    Traced: 'StatementTrace',
    Past: 'UndoHistory',
    LookingOn: 'ThreadInspector',
    Written: 'WriteTracker',
    Standing: 'PauseLoop',
    CalledFor: 'StandbyAssignment',
    Hearing: 'OutcomeCollector',
    Board: 'SharedLog',
    Patience: 'HangDetector',
    Means: 'RecorderDeps',
    Doors: 'CallInterceptor',
    Taking: 'MessageIngest',
    Endings: 'Termination',
    Handed: 'ForwardedEventuals',
    Passing: 'ArgumentCopier',
    StateRoom: 'StateCapturer',
    Sides: 'ModuleClassifier',
    WholeFile: 'AtomicFile',
    Pen: 'ChunkWriter',
    RecordedEngine: 'ReplayDriver',
    EngineError: 'ReplayError',
    HandMade: 'SurrogateType',
    WayPast: 'Override',
    waysPast: 'overrides',
    handMake: 'defineSurrogate',
    heapHere: 'heapLimitMb',
    beforeOwnDeath: 'beforeSelfKill',
    behindExit: 'afterExitListeners',
    OFTENER: 'POLLS_PER_INTERVAL',
  }),
);

/** Phrases that no comment, text or title of a test contains. A pattern is global and matches whole words. */
export const RETIRED_PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bstretch\b/gi, 'task'],
  [/\bstretches\b/gi, 'tasks'],
  [/\bsurveys?\b/gi, 'run index'],
  [/\bwhereabouts\b/gi, 'cursor, location or position'],
  [/\bonlookers?\b/gi, 'observer'],
  [/\bgovernor\b/gi, 'thread controller'],
  [
    /'(?:nth|percentage|marks|unbreak|population)(?=[ '])/g,
    'the command that replaces it: commands/retired-commands.ts',
  ],
  [/\bwho(?:so)?ever\b/gi, 'the caller, the worker, the client'],
  [/\b(?:some|no|any|every)body\b/gi, 'the caller, the worker, the client'],
  [/\banew\b/gi, 'again or re-'],
  [/\bafresh\b/gi, 'again or re-'],
  [/\bonce more\b/gi, 'again'],
  [/\brun(?:s|ning)? again\b/gi, 'replay'],
  [/\bhad again\b/gi, 'replayed or restored'],
  [/\b(?:go|goes|going|gone) on\b/gi, 'continue, resume'],
  [/\b(?:is|are|was|were) told\b/gi, 'is notified, receives'],
  [/\btold of\b/gi, 'notified of'],
  [/\bin the midst\b/gi, 'in the middle, during'],
  [/\bin the place of\b/gi, 'instead of'],
];

export interface Allowed {
  readonly retired: string;
  /** The files that may use the word, name or phrase. */
  readonly files: RegExp;
  readonly reason: string;
}

/** Uses that stay. */
export const ALLOWED: readonly Allowed[] = [
  { retired: 'stretch', files: /^test\/house\/glossary\.test\.ts$/, reason: 'An example of a retired word.' },
  { retired: 'stretches', files: /^test\/house\/glossary\.test\.ts$/, reason: 'An example of a retired word.' },
];
