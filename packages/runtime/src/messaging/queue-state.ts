// Messages of a queue as data: for snapshots, replays and debuggers.

/** What stands in a queue or in a mailbox, first what comes first. */
export type QueueEntry<R> =
  /** To its root, and nobody asks what comes of it. */
  | { readonly what: 'told'; readonly recipient: R; readonly call: string; readonly args: readonly unknown[] }
  | {
      readonly what: 'sent';
      readonly recipient: R;
      readonly call: unknown;
      readonly args: readonly unknown[];
      readonly target: unknown;
      readonly settles: unknown;
      readonly sender: R;
    }
  /** The turn of some of what waits in a mailbox of its own, or of what was put aside. */
  | { readonly what: 'mailbox'; readonly recipient: R }
  | { readonly what: 'aside'; readonly recipient: R };

export interface QueueState<R> {
  readonly all: readonly QueueEntry<R>[];
  /** Recipients of whose messages some stand elsewhere. */
  readonly apart: readonly {
    readonly recipient: R;
    readonly mailbox: readonly QueueEntry<R>[] | undefined;
    readonly aside: readonly QueueEntry<R>[] | undefined;
  }[];
}

/** Where a message waits: in the queue of all, in its recipient's mailbox, or put aside. */
export type Where = 'all' | 'mailbox' | 'aside';

/** What waited at a moment. */
export interface Sealed {
  /** Tells of some more; whether there is any. */
  goOn(): boolean;
  /** Nobody wants to be told any more. */
  end(): void;
}
