// Error of functions that need a recording, in a program that is not recorded.
import { RuntimeError } from '@turntable/runtime';

export function notRecordedError(): RuntimeError {
  return new RuntimeError(
    'TT_NO_SNAPSHOT',
    'this program is not recorded: start it with --recordings DIR, or with TURNTABLE_RECORDINGS=DIR in the environment',
  );
}
