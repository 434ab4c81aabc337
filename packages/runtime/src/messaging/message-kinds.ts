// What a message is. Between actors of one worker a call is its name and the others are these objects, which no name can be; between workers
// they are numbers.

/** In the place of a method's name, on one worker. */
export const CONSTRUCT = { kind: 'construct' } as const;
/** Its target is a `Birth`: of an actor that others had heard of before it was here. */
export const CONSTRUCT_PENDING = { kind: 'construct', isPending: true } as const;
export const FULFIL = { kind: 'fulfil' } as const;
export const REJECT = { kind: 'reject' } as const;
export const STOP = { kind: 'stop' } as const;

/** By the numbers under which they are written down: never another one in the place of one of them. */
const KINDS = [CONSTRUCT, CONSTRUCT_PENDING, FULFIL, REJECT, STOP] as const;

export type MessageKind = (typeof KINDS)[number];

/** Undefined if it is no kind of message but, say, a method's name. */
export function numberOfKind(kind: unknown): number | undefined {
  const number = KINDS.indexOf(kind as MessageKind);
  return number < 0 ? undefined : number;
}

export function kindOfNumber(number: number): MessageKind | undefined {
  return KINDS[number];
}

/** Between workers. Numbers of questions are the asker's, of eventuals those of who has passed them. */
export const WIRE = {
  /** settles: the question, 0 if nobody asks. */
  call: 1,
  /** actor: the new one; call: its class; settles: how the sender supervises it. */
  spawn: 2,
  /** settles: the question. */
  answer: 3,
  failure: 4,
  /** settles: the eventual. */
  eventualFulfilled: 5,
  eventualRejected: 6,
  stop: 7,
  /** settles: the question that is answered when the actor is no more. */
  watch: 8,
  /** target: the object; settles: how many references to it are held no longer; by which life of which worker. */
  dropReferences: 9,
  /** The same, of references that a third worker had given, and which: on their way home, behind what was sent to the object. */
  dropForwarded: 10,
  /** settles: 1 if senders to the actor are to be held, 0 if not any more. */
  pressure: 11,
  /** settles: the phase in which everything is sent that comes behind it. */
  phase: 12,
  /** settles: the sender's ordinal so far. What it gave before to the worker that was here, and has not spawned again, will not be here. */
  spawnsSent: 13,
  /** target: an object that came from a worker that has ended; the sender has it from its home from now on. */
  claim: 14,
  /** settles: the place of a worker that has ended, from which the sender has claimed what it has. */
  claimsComplete: 15,
  /** To who may supervise an actor: it has been stopped, or could not be made, or is no more. */
  unsupervise: 16,
  /** As a call, by somebody who wants to know what it leads to. */
  trackedCall: 17,
  /** settles: the question of a tracked call; target: the number of what it has led to, actor: that of what has led there; then what it is. */
  trailStep: 18,
  /** settles: the question of a tracked call; target: the number of what has been answered. */
  trailEnd: 19,
} as const;
