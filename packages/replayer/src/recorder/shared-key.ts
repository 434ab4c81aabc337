// Reads the key that seals recordings, before the program starts. If it cannot be read, the process ends, because it
// would not record as requested.
import { RecordingError, shareKey } from '@turntable/recording';

export function shareKeyOrExit(): void {
  try {
    shareKey();
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    process.stderr.write(`turntable: ${error.message}\n`);
    process.exit(1);
  }
}
