// Handlers of the CDP domain `HeapProfiler`: the heap snapshot of the current position, sent in pieces.
import type { CdpSessionContext } from './cdp-session-context.ts';
import type { DomainHandlers } from './protocol/command.ts';
import type { HEAP_PROFILER } from './protocol/domains.ts';

/** Number of characters of a piece. */
const PIECE_CHARS = 1_000_000;

const noop = (): void => {};

export function heapProfilerHandlers(
  { client, sendEvent }: CdpSessionContext,
  setEnabled: (isEnabled: boolean) => void,
): DomainHandlers<typeof HEAP_PROFILER> {
  return {
    enable: () => setEnabled(true),
    disable: () => setEnabled(false),
    collectGarbage: noop,
    takeHeapSnapshot: async ({ reportProgress = false }, { signal }) => {
      setEnabled(true);
      for (let [from, total] = [0, 1]; from < total;) {
        const piece = await client.request('heapSnapshot', { from, count: PIECE_CHARS }, { signal });
        from += piece.text.length;
        total = piece.total;
        const progress = { done: from, total, ...(from >= total && { finished: true }) };
        if (reportProgress) sendEvent('HeapProfiler.reportHeapSnapshotProgress', progress);
        sendEvent('HeapProfiler.addHeapSnapshotChunk', { chunk: piece.text });
      }
    },
  };
}
