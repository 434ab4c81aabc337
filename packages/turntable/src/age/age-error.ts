// Error of encryption in the age format: of a key, a file of keys, or an encrypted file.
import { RecordingError } from '@turntable/recording';

export function ageError(file: string | undefined, message: string, cause?: unknown): RecordingError {
  return new RecordingError('TT_AGE', message, { file, ...(cause === undefined ? {} : { cause }) });
}
