/** Why a position could not be reached, or a request not be answered. */
export class EngineError extends Error {
  /**
   * The run differs from its recording; its process has ended; its process could not begin; there is no such position, or no
   * such object at it; the request was aborted.
   */
  readonly code: 'TT_DIVERGED' | 'TT_ENGINE_LOST' | 'TT_UNBEGUN' | 'TT_NO_POSITION' | 'TT_ABORTED';

  constructor(code: EngineError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}
