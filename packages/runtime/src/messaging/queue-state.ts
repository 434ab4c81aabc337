// Messages of a queue as data: for snapshots, replays and debuggers.

/** What stands in a queue or in a mailbox, first what comes first. */
export type QueueEntry<R> =
  /** To its root, and nobody asks what comes of it. */
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
  /** The turn of some of what waits in a mailbox of its own, or of what was put aside. */
  | { readonly kind: 'mailbox'; readonly recipient: R }
  | { readonly kind: 'parked'; readonly recipient: R };

export interface QueueState<R> {
  readonly shared: readonly QueueEntry<R>[];
  /** Recipients of whose messages some stand elsewhere. */
  readonly perRecipient: readonly {
    readonly recipient: R;
    readonly mailbox: readonly QueueEntry<R>[] | undefined;
    readonly parked: readonly QueueEntry<R>[] | undefined;
  }[];
}

/** Where a message waits: in the queue of all, in its recipient's mailbox, or put aside. */
export type QueueName = 'shared' | 'mailbox' | 'parked';

/** What waited at a moment. */
export interface QueueSeal {
  /** Tells of some more; whether there is any. */
  advance(): boolean;
  /** Nobody wants to be told any more. */
  end(): void;
}
