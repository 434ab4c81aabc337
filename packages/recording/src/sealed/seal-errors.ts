// Errors of sealed recordings: a key that is missing or another one, and contents that are not the sealed ones.

import { RecordingError } from '../recording-error.ts';

export function missingKeyError(file: string): RecordingError {
  return new RecordingError(
    'TT_RECORDING_KEY',
    `${file} is sealed; name the file with its key: --key FILE, or TURNTABLE_KEY=FILE in the environment`,
    { file },
  );
}

export function otherKeyError(file: string): RecordingError {
  return new RecordingError(
    'TT_RECORDING_KEY',
    `${file} is sealed with another key; pass the key of the recording with --key or TURNTABLE_KEY`,
    { file },
  );
}

/** Returns the error for contents that were not sealed so. @param problem follows the name of the file */
export function sealError(
  file: string,
  problem: string,
  options: { readonly remedy?: string; readonly offset?: number; readonly cause?: unknown } = {},
): RecordingError {
  const { remedy = 'it is damaged or was edited; copy the recording again from where it was made', offset } = options;
  return new RecordingError('TT_RECORDING_SEAL', `${file} ${problem}; ${remedy}`, {
    file,
    offset,
    ...(options.cause === undefined ? {} : { cause: options.cause }),
  });
}
