// What a message is. Between actors of one worker a call is its name and the others are these objects, which no name can be; between workers
// they are numbers.

/** In the place of a method's name, on one worker. */
export const CONSTRUCT = { kind: 'construct' } as const;
/** Its target is a `Birth`: of an actor that others had heard of before it was here. */
export const BEGIN = { kind: 'construct', isLate: true } as const;
export const FULFIL = { kind: 'fulfil' } as const;
export const REJECT = { kind: 'reject' } as const;
export const STOP = { kind: 'stop' } as const;

/** Between workers. Numbers of questions are the asker's, of eventuals those of who has passed them. */
export const WIRE = {
  /** settles: the question, 0 if nobody asks. */
  call: 1,
  /** actor: the new one; call: its class. */
  spawn: 2,
  /** settles: the question. */
  answer: 3,
  failure: 4,
  /** settles: the eventual. */
  settled: 5,
  failed: 6,
  stop: 7,
  /** settles: the question that is answered when the actor is no more. */
  watch: 8,
  /** target: the object; settles: how many references to it are held no longer. */
  letGo: 9,
  /** The same, of references that a third worker had given: on their way home, behind what was sent to the object. */
  letGoOf: 10,
  /** settles: 1 if senders to the actor are to be held, 0 if not any more. */
  pressure: 11,
  /** settles: the phase in which everything is sent that comes behind it. */
  phase: 12,
} as const;
