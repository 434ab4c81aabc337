// What the process has begun and waits for: operations of the host whose callbacks it holds where no capture can see them. A state taken
// meanwhile would wait for ever.
import { subscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { functionBehind, lifetime, LoaderError } from '@turntable/loader';

/** Timers are data, the standard streams are there in every process. */
const CARRIED = new Set(['Timeout', 'Immediate', 'TTYWrap', 'PipeWrap', 'WriteWrap', 'TickObject']);

/** Of these, what keeps a process going. */
const WORK = new Set(['Timeout', 'Immediate']);

/** Whoever is told of nothing but what comes by itself. */
const LISTENING: readonly string[] =
  'TCPServerWrap TCPSocketWrap PipeServerWrap TLSWrap UDPWrap FSEventWrap StatWatcher MessagePort FileHandle CloseReq'.split(
    ' ',
  );

const STOPPED = -1;

/** The host's own answer: the program's may be a recorded one. */
const resourcesInfo = (functionBehind(process.getActiveResourcesInfo) ??
  process.getActiveResourcesInfo) as typeof process.getActiveResourcesInfo;

export class Operations {
  /** Node does not name those that it waits for. */
  readonly #workers: Set<Worker> = new Set();

  constructor() {
    subscribe('worker_threads', (message) => {
      this.#workers.add((message as { worker: Worker }).worker);
    });
  }

  /** Throws if there are any. `timeouts` is how many timeouts of the program keep the process alive. */
  refuse(timeouts: number): void {
    const found = this.#found(timeouts);
    if (hasEnded())
      throw new LoaderError(
        'TT_BUSY',
        'the process has run out of work: another one would tell its beforeExit listeners again',
      );
    if (found.size === 0) return;
    throw new LoaderError(
      'TT_BUSY',
      `the process waits for what it has begun outside (${listOf(found).join(', ')}); capture when that has ended, or keep it behind a device`,
    );
  }

  /** Those that have an end. */
  underWay(timeouts: number): string[] {
    const found = this.#found(timeouts);
    for (const name of LISTENING) found.delete(name);
    return listOf(found);
  }

  /** Throws if the process is at its end. */
  #found(timeouts: number): Map<string, number> {
    if ((process as { _exiting?: boolean })._exiting === true)
      throw new LoaderError('TT_BUSY', 'the process is ending: what its exit listeners do is not carried over');
    const resources = resourcesInfo();
    const found = new Map<string, number>();
    const count = (name: string): unknown => found.set(name, (found.get(name) ?? 0) + 1);
    let left = timeouts;
    for (const resource of resources) {
      if (resource === 'Timeout' && left-- <= 0) count('Timeout of a device');
      else if (!CARRIED.has(resource)) count(resource);
    }
    for (const worker of this.#workers) {
      if (worker.threadId === STOPPED) this.#workers.delete(worker);
      else count('Worker');
    }
    return found;
  }
}

/** It goes on only if somebody gives it work. */
function hasEnded(): boolean {
  return lifetime.hasRunOut && !resourcesInfo().some((resource) => WORK.has(resource));
}

function listOf(found: ReadonlyMap<string, number>): string[] {
  return [...found].map(([name, times]) => (times === 1 ? name : `${times} × ${name}`));
}
