/** Failure to reach a position or to answer a request. */
export class ReplayError extends Error {
  /**
   * In this order: the replay has diverged; its process has ended; its process could not start; the position, or the
   * object at it, does not exist; the caller has aborted the request.
   */
  readonly code: 'TT_DIVERGED' | 'TT_REPLAY_LOST' | 'TT_REPLAY_NOT_STARTED' | 'TT_NO_POSITION' | 'TT_ABORTED';

  constructor(code: ReplayError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReplayError';
    this.code = code;
  }
}
