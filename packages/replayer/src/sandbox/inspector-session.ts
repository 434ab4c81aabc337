// The class of the inspector's sessions, for the first caller only: in a restricted process the recorded program must
// not get it, because a session can read all variables of all functions.
import inspector from 'node:inspector';

let sessionClass: typeof inspector.Session | undefined = inspector.Session;

/** Undefined if it was taken. */
export function takeInspectorSession(): typeof inspector.Session | undefined {
  const taken = sessionClass;
  sessionClass = undefined;
  return taken;
}
