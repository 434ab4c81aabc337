// The error class of this package. Each message names the file, the remedy, and for readers the offset and the expected
// contents.

export type RecordingErrorCode =
  /** A file is damaged or truncated. */
  | 'TT_RECORDING'
  /** A file has another format or version. */
  | 'TT_RECORDING_VERSION'
  /** Reading would exceed the caller's memory limit. */
  | 'TT_RECORDING_TOO_LARGE'
  /** A file is sealed, and the key is missing or wrong. */
  | 'TT_RECORDING_KEY'
  /** No such recording, snapshot, part or source. */
  | 'TT_RECORDING_MISSING'
  /** A write failed; unless the cause may pass, the writer is off from then on. */
  | 'TT_RECORDING_WRITE'
  /** A recorded process does not respond, or refuses a command. */
  | 'TT_SERVICE'
  /** Misuse by the caller: phases that do not rise, invalid options. */
  | 'TT_RECORDING_USE';

export class RecordingError extends Error {
  readonly code: RecordingErrorCode;
  /** The file concerned. */
  readonly file: string | undefined;
  /** Offset in that file, for errors of reading. */
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

/** A file of another format or version. */
export function foreignFormatError(file: string, offset: number, message: string): RecordingError {
  return new RecordingError('TT_RECORDING_VERSION', message, { file, offset });
}

export function missingError(file: string, problem: string, remedy: string, cause?: unknown): RecordingError {
  return new RecordingError('TT_RECORDING_MISSING', `${file}: ${problem}; ${remedy}`, {
    file,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function misuseError(message: string): RecordingError {
  return new RecordingError('TT_RECORDING_USE', message);
}

/** The system's code of an error: `ENOENT`, `ENOSPC` … */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
