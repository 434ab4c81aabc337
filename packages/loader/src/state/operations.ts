// What the process has begun and waits for: operations of the host whose callbacks it holds where no capture can see them. A state taken
// meanwhile would wait for ever.
import { LoaderError } from '../errors.ts';

/** Timers are data, the standard streams are there in every process. */
const CARRIED = new Set(['Timeout', 'Immediate', 'TTYWrap', 'PipeWrap', 'WriteWrap', 'TickObject']);

export function refuseOperations(): void {
  const found = new Map<string, number>();
  for (const resource of process.getActiveResourcesInfo())
    if (!CARRIED.has(resource)) found.set(resource, (found.get(resource) ?? 0) + 1);
  if (found.size === 0) return;
  const list = [...found].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(', ');
  throw new LoaderError(
    'TT_BUSY',
    `the process waits for what it has begun outside (${list}); capture when that has ended, or keep it behind a device`,
  );
}
