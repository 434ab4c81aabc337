/** Why a position could not be reached, or a request not be answered. */
export class ReplayError extends Error {
  /**
   * The run differs from its recording; its process has ended; its process could not begin; there is no such position, or no
   * such object at it; the request was aborted.
   */
  readonly code: 'TT_DIVERGED' | 'TT_REPLAY_LOST' | 'TT_REPLAY_NOT_STARTED' | 'TT_NO_POSITION' | 'TT_ABORTED';

  constructor(code: ReplayError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReplayError';
    this.code = code;
  }
}
