// The kinds of messages. Within a worker, the kind of a call is its method name. All other kinds are objects, which
// equal no name. Between workers, kinds are numbers.

/** Kinds of messages that are no calls. A queue has them in place of a method name. */
export const CONSTRUCT = { kind: 'construct' } as const;
/** Kind of the message that creates an actor which others knew before. The target is an `ActorCreation`. */
export const CONSTRUCT_PENDING = { kind: 'construct', isPending: true } as const;
export const FULFIL = { kind: 'fulfil' } as const;
export const REJECT = { kind: 'reject' } as const;
export const STOP = { kind: 'stop' } as const;

/** Kinds by their numbers in snapshots: entries must never be moved or reused. */
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
 * Kinds of messages between workers, with the meaning of their fields. The calling worker assigns call ids, and the
 * worker that passes an eventual assigns its id.
 */
export const WIRE = {
  /** replyTo: the call id; 0 if no answer is wanted. */
  call: 1,
  /** actor: id of the new actor; call: address of its class; replyTo: supervision policy and flags. */
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
  /** Like `dropReferences`, but sent to the object's worker. argument: incarnation of the worker that passed them. */
  dropForwarded: 10,
  /** replyTo: 1 to hold senders to the actor, 0 to release them. */
  pressure: 11,
  /** replyTo: the phase of all messages that follow. */
  phase: 12,
  /** Sent to a successor. replyTo: the sender's last ordinal; up to it, actors not respawned will never exist. */
  spawnsSent: 13,
  /** target: an object whose reference came from a lost worker and now counts as received from the object's worker. */
  claim: 14,
  /** replyTo: the incarnation of a lost worker. The sender has claimed all references that came from that worker. */
  claimsComplete: 15,
  /** Sent to the supervisor of an actor that was stopped, could not be created, or is gone. */
  unsupervise: 16,
  /** A call whose further messages are reported to its sender, which has a deadline. */
  trackedCall: 17,
  /** replyTo: id of the tracked call; target: number of the step; actor: its parent's number; argument: its label. */
  trailStep: 18,
  /** replyTo: id of the tracked call; target: number of the step that was answered. */
  trailEnd: 19,
} as const;
