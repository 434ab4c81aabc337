// Learns the secrets in the traces of a recording while it is replayed.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Recording } from '@turntable/recording';
import { learnRecording, type Redaction } from '@turntable/recording/redaction';

/** Maximum time without a pause, in milliseconds: replay processes that run meanwhile ask this one for code. */
const SLICE_MS = 1;

/** A damaged trace ends the search; the replay reports it. */
export async function learnSecrets(redaction: Redaction, recording: Recording): Promise<void> {
  try {
    let begin = performance.now();
    for (const learned of learnRecording(recording, redaction)) {
      void learned;
      if (performance.now() - begin < SLICE_MS) continue;
      await yieldToOthers();
      begin = performance.now();
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error;
  }
}
