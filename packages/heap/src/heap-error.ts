// The one error class of this package. `TT_UNCAPTURABLE` names the path from the root, the reason and the remedy;
// the others name an offset into the bytes and what was expected there.

export type HeapErrorCode =
  /** Something in the graph cannot be written. */
  | 'TT_UNCAPTURABLE'
  /** A capture was asked for what it cannot do any more, or not yet. */
  | 'TT_CAPTURE_MISUSED'
  /** The bytes are not what a writer wrote. */
  | 'TT_CORRUPT_STATE'
  /** The bytes are of another format, version or program. */
  | 'TT_FOREIGN_STATE'
  /** Reading would take more memory than the caller allowed. */
  | 'TT_STATE_TOO_LARGE';

export class HeapError extends Error {
  readonly code: HeapErrorCode;
  /** Offset into the bytes, for errors of reading. */
  readonly offset: number | undefined;
  constructor(code: HeapErrorCode, message: string, options: ErrorOptions & { offset?: number } = {}) {
    super(message, options);
    this.name = 'HeapError';
    this.code = code;
    this.offset = options.offset;
  }
}

export function captureMisusedError(problem: string, remedy: string, cause?: unknown): HeapError {
  return new HeapError('TT_CAPTURE_MISUSED', `${problem}; ${remedy}`, cause === undefined ? {} : { cause });
}

/** Why a value cannot be captured. Thrown while writing; the writer finds the path and makes a `HeapError` of it. */
export class CaptureRefusal {
  readonly value: unknown;
  readonly reason: string;
  readonly remedy: string;
  constructor(value: unknown, reason: string, remedy: string) {
    this.value = value;
    this.reason = reason;
    this.remedy = remedy;
  }
}

export function corruptStateError(expected: string, offset: number): HeapError {
  return new HeapError(
    'TT_CORRUPT_STATE',
    `state is damaged at byte ${offset}: expected ${expected}; take another snapshot, these bytes cannot be restored`,
    { offset },
  );
}
