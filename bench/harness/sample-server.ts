// Child side of a process variant: prepares once, then takes one timed sample per request and is idle in between.

import { timed, type Sample } from './sample.ts';
import type { Reply } from './session.ts';

/** The callback ignores that a stopped bench no longer listens. */
function reply(message: Reply): void {
  process.send?.(message, undefined, {}, () => {});
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * @param prepare returns the work of one sample; errors that it or the work throws reach the bench as failures
 * @param time times the work; by default all of it
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
