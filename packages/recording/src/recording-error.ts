// The only error class of this package. A message names the file and the remedy; when reading, also the offset and the
// expected content.
import type { RECORDING_ERRORS } from './error-table.ts';

export type RecordingErrorCode = keyof typeof RECORDING_ERRORS;

export class RecordingError extends Error {
  readonly code: RecordingErrorCode;
  /** Path of the file that has the problem. */
  readonly file: string | undefined;
  /** Offset of a read error in the file. */
  readonly offset: number | undefined;
  constructor(
    code: RecordingErrorCode,
    message: string,
    options: ErrorOptions & { file?: string | undefined; offset?: number | undefined } = {},
  ) {
    super(message, options);
    this.name = 'RecordingError';
    this.code = code;
    this.file = options.file;
    this.offset = options.offset;
  }
}

/** Message for a recording without traces. */
export const NO_TRACES =
  'it has no traces: none were recorded (use turntable record or the setting trace), or none could be written';

export function damagedError(
  file: string,
  offset: number,
  expected: string,
  cause?: unknown,
  remedy = 'restore an older snapshot, this one cannot be read',
): RecordingError {
  return new RecordingError('TT_RECORDING', `${file} is damaged at byte ${offset}: expected ${expected}; ${remedy}`, {
    file,
    offset,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Returns the error for a file of another format or format version. */
export function foreignFormatError(file: string, offset: number, message: string): RecordingError {
  return new RecordingError('TT_RECORDING_VERSION', message, { file, offset });
}

export function missingError(file: string, problem: string, remedy: string, cause?: unknown): RecordingError {
  return new RecordingError('TT_RECORDING_MISSING', `${file}: ${problem}; ${remedy}`, {
    file,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function notAFileError(file: string): RecordingError {
  return new RecordingError('TT_RECORDING', `${file} is not a file; recordings consist of plain files`, { file });
}

export function misuseError(message: string): RecordingError {
  return new RecordingError('TT_RECORDING_USE', message);
}

/** Returns the system's code of an error, like `ENOENT` or `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
