// Stack frames that show the path of an error between actors. An error keeps its class, message, `cause` and stack. The
// call that the error answers and the code that awaits the error follow the stack, as after an `await` of a function.
// Only copies are changed, before the program receives them.

import type { ActorCell } from '../../actors/actor-cell.ts';

const ASKED_FRAME = '    at <asked> ';
/** Maximum length of a stack that gets more frames, in characters, for errors that many actors rethrow. */
const MAX_STACK_LENGTH = 8192;

const { defineProperty, getOwnPropertyDescriptor } = Object;

/** Adds a frame for the call that the error answers. */
export function addAskedFrame(error: unknown, actor: ActorCell, call: string): void {
  const stack = stackOf(error);
  if (stack === undefined || stack.length > MAX_STACK_LENGTH) return;
  const where = actor.worker === 0 ? 'main thread' : `worker ${actor.worker}`;
  appendStackLine(error as object, stack, `${ASKED_FRAME}${actor.name}.${call} (${where})`);
}

/** Adds the frames of code that awaits an error with an asked frame. Called before that code receives the error. */
export function addAwaitingFrames(error: unknown, frames: () => readonly string[]): void {
  const stack = stackOf(error);
  if (stack === undefined || !stack.startsWith(ASKED_FRAME, stack.lastIndexOf('\n') + 1)) return;
  for (const frame of frames()) appendStackLine(error as object, stackOf(error) as string, `    at ${frame}`);
}

/** Returns the stack of a copied error, where it is a data property. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const stack: unknown = getOwnPropertyDescriptor(error, 'stack')?.value;
  return typeof stack === 'string' ? stack : undefined;
}

function appendStackLine(error: object, stack: string, line: string): void {
  defineProperty(error, 'stack', { value: `${stack}\n${line}` });
}
