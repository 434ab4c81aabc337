// The kinds of messages. Within a worker, a call has its method name as its kind; the other kinds are objects, which
// equal no name. Between workers, kinds are numbers.

/** Values in a queue instead of a method name. */
export const CONSTRUCT = { kind: 'construct' } as const;
/** The target is an `ActorCreation`: the actor was known to others before it was created. */
export const CONSTRUCT_PENDING = { kind: 'construct', isPending: true } as const;
export const FULFIL = { kind: 'fulfil' } as const;
export const REJECT = { kind: 'reject' } as const;
export const STOP = { kind: 'stop' } as const;

/** The index is the number in snapshots: entries must never be moved or reused. */
const KINDS = [CONSTRUCT, CONSTRUCT_PENDING, FULFIL, REJECT, STOP] as const;

export type MessageKind = (typeof KINDS)[number];

export function numberOfKind(kind: unknown): number | undefined {
  const number = KINDS.indexOf(kind as MessageKind);
  return number < 0 ? undefined : number;
}

export function kindOfNumber(number: number): MessageKind | undefined {
  return KINDS[number];
}

/**
 * The kinds of messages between workers, with the meaning of their fields. Call ids are assigned by the calling worker,
 * eventual ids by the worker that passed the eventual.
 */
export const WIRE = {
  /** replyTo: the call id, 0 if no answer is wanted. */
  call: 1,
  /** actor: the new one; call: address of its class; replyTo: supervision policy and flags. */
  spawn: 2,
  /** replyTo: the call id. */
  answer: 3,
  failure: 4,
  /** replyTo: the eventual id. */
  eventualFulfilled: 5,
  eventualRejected: 6,
  stop: 7,
  /** replyTo: the id of a call that is answered when the actor ends. */
  watch: 8,
  /** target: the object; replyTo: number of references; argument: incarnation of the worker that dropped them. */
  dropReferences: 9,
  /** As above, sent home, after all messages to the object; argument: incarnation of the worker that passed them on. */
  dropForwarded: 10,
  /** replyTo: 1 to hold senders to the actor, 0 to release them. */
  pressure: 11,
  /** replyTo: the phase of all messages that follow. */
  phase: 12,
  /** To a successor. replyTo: the sender's last ordinal: actors up to it that were not spawned again never will be. */
  spawnsSent: 13,
  /** target: an object whose reference came from a lost worker; from now on it counts as received from its home. */
  claim: 14,
  /** replyTo: the incarnation of a lost worker: the sender has claimed all references that came from it. */
  claimsComplete: 15,
  /** To the supervisor of an actor that was stopped, could not be created, or is gone. */
  unsupervise: 16,
  /** A call whose consequences are reported to its sender, which has a deadline. */
  trackedCall: 17,
  /** replyTo: id of the tracked call; target: number of the step; actor: its parent's number; argument: its label. */
  trailStep: 18,
  /** replyTo: id of the tracked call; target: number of the step that was answered. */
  trailEnd: 19,
} as const;
