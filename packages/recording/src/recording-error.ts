// The one error class of this package. Every message names the file, for readers also the offset and what was expected
// there, and what to do about it.

export type RecordingErrorCode =
  /** A file is damaged or cut short. */
  | 'TT_RECORDING'
  /** A file is of another format, or of a version that this one does not read. */
  | 'TT_RECORDING_VERSION'
  /** Reading would take more memory than the caller allowed. */
  | 'TT_RECORDING_TOO_LARGE'
  /** A file is sealed, and there is no key, or another one. */
  | 'TT_RECORDING_KEY'
  /** No such recording, snapshot, part or source. */
  | 'TT_RECORDING_MISSING'
  /** Something could not be written; unless it may be possible later, the writer is off from then on. */
  | 'TT_RECORDING_WRITE'
  /** A recorded process does not answer, or refuses what it was asked for. */
  | 'TT_SERVICE'
  /** A caller asked for what cannot be: phases that do not rise, options without sense. */
  | 'TT_RECORDING_USE';

export class RecordingError extends Error {
  readonly code: RecordingErrorCode;
  /** The file it is about. */
  readonly file: string | undefined;
  /** Offset into that file, for errors of reading. */
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

/** A file of another format, or of another version of its format. */
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

/** What the system calls an error: `ENOENT`, `ENOSPC` … */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
