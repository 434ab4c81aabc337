// What the main thread and the thread of queries say to each other.

export interface QueryRequest {
  readonly recording: string;
  readonly phase: number;
  readonly source: string;
  readonly args: readonly unknown[];
}

export type QueryReply =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** `code` of an error that has one, which copies lose. */
  | { readonly kind: 'failure'; readonly error: unknown; readonly code: string | undefined };

export interface QueryThreadData {
  /** Where transformed code is kept. */
  readonly cache: string | false;
}
