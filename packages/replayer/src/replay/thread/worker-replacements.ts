// Reads from the traces which workers replaced lost workers, and in which order. The start event of a worker has the
// number of workers that had ended before. A silent replacement has no start event: its process ended before the worker
// had recorded anything. Other threads have recorded that its predecessor was replaced.
import type { Recording, SchedulerEvent } from '@turntable/recording';
import type { WorkerReplacement } from '@turntable/runtime';
import { readTraceEvents, type OrdinalEvent } from '../../trace/trace-events.ts';

/** Maximum number of events before a worker's start event. In these events the worker reads facts about its machine. */
const MAX_EVENTS_BEFORE_START = 8;
/** Less than the distance between the numbers of any two start events. */
const UNKNOWN_STEP = 1e-3;

interface OrderedReplacement extends Omit<WorkerReplacement, 'isSilent'> {
  /** Number of workers that had ended before. */
  readonly losses: number;
}

/**
 * Replacements in the order in which they started.
 * @param from the phase at which the replay starts
 */
export function readWorkerReplacements(recording: Recording, from = 0): WorkerReplacement[] {
  const traces = recording.traces();
  if (traces.every(({ worker }) => worker === 0)) return [];
  const replacements: OrderedReplacement[] = [];
  let lossesBeforeStart = 0;
  for (const { worker, epoch, phases } of traces) {
    const losses = epoch === 0 ? undefined : lossesBefore(recording, worker, epoch);
    if (losses === undefined) continue;
    replacements.push({ worker, epoch, losses });
    if ((phases[0] ?? 0) < from) lossesBeforeStart = Math.max(lossesBeforeStart, losses);
  }
  for (const { worker, epoch, phases } of traces) {
    const isCutAtStart = phases.includes(from);
    if (!isCutAtStart && (phases[0] ?? 0) < from) continue;
    const ownLosses = replacements.find((each) => each.worker === worker && each.epoch === epoch)?.losses ?? 0;
    const events = readTraceEvents(recording, { worker, epoch }, isCutAtStart ? from : undefined);
    addRecorded(events, Math.max(lossesBeforeStart, ownLosses), replacements);
  }
  // A replacement that was itself replaced needs a thread, which ends at once if there is no trace.
  const isSilent = ({ worker, epoch }: WorkerReplacement): boolean =>
    traces.every((each) => each.worker !== worker || each.epoch < epoch) &&
    replacements.every((each) => each.worker !== worker || each.epoch <= epoch);
  return replacements
    .toSorted((left, right) => left.losses - right.losses)
    .map(({ worker, epoch }) => ({ worker, epoch, isSilent: isSilent({ worker, epoch }) }));
}

/** Adds the replacements that a thread has recorded with the losses. A thread learns of losses in their order. */
function addRecorded(events: Iterable<OrdinalEvent>, lossesAtStart: number, replacements: OrderedReplacement[]): void {
  let losses = lossesAtStart;
  for (const { event } of events) {
    if (event.type !== 'scheduler' || event.kind !== 'lost') continue;
    const next = successorOf(event);
    if (next === undefined) continue;
    const known = replacements.find(({ worker, epoch }) => worker === next.worker && epoch === next.epoch);
    losses = known?.losses ?? losses + UNKNOWN_STEP;
    if (known === undefined) replacements.push({ ...next, losses });
  }
}

/** The worker that replaced a lost one, if any. */
function successorOf({ key, value }: SchedulerEvent): Pick<WorkerReplacement, 'worker' | 'epoch'> | undefined {
  if (!(value as { readonly isReplaced: boolean }).isReplaced) return undefined;
  const [worker, epoch] = key.split(' ').map(Number) as [number, number];
  return { worker, epoch: epoch + 1 };
}

function lossesBefore(recording: Recording, worker: number, epoch: number): number | undefined {
  for (const { event, ordinal } of readTraceEvents(recording, { worker, epoch })) {
    if (event.type === 'scheduler' && event.kind === 'worker-start')
      return (event.value as { readonly losses?: number }).losses;
    if (ordinal === MAX_EVENTS_BEFORE_START) break;
  }
  return undefined;
}
