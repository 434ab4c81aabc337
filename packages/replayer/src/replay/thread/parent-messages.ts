// What a process that runs again says to the one that has started it, and its end.
import { writeSync } from 'node:fs';
import { encodeMessageFrame } from '../message-frames.ts';
import type { ParentMessage } from '../replay-outcome.ts';
import { OUTCOME_DESCRIPTOR } from '../replay-request.ts';

export const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/**
 * To the process that has started this one, which takes as long as that needs to take it: no more than one state waits to be compared. When it is gone,
 * nobody wants to know.
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
