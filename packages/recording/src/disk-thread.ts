// A thread for the slow work of a writer: syncs to the disk, and deletions. It handles requests in their order. The
// writer thread meanwhile writes traces, which must not wait for it.

import { dirname } from 'node:path';
import { Worker, type MessagePort } from 'node:worker_threads';
import { syncToDisk } from './atomic-file.ts';
import { currentFileFault, rmSync, setFileFault, type FileFault } from './file-operations.ts';
import { systemCode } from './recording-error.ts';
import { applyRetention, listNames, removeLeftovers } from './recordings.ts';
import type { Retention } from './retention.ts';

export interface DiskThreadData {
  readonly type: 'disk';
  readonly fault: FileFault | undefined;
}

export type DiskRequest =
  /** Syncs files and directories. */
  | { readonly type: 'sync'; readonly paths: readonly string[] }
  /** Deletes files. */
  | { readonly type: 'remove'; readonly paths: readonly string[] }
  /** Removes what killed processes left in a directory of recordings. */
  | { readonly type: 'remove-leftovers'; readonly recordings: string; readonly processStart: number }
  /** Deletes old recordings. */
  | {
      readonly type: 'retain';
      readonly recordings: string;
      readonly rules: Retention;
      readonly currentName: string;
      readonly processStart: number;
      readonly isAtStart: boolean;
    };

interface DiskReply {
  readonly failure: { readonly message: string; readonly code: string | undefined; readonly path: unknown } | undefined;
}

/** The writer thread's side. */
export class DiskThread {
  readonly #pending: PromiseWithResolvers<void>[] = [];
  #worker: Worker | undefined;

  /** Rejects with the error of a failed operation. The thread starts at the first request. */
  run(request: DiskRequest): Promise<void> {
    const pending = Promise.withResolvers<void>();
    this.#pending.push(pending);
    (this.#worker ??= this.#start()).postMessage(request);
    return pending.promise;
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js';
    const workerData: DiskThreadData = { type: 'disk', fault: currentFileFault() };
    const worker = new Worker(new URL(file, import.meta.url), {
      name: 'turntable disk',
      workerData,
      execArgv: [],
      env: {},
    });
    worker.on('message', ({ failure }: DiskReply) => {
      const pending = this.#pending.shift();
      if (failure === undefined) pending?.resolve();
      else {
        const { message, code, path } = failure;
        pending?.reject(Object.assign(new Error(message), { code, path }));
      }
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      for (const { reject } of this.#pending.splice(0)) reject(error);
    });
    worker.unref();
    return worker;
  }
}

/** Runs this thread as a disk thread. */
export function serveDisk({ fault }: DiskThreadData, port: MessagePort): void {
  setFileFault(fault);
  port.on('message', (request: DiskRequest) => {
    let failure: DiskReply['failure'];
    try {
      handle(request);
    } catch (error) {
      const { path } = error as { readonly path?: unknown };
      failure = { message: (error as Error).message, code: systemCode(error), path };
    }
    port.postMessage({ failure } satisfies DiskReply);
  });
}

function handle(request: DiskRequest): void {
  switch (request.type) {
    case 'sync':
      return request.paths.forEach(syncIfPresent);
    case 'remove':
      for (const path of request.paths) rmSync(path, { force: true });
      return;
    case 'remove-leftovers':
      return removeLeftovers(request.recordings, request.processStart);
    case 'retain':
      return applyRetention(
        request.recordings,
        request.rules,
        request.currentName,
        request.processStart,
        request.isAtStart,
      );
    default:
      return request satisfies never;
  }
}

/** Syncs a file unless retention has deleted it. A missing directory is a failure. */
export function syncIfPresent(path: string): void {
  try {
    syncToDisk(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || listNames(dirname(path)).length === 0) throw error;
  }
}
