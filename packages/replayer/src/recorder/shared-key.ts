// Reads the key that seals recordings, before the program starts. Without the key the process ends, because it could
// not record as requested.
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
