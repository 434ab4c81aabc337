// The messages of a queue as data, for snapshots, replays and debuggers.

/** An entry of a queue or mailbox. Lists of entries are in the order of delivery. */
export type QueueEntry<R> =
  /** A message to the root of an actor, without an answer. */
  | { readonly kind: 'tell'; readonly recipient: R; readonly call: string; readonly args: readonly unknown[] }
  | {
      readonly kind: 'send';
      readonly recipient: R;
      readonly call: unknown;
      readonly args: readonly unknown[];
      readonly target: unknown;
      readonly replyTo: unknown;
      readonly sender: R;
    }
  /** A token, at which the next share of the recipient's mailbox or parked messages is delivered. */
  | { readonly kind: 'mailbox'; readonly recipient: R }
  | { readonly kind: 'parked'; readonly recipient: R };

export interface QueueState<R> {
  readonly shared: readonly QueueEntry<R>[];
  /** The recipients that have a mailbox or parked messages. */
  readonly perRecipient: readonly {
    readonly recipient: R;
    readonly mailbox: readonly QueueEntry<R>[] | undefined;
    readonly parked: readonly QueueEntry<R>[] | undefined;
  }[];
}

/** Place of waiting messages: the queue shared by all actors, the recipient's mailbox, or the parked messages. */
export type QueueName = 'shared' | 'mailbox' | 'parked';

/** Report of the messages that waited at one moment, in parts. */
export interface QueueSeal {
  /** Reports one more part. Returns whether more remain. */
  advance(): boolean;
  /** Stops reporting. */
  end(): void;
}
