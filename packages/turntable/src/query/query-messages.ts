// Messages between the main thread and the query thread.

export interface QueryRequest {
  readonly recording: string;
  readonly phase: number;
  readonly source: string;
  readonly args: readonly unknown[];
}

export type QueryReply =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** The error's `code` is separate, since structured cloning drops it. */
  | { readonly kind: 'failure'; readonly error: unknown; readonly code: string | undefined };

export interface QueryThreadData {
  /** Directory of the cache of transformed code; false without a cache. Undefined: the recording is not trusted. */
  readonly cache: string | false | undefined;
}
