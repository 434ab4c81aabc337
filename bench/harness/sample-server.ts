// The child's side of a process variant: prepare once, then one timed sample per request, idle in between.

import { timed, type Sample } from './sample.ts';
import type { Reply } from './session.ts';

/** A bench that was stopped does not hear it any more. */
function reply(message: Reply): void {
  process.send?.(message, undefined, {}, () => {});
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * `prepare` answers the work of one sample; what it throws, and what the work throws, reaches the bench as a failure. `time`: all of the work,
 * unless given.
 */
export async function serveSamples(
  prepare: () => Promise<() => unknown>,
  time: (run: () => unknown) => Promise<Sample> = timed,
): Promise<void> {
  let run: () => unknown;
  try {
    run = await prepare();
  } catch (error) {
    reply({ failure: describe(error) });
    return;
  }
  process.on('message', () => {
    time(run).then(
      (sample) => reply({ sample }),
      (error: unknown) => reply({ failure: describe(error) }),
    );
  });
  reply({ ready: true });
}
