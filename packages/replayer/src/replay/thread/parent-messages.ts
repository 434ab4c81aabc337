// Messages of a replaying process to its parent.
import { writeSync } from 'node:fs';
import { encodeMessageFrame } from '../message-frames.ts';
import type { ParentMessage } from '../replay-outcome.ts';
import { OUTCOME_DESCRIPTOR } from '../replay-request.ts';

export const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/**
 * Sends a message to the parent. Blocks while the pipe is full, so that captured states are not produced faster than
 * the parent compares them. Ends the process if the parent has exited.
 */
export function sendToParent(message: ParentMessage, bytes?: Uint8Array): void {
  try {
    for (const part of encodeMessageFrame(message, bytes))
      for (let at = 0; at < part.length;) at += writeSync(OUTCOME_DESCRIPTOR, part, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    reallyExit(1);
  }
}
