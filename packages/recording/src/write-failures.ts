// Failures of the writer as errors with a remedy. If a failure may pass, the next snapshot tries again.

import { RecordingError, systemCode } from './recording-error.ts';
import type { SerializedRecordingError } from './writer-messages.ts';

/** Remedies for failures that may pass. */
const TRANSIENT_REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on that disk, or set lower limits with --keep',
  EDQUOT: 'raise the quota, or set lower limits with --keep',
  EFBIG: 'raise the limit on the size of files, or set lower limits with --keep',
  EACCES: 'give this user write permission there, or record elsewhere',
  EPERM: 'give this user write permission there, or record elsewhere',
  EROFS: 'record to a writable disk',
  EIO: 'check the disk',
  EMFILE: 'raise the limit on open files of the process',
  ENFILE: 'raise the limit on open files of the machine',
  ENOENT: 'do not delete a recording while it is being written',
};

const REMEDIES: Readonly<Record<string, string>> = {
  ...TRANSIENT_REMEDIES,
  ENOTDIR: 'record to a directory',
  EEXIST: 'record to a directory',
};

export function isTransientCode(code: string): boolean {
  return Object.hasOwn(TRANSIENT_REMEDIES, code);
}

export function describeError(
  error: unknown,
  recordings: string,
  isTransient: boolean,
  isTrace: boolean,
): SerializedRecordingError {
  const { path } = error as { path?: unknown };
  const file = error instanceof RecordingError ? error.file : typeof path === 'string' ? path : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[systemCode(error) ?? ''] ?? 'see the cause';
  const location = file ?? recordings;
  const transientMessage =
    systemCode(error) === 'ENOENT'
      ? `a part of the recording was deleted: ${reason}; the next snapshot makes the recording again; ${remedy}`
      : isTrace
        ? `the trace ends here, since it can no longer be recorded to ${location}: ${reason}; it can be replayed up to here, and the next snapshot starts another trace; ${remedy}`
        : `recording to ${location} fails: ${reason}; existing snapshots stay usable, and each trigger tries again; ${remedy}`;
  return {
    code: 'TT_RECORDING_WRITE',
    message: isTransient
      ? transientMessage
      : `recording to ${location} has stopped: ${reason}; existing snapshots stay usable; ${remedy}, then start the program again`,
    isTransient,
    file,
    cause: error,
  };
}
