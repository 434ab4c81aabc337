// Promises, as clients are told of them.
import type { Promises } from '../replay-process/promises.ts';
import { beginOf, positionText, type PhaseOfOrder } from '../position.ts';
import type { ResultOf } from '../protocol.ts';
import { OBJECT_IDS_PER_WORKER } from '../replay-process/protocol.ts';

const LONGEST = 5000;

/** @param most of a way from one to another it is not known before how many there are */
export function toldPromises(
  { promises, total }: Promises,
  { most, phases }: { readonly most: number; readonly phases: readonly PhaseOfOrder[] },
): ResultOf<'promises'> {
  return {
    promises: promises.slice(0, most).map((promise) => ({
      ...promise,
      worker: Math.floor((promise.value.id ?? 0) / OBJECT_IDS_PER_WORKER),
      what: promise.what.slice(0, LONGEST),
      why: promise.why?.slice(0, LONGEST),
      since: promise.since === undefined ? undefined : positionText(beginOf(promise.since), phases),
    })),
    total,
  };
}
