// The key that recordings are sealed with, taken before the program: without it nothing would be recorded as was asked for, so the process ends.
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
