// Messages between the main thread and the query thread.

export interface QueryRequest {
  readonly recording: string;
  readonly phase: number;
  readonly source: string;
  readonly args: readonly unknown[];
}

export type QueryReply =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** `code` is sent along, since structured cloning drops it from errors. */
  | { readonly kind: 'failure'; readonly error: unknown; readonly code: string | undefined };

export interface QueryThreadData {
  /** The cache of transformed code. */
  readonly cache: string | false;
}
