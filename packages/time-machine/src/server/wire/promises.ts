// Answer to `promises`.
import type { PromisesPage } from '../../replay-process/promises.ts';
import { taskStart, formatPosition, type PhaseStart } from '../../position.ts';
import type { ResultOf } from '../../protocol.ts';
import { OBJECT_IDS_PER_WORKER } from '../../replay-process/inspected-values.ts';

const MAX_TEXT_LENGTH = 5000;

/** @param maxPromises maximum length of a chain of promises, which the query does not limit */
export function promisesResult(
  { promises, total }: PromisesPage,
  { maxPromises, phases }: { readonly maxPromises: number; readonly phases: readonly PhaseStart[] },
): ResultOf<'promises'> {
  return {
    promises: promises.slice(0, maxPromises).map((promise) => ({
      ...promise,
      worker: Math.floor((promise.value.id ?? 0) / OBJECT_IDS_PER_WORKER),
      description: promise.description.slice(0, MAX_TEXT_LENGTH),
      reason: promise.reason?.slice(0, MAX_TEXT_LENGTH),
      since: promise.since === undefined ? undefined : formatPosition(taskStart(promise.since), phases),
    })),
    total,
  };
}
