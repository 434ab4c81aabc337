/** The client of an operation that may take long. */
export interface OperationContext {
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
}
