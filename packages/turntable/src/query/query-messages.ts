// What the main thread and the thread of queries say to each other.

export interface QueryQuestion {
  readonly recording: string;
  readonly phase: number;
  readonly text: string;
  readonly args: readonly unknown[];
}

export type QueryAnswer =
  | { readonly is: 'answer'; readonly value: unknown }
  /** `code` of an error that has one, which copies lose. */
  | { readonly is: 'failure'; readonly error: unknown; readonly code: string | undefined };

export interface QueryThreadData {
  /** Where transformed code is kept. */
  readonly cache: string | false;
}
