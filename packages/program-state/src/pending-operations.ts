// Pending operations of the host. No capture can see their callbacks, so a restored program would wait forever for the
// operations that were pending at the capture.
import { subscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { nativeFunctionOf, processLifetime, LoaderError } from '@turntable/loader';

/** Resources that do not prevent a capture: timers are captured as data, standard streams exist in every process. */
const CAPTURED_RESOURCES = new Set(['Timeout', 'Immediate', 'TTYWrap', 'PipeWrap', 'WriteWrap', 'TickObject']);

/** The captured resources that keep a process alive. */
const KEEP_ALIVE_RESOURCES = new Set(['Timeout', 'Immediate']);

/** Resources that wait for events and do not end by themselves. */
const LISTENING_RESOURCES: readonly string[] =
  'TCPServerWrap TCPSocketWrap PipeServerWrap TLSWrap UDPWrap FSEventWrap StatWatcher MessagePort FileHandle CloseReq'.split(
    ' ',
  );

const EXITED_THREAD_ID = -1;

/** Node's own function: the program's version may be recorded. */
const activeResources = (nativeFunctionOf(process.getActiveResourcesInfo) ??
  process.getActiveResourcesInfo) as typeof process.getActiveResourcesInfo;

export class PendingOperations {
  /** Workers of this thread that were not seen to exit. They are not among Node's active resources. */
  readonly #workers: Set<Worker> = new Set();

  constructor() {
    subscribe('worker_threads', (message) => {
      this.#workers.add((message as { worker: Worker }).worker);
    });
  }

  /** Throws if operations are pending or no work is left. @param timeouts number of keep-alive timeouts */
  requireNone(timeouts: number): void {
    const counts = this.#countByName(timeouts);
    if (hasRunOutOfWork())
      throw new LoaderError(
        'TT_BUSY',
        'the process has no work left, and a restored process would emit beforeExit again; capture earlier',
      );
    if (counts.size === 0) return;
    throw new LoaderError(
      'TT_BUSY',
      `the process has pending host operations (${formatCounts(counts).join(', ')}); capture after they have ended, or keep them in device(() => …)`,
    );
  }

  /** Lists the pending operations that end by themselves, with their numbers. */
  listFinite(timeouts: number): string[] {
    const counts = this.#countByName(timeouts);
    for (const name of LISTENING_RESOURCES) counts.delete(name);
    return formatCounts(counts);
  }

  /** Counts pending operations by name. Throws if the process is exiting. */
  #countByName(timeouts: number): Map<string, number> {
    if ((process as { _exiting?: boolean })._exiting === true)
      throw new LoaderError(
        'TT_BUSY',
        'the process is exiting, and effects of its exit listeners are not captured; capture earlier',
      );
    const resources = activeResources();
    const counts = new Map<string, number>();
    const count = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);
    let remainingTimeouts = timeouts;
    for (const resource of resources) {
      if (resource === 'Timeout' && remainingTimeouts-- <= 0) count('Timeout of a device');
      else if (!CAPTURED_RESOURCES.has(resource)) count(resource);
    }
    for (const worker of this.#workers) {
      if (worker.threadId === EXITED_THREAD_ID) this.#workers.delete(worker);
      else count('Worker');
    }
    return counts;
  }
}

/** Whether `beforeExit` has been emitted and no timer is pending, so that the process would emit it again. */
function hasRunOutOfWork(): boolean {
  return processLifetime.hasBeenIdle && !activeResources().some((resource) => KEEP_ALIVE_RESOURCES.has(resource));
}

function formatCounts(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
}
