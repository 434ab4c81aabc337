// What this thread's program is taped by, if it is: a recording with traces, or the run again of one. Whoever begins that says so here, before the
// program; who asks loads nothing of either.
import type { Replaying } from '../replay/replaying.ts';
import type { Traced } from '../recorder/traced.ts';

let traced: Traced | undefined;
let replaying: Replaying | undefined;

/** Of this process, if it is recorded with traces. */
export function tracedHere(): Traced | undefined {
  return traced;
}

export function tracesHere(its: Traced): void {
  traced = its;
}

/** Of this thread, if it runs again. */
export function replayingHere(): Replaying | undefined {
  return replaying;
}

export function replaysHere(its: Replaying): void {
  replaying = its;
}
