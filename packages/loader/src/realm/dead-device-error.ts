// What a program gets that uses, after a restore, something of outside that stayed behind: it says what that was, where it was met, and how
// such a thing is had again. Nobody dies of it: where nobody catches it, it ends what it was thrown in, and a warning says so.

export class DeadDeviceError extends Error {
  readonly code = 'TT_DEAD_DEVICE';
}

DeadDeviceError.prototype.name = 'DeadDeviceError';

/** Whether an error that nobody has caught has been told of, and needs no more. */
export function reportDeadDevice(error: unknown): boolean {
  if (!(error instanceof DeadDeviceError)) return false;
  process.emitWarning(`nobody has caught this: ${error.stack ?? error.message}`, { code: error.code });
  return true;
}
