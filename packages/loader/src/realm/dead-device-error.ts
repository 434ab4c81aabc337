// The error that a restored program gets when it uses a host object that was left behind: it says which object, where
// the program got it and how to obtain a new one. If the error is uncaught, only the failed operation ends, with a
// warning, and not the process.

/** Error of the use of a host object that a restored program has left behind: a socket, a server, a file. */
export class DeadDeviceError extends Error {
  readonly code = 'TT_DEAD_DEVICE';
}

DeadDeviceError.prototype.name = 'DeadDeviceError';

/** Emits a warning for an uncaught error if it is a `DeadDeviceError`. Returns whether it is. */
export function reportDeadDevice(error: unknown): boolean {
  if (!(error instanceof DeadDeviceError)) return false;
  process.emitWarning(`uncaught: ${error.stack ?? error.message}`, { code: error.code });
  return true;
}
