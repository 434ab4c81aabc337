// What an error shows of its way between actors. It keeps its class, message, `cause` and stack; after that stack come the message that asked for it and the
// code that awaited it, as after an `await` of a function. Only copies are changed, before the program has them.

import type { ActorCell } from '../../actors/actor-cell.ts';

const ASKED_FRAME = '    at <asked> ';
/** Characters; what is thrown from actor to actor to actor does not grow without end. */
const MAX_STACK_LENGTH = 8192;

const { defineProperty, getOwnPropertyDescriptor } = Object;

/** An error has come that an actor has answered a call with. */
export function addAskedFrame(error: unknown, actor: ActorCell, call: string): void {
  const stack = stackOf(error);
  if (stack === undefined || stack.length > MAX_STACK_LENGTH) return;
  const where = actor.worker === 0 ? 'main thread' : `worker ${actor.worker}`;
  appendStackLine(error as object, stack, `${ASKED_FRAME}${actor.name}.${call} (${where})`);
}

/** It is about to reach those who wait for it. */
export function addAwaitingFrames(error: unknown, frames: () => readonly string[]): void {
  const stack = stackOf(error);
  if (stack === undefined || !stack.startsWith(ASKED_FRAME, stack.lastIndexOf('\n') + 1)) return;
  for (const frame of frames()) appendStackLine(error as object, stackOf(error) as string, `    at ${frame}`);
}

/** Of a copy, which has it as data. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const stack: unknown = getOwnPropertyDescriptor(error, 'stack')?.value;
  return typeof stack === 'string' ? stack : undefined;
}

function appendStackLine(error: object, stack: string, line: string): void {
  defineProperty(error, 'stack', { value: `${stack}\n${line}` });
}
