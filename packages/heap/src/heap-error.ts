// The only error class of this package. `TT_UNCAPTURABLE` gives the path from the root, the reason and the remedy; the
// other errors give an offset into the bytes and the expectation there.
import type { HEAP_ERRORS } from './error-table.ts';

/** `TT_FOREIGN_STATE` is a code of @turntable/core. */
export type HeapErrorCode = keyof typeof HEAP_ERRORS | 'TT_FOREIGN_STATE';

export class HeapError extends Error {
  readonly code: HeapErrorCode;
  /** Offset of a read error in the bytes. */
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

/** Reason why a value cannot be captured, thrown during writing. The writer adds the path to make a `HeapError`. */
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
    `the state is damaged at byte ${offset}: expected ${expected}; restore another snapshot`,
    { offset },
  );
}
